/* What the ICD loader was told to load, for the message when nothing came of it. */
#ifndef CL_ICD_FILES_H
#define CL_ICD_FILES_H

#include "base/text.h"

/* Appends where drivers are registered, which .icd files are there, and why each library does not load. */
void icd_files_explain(text *say);

#endif
