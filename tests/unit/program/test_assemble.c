/* Source assembly: bytes, defines, and which line of the text is which of the user's. */
#include "assemble_scene.h"

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
      malformed_options_are_refused, every_physical_line_maps_back, logs_keep_what_is_no_position)
