/* Source assembly: includes, in which order they are searched, and what ends them. */
#include "assemble_scene.h"

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

TESTS(an_include_stands_in_place_of_its_directive, includes_in_comments_and_literals_are_none, search_order,
      a_source_name_without_directory_searches_nothing, any_directory_name_works, names_are_quoted_in_line_directives,
      a_missing_header_is_an_error_on_its_line, conditions_without_a_name_stay, the_prelude_is_built_in,
      a_header_cannot_swallow_what_follows, pragma_once_holds_over_every_path, pragma_once_holds_for_live_text_only,
      a_cycle_ends_with_an_error, chains_of_64_headers_are_fine, guards_end_cycles, a_header_may_include_itself_on_purpose,
      a_guard_defined_elsewhere_hides_nothing, lines_are_right_behind_skipped_includes)
