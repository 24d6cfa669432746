/* program/assemble: line ends, defines, includes, #line, and the map back from physical lines. */
#include "support.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/assemble.h"

/* ---- A directory for the test's headers ----------------------------------------------------------- */

static char root[64];

static void workspace_open(void) {
    strcpy(root, "/tmp/weft_assemble_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info, (void)type, (void)where;
    return remove(path);
}

static void workspace_close(void) { ck_assert_int_eq(nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0); }

/* The path in the workspace, in one of a few buffers that take turns. */
static const char *in_root(const char *name) {
    static char paths[8][512];
    static size_t turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static const char *make_directory(const char *name) {
    const char *path = in_root(name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    return path;
}

static void write_bytes(const char *name, const char *bytes, size_t size) {
    FILE *file = fopen(in_root(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void write_header(const char *name, const char *content) { write_bytes(name, content, strlen(content)); }

/* ---- Assembling ----------------------------------------------------------------------------------- */

static assembled result;

static const char *assemble_with(const char *source, const weft_compile_options *options) {
    assembled_free(&result);
    ck_assert_int_eq(assemble_source(source, options, &result), WEFT_OK);
    ck_assert_uint_eq(result.length, strlen(result.text));
    return result.text;
}

/* With the workspace as the only include directory. */
static const char *assemble_here(const char *source) {
    const char *directories[] = {root};
    return assemble_with(source, &(weft_compile_options){.include_dirs = directories, .n_include_dirs = 1});
}

static void refuses(const weft_compile_options *options, const char *reason) {
    assembled_free(&result);
    ck_assert_int_eq(assemble_source("int x;\n", options, &result), WEFT_ERROR_INVALID_ARGUMENT);
    ck_assert_msg(strstr(result.reason, reason) != NULL, "\"%s\" does not say \"%s\"", result.reason, reason);
    ck_assert_ptr_null(strchr(result.reason, '\n'));
}

static void refuses_define(const char *entry, const char *reason) {
    const char *defines[] = {"FINE=1", entry};
    refuses(&(weft_compile_options){.defines = defines, .n_defines = 2}, reason);
    ck_assert_ptr_nonnull(strstr(result.reason, "defines[1]"));
}

static size_t count(const char *string, const char *part) {
    size_t n = 0;
    for (; (string = strstr(string, part)) != NULL; string += strlen(part)) {
        n++;
    }
    return n;
}

/* The same text with the workspace's path as @. */
static void assert_text(const char *expected) {
    char given[4096] = "";
    size_t length = 0;
    for (const char *at = result.text; *at && length < sizeof given - 1;) {
        bool path = strncmp(at, root, strlen(root)) == 0;
        given[length++] = path ? '@' : *at;
        at += path ? strlen(root) : 1;
    }
    given[length] = '\0';
    ck_assert_str_eq(given, expected);
}

#define CONTAINS(part) ck_assert_msg(strstr(result.text, (part)) != NULL, "no \"%s\" in:\n%s", (part), result.text)
#define LACKS(part) ck_assert_msg(strstr(result.text, (part)) == NULL, "\"%s\" in:\n%s", (part), result.text)

/* ---- Bytes ---------------------------------------------------------------------------------------- */

START_TEST(a_plain_source_is_untouched) {
    static const char *const sources[] = {
        "kernel void f(global int *x) { x[0] = 1; }\n",
        "\n\n#define A 1\n#ifdef A\n#pragma once\nint a;\n#endif\n\n",
        "// #include \"x.h\"\n/* #include \"x.h\"\n#include \"x.h\" */ int a;\n",
        "char *s = \"\\\n#include \\\"x.h\\\"\\\n\"; // include\n",
        "#define INCLUDED \"x.h\"\n#include INCLUDED\n#include_next \"x.h\"\n#import \"x.h\"\n",
        "int a; #include \"x.h\"\n",
        "/* caf\xE9 */ int \xC3\xA4;\n",
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        ck_assert_str_eq(assemble_with(sources[i], NULL), sources[i]);
        ck_assert_str_eq(assemble_with(sources[i], &(weft_compile_options){.fast_math = true}), sources[i]);
    }
    ck_assert_str_eq(assemble_with("", NULL), "");
    assembled_free(&result);
    assembled_free(&result);
}
END_TEST

START_TEST(bytes_are_made_plain) {
    ck_assert_str_eq(assemble_with("\xEF\xBB\xBFint a;\n", NULL), "int a;\n");
    ck_assert_str_eq(assemble_with("\xEF\xBB\xBF", NULL), "");
    ck_assert_str_eq(assemble_with("int a;", NULL), "int a;\n");
    ck_assert_str_eq(assemble_with("int a;\r\nint b;\r\n", NULL), "int a;\nint b;\n");
    ck_assert_str_eq(assemble_with("#define A \\\r\n 1\r\nint b;", NULL), "#define A \\\n 1\nint b;\n");
    ck_assert_str_eq(assemble_with("int a;\rint b;\r", NULL), "int a;\nint b;\n");
    ck_assert_str_eq(assemble_with("a\r\r\n\n\r", NULL), "a\n\n\n\n");
    assembled_free(&result);
}
END_TEST

START_TEST(headers_are_made_plain) {
    workspace_open();
    write_header("a.h", "\xEF\xBB\xBFint a;\r\nint b;");
    assemble_here("#include \"a.h\"\r\nint c;");
    assert_text("#line 1 \"kernel.cl\"\n#line 1 \"@/a.h\"\nint a;\nint b;\n#line 2 \"kernel.cl\"\nint c;\n");
    workspace_close();
}
END_TEST

/* ---- Defines -------------------------------------------------------------------------------------- */

START_TEST(defines_are_exact) {
    const char *defines[] = {"N", "EMPTY=", "TABLE={0,1,-2}", "GREETING=\"a \\\"b\\\" c\"", "F(x)=((x)+1)", "G( a, b )=a==b",
                             "H()=1", "V(x,...)=f(x, __VA_ARGS__)", "SLASH='\\\\'", "_9=\xC3\xA4"};
    assemble_with("int x;\n", &(weft_compile_options){.defines = defines, .n_defines = 10});
    assert_text("#line 1 \"<defines>\"\n"
                "#define N 1\n"
                "#define EMPTY \n"
                "#define TABLE {0,1,-2}\n"
                "#define GREETING \"a \\\"b\\\" c\"\n"
                "#define F(x) ((x)+1)\n"
                "#define G( a, b ) a==b\n"
                "#define H() 1\n"
                "#define V(x,...) f(x, __VA_ARGS__)\n"
                "#define SLASH '\\\\'\n"
                "#define _9 \xC3\xA4\n"
                "#line 1 \"kernel.cl\"\n"
                "int x;\n");
    assembled_free(&result);
}
END_TEST

START_TEST(malformed_options_are_refused) {
    refuses_define(NULL, "is NULL");
    refuses_define("", "does not start with");
    refuses_define("=1", "does not start with");
    refuses_define("3N=4", "\"3N=4\", does not start with");
    refuses_define(" N=4", "does not start with");
    refuses_define("N =4", "between the name and the =");
    refuses_define("N-M=4", "between the name and the =");
    refuses_define("N+", "between the name and the =");
    refuses_define("F(x) =1", "between the name and the =");
    refuses_define("F(x=1", "parameter list");
    refuses_define("F(x,)=1", "parameter list");
    refuses_define("F(,x)=1", "parameter list");
    refuses_define("F(1)=1", "parameter list");
    refuses_define("F(", "parameter list");
    refuses_define("N=1\n", "newline");
    refuses_define("N=1\r#define M 2", "newline");
    refuses_define("N=1 /* open", "goes on after its line");
    refuses_define("N=1\\", "goes on after its line");
    refuses_define("N=1\\ ", "goes on after its line");
    refuses_define("N=1 // \\", "goes on after its line");
    char longest[2000];
    memset(longest, '9', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    refuses_define(longest, "does not start with");

    const char *directories[] = {"/", NULL};
    refuses(&(weft_compile_options){.include_dirs = directories, .n_include_dirs = 2}, "include_dirs[1] is NULL");
    directories[1] = "";
    refuses(&(weft_compile_options){.include_dirs = directories, .n_include_dirs = 2}, "include_dirs[1] is empty");
    refuses(&(weft_compile_options){.n_include_dirs = 2}, "include_dirs is NULL");
    refuses(&(weft_compile_options){.n_defines = 1}, "defines is NULL");
    assembled_free(&result);
}
END_TEST

/* ---- Includes ------------------------------------------------------------------------------------- */

START_TEST(an_include_stands_in_place_of_its_directive) {
    workspace_open();
    write_header("a.h", "int a;\n");
    assemble_here("int x;\n#include \"a.h\"\nint y;\n");
    assert_text("#line 1 \"kernel.cl\"\nint x;\n#line 1 \"@/a.h\"\nint a;\n#line 3 \"kernel.cl\"\nint y;\n");
    assemble_here("/* one\n */ # \t include\\\n <a.h> // why\nint y;\n");
    assert_text("#line 1 \"kernel.cl\"\n/* one\n */ #line 1 \"@/a.h\"\nint a;\n#line 4 \"kernel.cl\" // why\nint y;\n");
    assemble_here("%:/**/include/**/\"a.h\" /* goes\non */ int y;\n");
    assert_text("#line 1 \"kernel.cl\"\n#line 1 \"@/a.h\"\nint a;\n#line 2 \"kernel.cl\" /* goes\non */ int y;\n");
    assemble_here("#include \"a.h\"");
    assert_text("#line 1 \"kernel.cl\"\n#line 1 \"@/a.h\"\nint a;\n#line 2 \"kernel.cl\"\n");
    workspace_close();
}
END_TEST

START_TEST(includes_in_comments_and_literals_are_none) {
    workspace_open();
    write_header("a.h", "int seen;\n");
    static const char *const sources[] = {
        "// #include \"a.h\"\n",
        "// to be continued \\\n#include \"a.h\"\n",
        "// to be continued \\ \t\n#include \"a.h\"\n",
        "/* \n#include \"a.h\"\n*/\n",
        "/* // */ int x; /*\n#include \"a.h\"\n**/\n",
        "char *s = \"/*\"; /* \"\n#include \"a.h\"\n*/\n",
        "char c = '\"'; /* '\n#include \"a.h\"\n*/\n",
        "char c = '\\''; /* '\n#include \"a.h\"\n*/\n",
        "char *s = \"\\\\\"; /* \"\n#include \"a.h\"\n*/\n",
        "char *s = \"\\\n#include <a.h>\";\n",
        "/\\\n*\n#include \"a.h\"\n*\\\n/\n",
        "/*/\n#include \"a.h\"\n*/\n",
        "int x; \\\n#include \"a.h\"\n",
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        ck_assert_str_eq(assemble_here(sources[i]), sources[i]);
    }
    static const char *const live[] = {
        "// done\n#include \"a.h\"\n",
        "/**/\n#include \"a.h\"\n",
        "char *s = \"/*\";\n#include \"a.h\"\n",
        "char *s = \"//\\\\\";\n#include \"a.h\"\n",
        "#error don't\n#include \"a.h\"\n",
        "it's /* none\n#include \"a.h\"\n", /* the literal ends with its line */
        "/* ** /* */\n#include \"a.h\"\n",
        "#define X \\\n\n#include \"a.h\"\n",
        "\\\n#include \"a.h\"\n",
    };
    for (size_t i = 0; i < sizeof live / sizeof *live; i++) {
        assemble_here(live[i]);
        CONTAINS("int seen;");
    }
    workspace_close();
}
END_TEST

START_TEST(search_order) {
    workspace_open();
    make_directory("one");
    make_directory("two");
    write_header("one/a.h", "int one_a;\n#include \"b.h\"\n#include <b.h>\n");
    write_header("one/b.h", "int one_b;\n");
    write_header("two/a.h", "int two_a;\n");
    write_header("two/b.h", "int two_b;\n");
    const char *directories[] = {in_root("two"), in_root("one")};
    weft_compile_options options = {.include_dirs = directories, .n_include_dirs = 2};

    assemble_with("#include \"a.h\"\n", &options);
    CONTAINS("two_a");
    LACKS("one_a");

    options.source_name = in_root("one/kernel.cl");
    assemble_with("#include \"a.h\"\n", &options);
    CONTAINS("one_a");
    CONTAINS("one_b");
    CONTAINS("two_b");
    assemble_with("#include <a.h>\n", &options);
    CONTAINS("two_a");
    LACKS("one_a");

    char source[600];
    snprintf(source, sizeof source, "#include \"%s\"\n", in_root("one/b.h"));
    assemble_with(source, NULL);
    CONTAINS("one_b");
    assemble_with("#include \"../two/a.h\"\n", &options);
    CONTAINS("two_a");
    workspace_close();
}
END_TEST

START_TEST(a_source_name_without_directory_searches_nothing) {
    workspace_open();
    write_header("a.h", "int a;\n");
    char before[4096];
    ck_assert_ptr_nonnull(getcwd(before, sizeof before));
    ck_assert_int_eq(chdir(root), 0);
    assemble_with("#include \"a.h\"\n", &(weft_compile_options){.source_name = "k.cl"});
    CONTAINS("#error \"a.h\" is not found: there is no directory to search\n");
    assemble_with("#include \"a.h\"\n", &(weft_compile_options){.source_name = "./k.cl"});
    CONTAINS("int a;");
    ck_assert_int_eq(chdir(before), 0);
    workspace_close();
}
END_TEST

START_TEST(any_directory_name_works) {
    static const char *const names[] = {"in c", "x-g", "a-cl-opt-disable", "p=q", "a,b", "\xC3\xA4", "it's", "say \"x\"",
                                        "back\\slash", "$HOME", "caf\xE9"};
    workspace_open();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char header[64];
        make_directory(names[i]);
        snprintf(header, sizeof header, "%s/v.h", names[i]);
        write_header(header, "#define V 42\n");
        const char *directories[] = {in_root(names[i])};
        assemble_with("#include <v.h>\n", &(weft_compile_options){.include_dirs = directories, .n_include_dirs = 1});
        CONTAINS("#define V 42\n");
        LACKS("#error");
        ck_assert_str_eq(result.map.segments[2].file, in_root(header));
    }
    workspace_close();
}
END_TEST

START_TEST(names_are_quoted_in_line_directives) {
    assemble_with("int x;\n", &(weft_compile_options){.source_name = "a \"b\"\\c.cl"});
    ck_assert_str_eq(result.text, "#line 1 \"a \\\"b\\\"\\\\c.cl\"\nint x;\n");
    /* What is not UTF-8, overlong or cut off included, and control bytes: rusticl would end the process. */
    assemble_with("int x;\n", &(weft_compile_options){.source_name = "\xC3\xA4\xE4\n\xC0\xAF\xED\xA0\x80\xF0\x9F\x98\x80\xF0\x9F"});
    ck_assert_str_eq(result.text, "#line 1 \"\xC3\xA4???????\xF0\x9F\x98\x80??\"\nint x;\n");
    assembled_free(&result);
}
END_TEST

START_TEST(a_missing_header_is_an_error_on_its_line) {
    workspace_open();
    make_directory("in c");
    make_directory("other");
    make_directory("other/a.h");
    const char *directories[] = {in_root("in c"), in_root("other")};
    assemble_with("int x;\n#if 0\n#include \"a.h\" // c\n#endif\nint y;\n",
                  &(weft_compile_options){.source_name = in_root("k.cl"), .include_dirs = directories, .n_include_dirs = 2});
    assert_text("#line 1 \"@/k.cl\"\nint x;\n#if 0\n"
                "#error \"a.h\" is not found in \"@\", \"@/in c\", \"@/other\" (there it is a directory)\n"
                "#line 4 \"@/k.cl\" // c\n#endif\n#line 5 \"@/k.cl\"\nint y;\n");
    assemble_with("#include </nowhere/a.h>\n", NULL);
    CONTAINS("#error \"/nowhere/a.h\" is not found\n");

    ck_assert_int_eq(mkfifo(in_root("pipe.h"), 0600), 0);
    assemble_here("#include \"pipe.h\"\n");
    CONTAINS("(there it is no regular file)");
    write_bytes("utf16.h", "i\0n\0t\0", 6);
    assemble_here("#include \"utf16.h\"\n");
    CONTAINS("(there it is not text: it has NUL bytes)");
    /* The search ends there: another file of that name would be silently wrong. */
    make_directory("next");
    write_header("next/pipe.h", "int x;\n");
    directories[0] = in_root("next");
    assemble_with("#include \"pipe.h\"\n",
                  &(weft_compile_options){.source_name = in_root("k.cl"), .include_dirs = directories, .n_include_dirs = 1});
    CONTAINS("(there it is no regular file)");
    LACKS("int x;");
    ck_assert_int_eq(symlink("loop.h", in_root("loop.h")), 0);
    assemble_here("#include \"loop.h\"\n");
    CONTAINS("(there it cannot be read: error ");
    write_header("secret.h", "int x;\n");
    ck_assert_int_eq(chmod(in_root("secret.h"), 0), 0);
    uid_t self = geteuid(), nobody = 65534;
    ck_assert(self != 0 || seteuid(nobody) == 0); /* root may read everything */
    assemble_here("#include \"secret.h\"\n");
    ck_assert_int_eq(seteuid(self), 0);
    CONTAINS("(there it may not be read)");
    workspace_close();
}
END_TEST

/* The compiler's to refuse; the text around it stays whole. */
START_TEST(conditions_without_a_name_stay) {
    workspace_open();
    write_header("a.h", "int a;\n");
    static const char source[] = "#ifndef\nint x;\n#endif\n#define\n#undef\n#ifdef\n#endif\n#include \"a.h\"\nint y;\n";
    assemble_here(source);
    CONTAINS("#ifndef\nint x;\n#endif\n#define\n#undef\n#ifdef\n#endif\n");
    CONTAINS("int a;\n");
    CONTAINS("int y;\n");
    workspace_close();
}
END_TEST

START_TEST(the_prelude_is_built_in) {
    workspace_open();
    assemble_with("#include <weft.clh>\nint x;\n", NULL);
    CONTAINS("#line 1 \"weft.clh\"\n");
    CONTAINS("#define global_idx");
    CONTAINS("\n#line 2 \"kernel.cl\"\nint x;\n");
    assemble_here("#include \"weft.clh\"\n");
    CONTAINS("#define global_idx");

    write_header("weft.clh", "int mine;\n");
    assemble_here("#include \"weft.clh\"\n");
    CONTAINS("int mine;");
    LACKS("#define global_idx");
    assemble_here("#include <weft.clh>\n");
    CONTAINS("#define global_idx");
    LACKS("int mine;");
    workspace_close();
}
END_TEST

START_TEST(a_header_cannot_swallow_what_follows) {
    workspace_open();
    write_header("open.h", "int a; /* never closed\n");
    assemble_here("#include \"open.h\"\nint y; /* */\n");
    CONTAINS("*/\n#error this header ends inside a comment\n#line 2 \"kernel.cl\"\nint y;");
    write_header("splice.h", "#define A 1 \\\n");
    assemble_here("#include \"splice.h\"\nint y;\n");
    CONTAINS("#define A 1 \\\n\n#line 2 \"kernel.cl\"\nint y;");
    write_header("splice.h", "// \\");
    assemble_here("#include \"splice.h\"\nint y;\n");
    CONTAINS("// \\\n\n#line 2 \"kernel.cl\"\nint y;");
    write_header("a.h", "int a;\n");
    write_header("endif.h", "#if A\n#include \"a.h\"\n#endif \\\n");
    assemble_here("#include \"endif.h\"\nint y;\n");
    CONTAINS("#endif \\\n\n#line 2 \"kernel.cl\"\nint y;");
    write_header("empty.h", "");
    assemble_here("#include \"empty.h\"\nint y;\n");
    CONTAINS("/empty.h\"\n#line 2 \"kernel.cl\"\nint y;");
    workspace_close();
}
END_TEST

/* ---- Once, guards and cycles ---------------------------------------------------------------------- */

START_TEST(pragma_once_holds_over_every_path) {
    workspace_open();
    make_directory("sub");
    write_header("once.h", "#pragma once\nint only;\n");
    ck_assert_int_eq(symlink("../once.h", in_root("sub/link.h")), 0);
    ck_assert_int_eq(link(in_root("once.h"), in_root("hard.h")), 0);
    assemble_here("#include \"once.h\"\n#include \"sub/../once.h\"\n#include <sub/link.h>\n#include \"hard.h\"\nint y;\n");
    assert_text("#line 1 \"kernel.cl\"\n#ifndef weft_once_1\n#line 1 \"@/once.h\"\n#define weft_once_1\nint only;\n#endif\n"
                "#line 2 \"kernel.cl\"\n#line 3 \"kernel.cl\"\n#line 4 \"kernel.cl\"\n#line 5 \"kernel.cl\"\nint y;\n");

    write_header("self.h", "#pragma once // here\n#include \"self.h\"\nint self;\n");
    assemble_here("#include \"self.h\"\n");
    ck_assert_uint_eq(count(result.text, "int self;"), 1);
    workspace_close();
}
END_TEST

/* The first include may be in text that the compiler skips; then the second one counts. */
START_TEST(pragma_once_holds_for_live_text_only) {
    workspace_open();
    write_header("once.h", "#pragma once\nint only;\n");
    assemble_here("#if A\n#include \"once.h\"\n#else\n#include \"once.h\"\n#endif\n#include \"once.h\"\n#include \"once.h\"\n");
    ck_assert_uint_eq(count(result.text, "#ifndef weft_once_1\n"), 3);
    ck_assert_uint_eq(count(result.text, "int only;"), 3);
    assemble_here("#include \"once.h\"\n#if A\n#include \"once.h\"\n#endif\n");
    ck_assert_uint_eq(count(result.text, "int only;"), 1);

    write_header("maybe.h", "#if A\n#pragma once\n#endif\nint maybe;\n");
    assemble_here("#include \"maybe.h\"\n#include \"maybe.h\"\n");
    ck_assert_uint_eq(count(result.text, "int maybe;"), 2);
    workspace_close();
}
END_TEST

START_TEST(a_cycle_ends_with_an_error) {
    workspace_open();
    write_header("a.h", "int a;\n#include \"b.h\"\n");
    write_header("b.h", "int b;\n#include \"a.h\"\n");
    assemble_here("#include \"a.h\"\n");
    ck_assert_uint_eq(count(result.text, "int a;"), 32);
    ck_assert_uint_eq(count(result.text, "int b;"), 32);
    ck_assert_uint_eq(count(result.text, "#error \"a.h\" is included too deeply"), 1);

    write_header("two.h", "int two;\n#include \"two.h\"\n#include \"two.h\"\n");
    assemble_here("#include \"two.h\"\n");
    ck_assert_uint_eq(count(result.text, "int two;"), 4096);
    CONTAINS("there are too many includes");
    workspace_close();
}
END_TEST

START_TEST(chains_of_64_headers_are_fine) {
    workspace_open();
    for (int i = 1; i <= 65; i++) {
        char name[16], content[64];
        snprintf(name, sizeof name, "%d.h", i);
        snprintf(content, sizeof content, i == 65 ? "int last;\n" : "#include \"%d.h\"\n", i + 1);
        write_header(name, content);
    }
    assemble_here("#include \"2.h\"\n");
    CONTAINS("int last;");
    LACKS("#error");
    assemble_here("#include \"1.h\"\n");
    CONTAINS("#error \"65.h\" is included too deeply");
    workspace_close();
}
END_TEST

START_TEST(guards_end_cycles) {
    workspace_open();
    write_header("a.h", "#ifndef A_H\n#define A_H\n#include \"b.h\"\n#include \"c.h\"\nint a;\n#endif\n");
    write_header("b.h", "/* b */\n#if !defined(B_H) // b\n#define B_H\n#include \"a.h\"\n#include \"c.h\"\nint b;\n#endif\n");
    write_header("c.h", "#pragma once\n#include \"a.h\"\n#include \"b.h\"\nint c;\n");
    assemble_here("#include \"a.h\"\n#include \"b.h\"\n#include \"c.h\"\n");
    LACKS("#error");
    ck_assert_uint_eq(count(result.text, "int c;"), 1);
    ck_assert(result.length < 2000);

    /* Each header includes all further ones: without the guards, 2^30 times in all. */
    for (int i = 0; i < 32; i++) {
        char name[16], content[2048];
        int length = snprintf(content, sizeof content, "#ifndef H%d\n#define H%d\n", i, i);
        for (int j = i + 1; j < 32; j++) {
            length += snprintf(content + length, sizeof content - (size_t)length, "#include \"mesh%d.h\"\n", j);
        }
        snprintf(content + length, sizeof content - (size_t)length, "int mesh%d;\n#endif\n", i);
        snprintf(name, sizeof name, "mesh%d.h", i);
        write_header(name, content);
    }
    assemble_here("#include \"mesh0.h\"\n");
    LACKS("#error");
    CONTAINS("int mesh31;");
    workspace_close();
}
END_TEST

/* The way to write a kernel for several types: a file that includes itself. */
START_TEST(a_header_may_include_itself_on_purpose) {
    workspace_open();
    write_header("t.h", "#ifndef T\n#define T int\n#include \"t.h\"\n#undef T\n#define T float\n#include \"t.h\"\n#undef T\n"
                        "#else\nT value;\n#endif\n");
    assemble_here("#include \"t.h\"\n");
    LACKS("#error");
    ck_assert_uint_eq(count(result.text, "T value;"), 3);
    workspace_close();
}
END_TEST

/* A guard that may have been defined by other means says nothing about what its header includes. */
START_TEST(a_guard_defined_elsewhere_hides_nothing) {
    workspace_open();
    write_header("g.h", "#ifndef G\n#define G\n#include \"once.h\"\n#endif\n");
    write_header("once.h", "#pragma once\nint only;\n");
    const char *directories[] = {root}, *defines[] = {"G"};
    weft_compile_options options = {.include_dirs = directories, .n_include_dirs = 1};
    static const char source[] = "#include \"g.h\"\n#include \"once.h\"\n";
    assemble_with(source, &options);
    ck_assert_uint_eq(count(result.text, "int only;"), 1);
    options.extra = "-DG";
    assemble_with(source, &options);
    ck_assert_uint_eq(count(result.text, "int only;"), 2);
    options.extra = NULL;
    options.defines = defines;
    options.n_defines = 1;
    assemble_with(source, &options);
    ck_assert_uint_eq(count(result.text, "int only;"), 1); /* in g.h, G is known: the include there is left as it is */
    CONTAINS("#define G\n#include \"once.h\"\n#endif\n");
    workspace_close();
}
END_TEST

/* A compiler that skips a region skips the #line directives in it, so the line is set again behind it. */
START_TEST(lines_are_right_behind_skipped_includes) {
    workspace_open();
    write_header("a.h", "int a;\n");
    assemble_here("#if A\n#include \"a.h\"\n#else // not A\nint x;\n#endif /*\n*/\nint y;\n");
    assert_text("#line 1 \"kernel.cl\"\n#if A\n#line 1 \"@/a.h\"\nint a;\n#line 3 \"kernel.cl\"\n"
                "#else // not A\n#line 4 \"kernel.cl\"\nint x;\n"
                "#endif /*\n*/\n#line 7 \"kernel.cl\"\nint y;\n");
    assemble_here("#include \"a.h\"\n#if A\nint x;\n#else\n#endif\nint y;\n");
    assert_text("#line 1 \"kernel.cl\"\n#line 1 \"@/a.h\"\nint a;\n#line 2 \"kernel.cl\"\n"
                "#if A\nint x;\n#else\n#endif\nint y;\n");
    workspace_close();
}
END_TEST

/* ---- Physical lines ------------------------------------------------------------------------------- */

static void assert_mapped(const char *log, const char *expected) {
    char *mapped = assemble_map_log(&result, log);
    ck_assert_ptr_nonnull(mapped);
    ck_assert_str_eq(mapped, expected);
    free(mapped);
}

START_TEST(every_physical_line_maps_back) {
    workspace_open();
    write_header("a.h", "a 1\na 2\n#include \"b.h\"\na 4\n#include \"missing.h\"\na 6\n");
    write_header("b.h", "#pragma once\nb 2\nb 3\n");
    const char *directories[] = {root}, *defines[] = {"D", "E=5"};
    assemble_with("k 1\n#include \"a.h\"\nk 3\n#include \"b.h\" /*\n*/ k 5\n\\\n#include <b.h>\nk 8\n",
                  &(weft_compile_options){.include_dirs = directories, .n_include_dirs = 1, .defines = defines, .n_defines = 2});

    /* A line "x n" is line n of x: what the map says of every physical line that holds one. */
    size_t found = 0, physical = 1;
    for (const char *line = result.text; *line; line = strchr(line, '\n') + 1, physical++) {
        const char *word = strncmp(line, "*/ ", 3) == 0 ? line + 3 : line;
        if (word[1] == ' ' && strchr("abk", word[0])) {
            char log[32], expected[600];
            snprintf(log, sizeof log, "input.cl:%zu:7: error", physical);
            snprintf(expected, sizeof expected, "%s:%c:7: error",
                     word[0] == 'a' ? in_root("a.h") : word[0] == 'b' ? in_root("b.h") : "kernel.cl", word[2]);
            assert_mapped(log, expected);
            found++;
        }
    }
    ck_assert_uint_eq(found, 10);
    assert_mapped("input.cl:3:9: x", "<defines>:2:9: x");
    workspace_close();
}
END_TEST

START_TEST(logs_keep_what_is_no_position) {
    assemble_with("int x;\n", NULL);
    assert_mapped("", "");
    assert_mapped("nothing here\n", "nothing here\n");
    assert_mapped("input.cl:1:5: error: e\ninput.cl:12: note\n<kernel>:3:1: error\ninput.cl:1",
                  "kernel.cl:1:5: error: e\nkernel.cl:12: note\nkernel.cl:3:1: error\nkernel.cl:1");
    assert_mapped("(input.cl:2)", "(kernel.cl:2)");
    static const char other[] = "myinput.cl:1 a/input.cl:1 input.cl:0 input.cl: input.cl:x input.clx:1";
    assert_mapped(other, other);
    assembled_free(&result);
}
END_TEST

TESTS(a_plain_source_is_untouched, bytes_are_made_plain, headers_are_made_plain, defines_are_exact,
      malformed_options_are_refused, an_include_stands_in_place_of_its_directive,
      includes_in_comments_and_literals_are_none, search_order, a_source_name_without_directory_searches_nothing,
      any_directory_name_works, names_are_quoted_in_line_directives, a_missing_header_is_an_error_on_its_line,
      conditions_without_a_name_stay, the_prelude_is_built_in, a_header_cannot_swallow_what_follows, pragma_once_holds_over_every_path,
      pragma_once_holds_for_live_text_only, a_cycle_ends_with_an_error, chains_of_64_headers_are_fine, guards_end_cycles,
      a_header_may_include_itself_on_purpose, a_guard_defined_elsewhere_hides_nothing,
      lines_are_right_behind_skipped_includes, every_physical_line_maps_back, logs_keep_what_is_no_position)
