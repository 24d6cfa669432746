/* The report's template, tools/report/, embedded when weft is built. */
#ifndef TRACE_PAGE_H
#define TRACE_PAGE_H

extern const char trace_page[];

#endif
