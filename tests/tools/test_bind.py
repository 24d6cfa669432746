#!/usr/bin/env python3
"""Checks `weft bind`: test_bind.py BUILD_DIR.

The header it writes is the same on every driver, compiles as C and C++, refuses wrong arguments, and launches what
it should; CMake and meson make it from an installed weft.
"""
import os
import re
import shutil

from harness import COMPILERS, INCLUDE, ROOT, STRICT, Skip, expect, main, run, same, succeed

KERNELS = ROOT / "tests/package/kernels"

# What the kernels of swarm.cl compute from the arguments in main.c, by hand.
# advance: 1 * 0.5 + (1 + 3) * 2 for five of six; then three more times 1, plus (0 + 1) * 2.
RESULTS = """advance DeviceBuffer([10.5, 10.5, 10.5, 8.5, 8.5, 1.0])
gather DeviceBuffer([-1, 255, -300, 65535, 4000000000, -5000000000, 9007199254740993, -7, 6, 10, -3, 4, 26, 30, -8, 9])
layouts DeviceBuffer([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0])
words DeviceBuffer([456])
"""
# rusticl refuses a struct with a float2 (its compiler says 48 bytes, its clSetKernelArg says that is wrong), and reads
# an int at an odd address from elsewhere.
FEW_RESULTS = RESULTS.replace("[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0", "[0.0, 0.0, 3.0, 4.0, 0.0, 0.0, 0.0, 8.0")

HEAD = '#include <weft/weft.h>\n#include "swarm.h"\n'
FRAME = """
weft_status {name}(weft_context *ctx, weft_device_buffer *device, weft_host_buffer *host, float *floats, pair_t pair,
                   weft_float4 f4, wide_t wide, weft_dim one);
weft_status {name}(weft_context *ctx, weft_device_buffer *device, weft_host_buffer *host, float *floats, pair_t pair,
                   weft_float4 f4, wide_t wide, weft_dim one) {{
    (void)ctx, (void)device, (void)host, (void)floats, (void)pair, (void)f4, (void)wide, (void)one;
    {line}
}}
"""


def advance(arguments):
    return f"return advance(ctx, one, one, {arguments});"


RIGHT = {
    "a launch": advance("device, 1, 2.0f, pair, 16"),
    "an integer for a float": advance("device, 1, 2, pair, 16"),
    "a launch without arguments": "return idle(ctx, one, one);",
    "dimensions made in place": "return idle(ctx, WEFT_DIM(1, 2), WEFT_DIM(8));",
    "a dropped status": "WEFT_IGNORE(idle(ctx, one, one)); return WEFT_OK;",
}

WRONG = {
    "too few arguments": advance("device, 1, 2.0f, pair"),
    "too many arguments": advance("device, 1, 2.0f, pair, 16, 5"),
    "a host buffer": advance("host, 1, 2.0f, pair, 16"),
    "a float *": advance("floats, 1, 2.0f, pair, 16"),
    "a number for a buffer": advance("20, 1, 2.0f, pair, 16"),
    "a buffer for a number": advance("device, device, 2.0f, pair, 16"),
    "a pointer for a number": advance("device, floats, 2.0f, pair, 16"),
    "a struct for a number": advance("device, pair, 2.0f, pair, 16"),
    "a number for a struct": advance("device, 1, 2.0f, 3, 16"),
    "a vector for a struct": advance("device, 1, 2.0f, f4, 16"),
    "a struct's address for a struct": advance("device, 1, 2.0f, &pair, 16"),
    "a pointer for local memory": advance("device, 1, 2.0f, pair, floats"),
    "a string": advance('device, 1, "2", pair, 16'),
    "arguments in the wrong order": advance("1, device, 2.0f, pair, 16"),
    "a device buffer for the context": "return idle(device, one, one);",
    "no block": "return idle(ctx, one);",
    "a status left alone": "idle(ctx, one, one); return WEFT_OK;",
}


def bind(build, env, *arguments, cwd=None):
    return succeed(build / "tools/weft", "bind", *arguments, env=env, cwd=cwd)


class Header:
    """swarm.h in a folder of its own, as one driver's compiler makes it."""

    def __init__(self, build, drivers, scratch):
        self.folder = scratch / "header"
        self.folder.mkdir()
        bind(build, drivers.environment("pocl"), KERNELS / "swarm.cl", "-o", self.folder / "swarm.h")
        self.text = (self.folder / "swarm.h").read_text()


# ---- The text -------------------------------------------------------------------------------------------------

def check_same(build, drivers, header, name):
    """Named from anywhere, on any driver, at any time, it is the same."""
    env = drivers.environment(name)
    for options, cwd in [(["swarm.cl"], KERNELS), (["../kernels/swarm.cl"], KERNELS), ([KERNELS / "swarm.cl"], None)]:
        same(bind(build, env, *options, cwd=cwd), header.text)


def check_names_no_folder(header):
    for part in (str(ROOT), "/home", "/tmp", "../"):
        expect(part not in header.text, f"it has {part}")
    lines = re.findall(r'#line \d+ \\"(.*?)\\"', header.text)
    same(set(lines), {"swarm.cl", "swarm_types.h", "weft.clh"})


def check_include_folders(build, drivers, scratch):
    """What -I finds is named from that folder on, and what -D says is in the text."""
    folder = scratch / "includes"
    (folder / "deep/er").mkdir(parents=True)
    (folder / "deep/er/one.h").write_text('#include "two.h"\n')
    (folder / "deep/er/two.h").write_text("typedef short two;\n")
    (folder / "k.cl").write_text('#include <er/one.h>\nkernel void k(global two *x) { x[0] = N; }\n')
    text = bind(build, drivers.environment("pocl"), "-I", folder / "deep", "-DN=41 + 1", folder / "k.cl")
    same(set(re.findall(r'#line \d+ \\"(.*?)\\"', text)), {"k.cl", "er/one.h", "er/two.h", "<defines>"})
    expect("#define N 41 + 1\\n" in text, text)


def check_dependencies(build, drivers, scratch):
    succeed(build / "tools/weft", "bind", KERNELS / "swarm.cl", "-o", scratch / "with spaces.h", "--depfile", scratch / "deps",
            env=drivers.environment("pocl"))
    target, rest = (scratch / "deps").read_text().split(": ")
    same(target, str(scratch / "with spaces.h").replace(" ", "\\ "))
    same(set(rest.split()), {str(KERNELS / "swarm.cl"), str(KERNELS / "swarm_types.h")})


def check_doubles(build, drivers, scratch):
    """Where there are doubles."""
    (scratch / "doubles.cl").write_text(
        "kernel void doubles(global double *out, double d, double4 v, float16 w) { out[0] = d + v.x + w.s0; }\n")
    texts = [bind(build, drivers.environment(name), scratch / "doubles.cl") for name in ("pocl", "oclgrind")]
    same(texts[0], texts[1])
    words = " ".join(texts[0].split())
    expect("weft_device_buffer *out, double d, const weft_double4 *v, const weft_float16 *w)" in words, words)


def check_prefix(build, drivers, header, scratch):
    """--name goes in front of all that other headers might define too; the two live in one file."""
    folder = scratch / "prefixed"
    folder.mkdir()
    bind(build, drivers.environment("pocl"), "--name", "my", KERNELS / "swarm.cl", "-o", folder / "mine.h")
    (folder / "both.c").write_text('#include "swarm.h"\n#include "mine.h"\n'
                                   "weft_status f(weft_context *ctx, my_pair_t by);\n"
                                   "weft_status f(weft_context *ctx, my_pair_t by) {\n"
                                   "    WEFT_IGNORE(idle(ctx, WEFT_DIM(1), WEFT_DIM(1)));\n    my_unload();\n"
                                   "    return my_advance(ctx, WEFT_DIM(1), WEFT_DIM(1), NULL, 1, 1, by, 4);\n}\n")
    succeed("gcc", "-std=c11", *STRICT, f"-I{INCLUDE}", f"-I{header.folder}", "-c", folder / "both.c", "-o", os.devnull)


# ---- The compilers ---------------------------------------------------------------------------------------------

def compile_text(compiler, flags, header, text):
    language = "c" if COMPILERS[compiler] == "c11" else "c++"
    return run("sh", "-c", 'printf "%s" "$0" | "$@"', HEAD + text, compiler, f"-std={COMPILERS[compiler]}", f"-I{INCLUDE}",
               f"-I{header.folder}", *flags, "-x", language, "-c", "-", "-o", os.devnull)


def check_compiles(compiler, header):
    text = "".join(FRAME.format(name=f"caller_{number}", line=line) for number, line in enumerate(RIGHT.values()))
    done = compile_text(compiler, STRICT, header, text)
    expect(done.returncode == 0, done.stderr)


def check_refused(compiler, header, line):
    """By the warnings that are on unasked."""
    done = compile_text(compiler, ["-Werror"], header, FRAME.format(name="caller", line=line))
    expect(done.returncode != 0, "compiles")


def check_own_struct(header, scratch):
    """A program's own struct is taken if it is laid out as the kernel wants it."""
    own = "#define WEFT_STRUCT_PAIR_T\ntypedef struct pair {{ float first, {second}; }} pair_t;\n#include \"swarm.h\"\n"
    results = {}
    for second in ("second[2]", "second[3]"):
        path = scratch / f"own{second[7]}.c"
        path.write_text(own.format(second=second))
        done = run("gcc", "-std=c11", f"-I{INCLUDE}", f"-I{header.folder}", "-c", path, "-o", os.devnull)
        results[second] = done.returncode == 0
        expect(done.returncode == 0 or "pair_t is not what the kernel takes" in done.stderr, done.stderr)
    same(results, {"second[2]": True, "second[3]": False})


# ---- Programs --------------------------------------------------------------------------------------------------

def build_program(build, header, folder, compiler, flags=()):
    """main.c and elsewhere.c, away from the kernels' sources."""
    folder.mkdir()
    suffix = ".c" if COMPILERS[compiler] == "c11" else ".cpp"
    for name in ("main", "elsewhere"):
        shutil.copy(KERNELS / f"{name}.c", folder / (name + suffix))
    succeed(compiler, f"-std={COMPILERS[compiler]}", *STRICT, "-g", *flags, f"-I{INCLUDE}", f"-I{header.folder}",
            folder / f"main{suffix}", folder / f"elsewhere{suffix}", f"-L{build / 'lib'}", "-lweft", "-o", folder / "program")
    return folder / "program"


def check_program(build, drivers, header, scratch, compiler, name):
    program = build_program(build, header, scratch / f"{compiler}-{name}", compiler)
    few = name == "rusticl"
    same(succeed(program, *["few"] * few, env=drivers.environment(name), cwd=scratch), FEW_RESULTS if few else RESULTS)


def check_leaks(build, drivers, header, scratch):
    """LeakSanitizer finds nothing after unload, and nothing without it."""
    env = drivers.environment("pocl")
    program = build_program(build, header, scratch / "leaks", "gcc", ["-fsanitize=address"])
    clean = build_program(build, header, scratch / "warm", "gcc")
    succeed(clean, env=env)  # compiling makes LLVM leak, so that the driver has it compiled
    env = env | {"ASAN_OPTIONS": "detect_leaks=1", "LSAN_OPTIONS": f"suppressions={ROOT}/tests/sanitizers/leaks.txt:print_suppressions=0"}
    done = run(program, env=env)
    if "LeakSanitizer has encountered a fatal error" in done.stderr:
        raise Skip("LeakSanitizer does not work here: " + done.stderr.strip().splitlines()[-1])
    expect(done.returncode == 0, done.stderr)
    same(done.stdout, RESULTS)


# ---- What it refuses ---------------------------------------------------------------------------------------------

def check_refuses(build, drivers, scratch, number, source, arguments, status, *said):
    folder = scratch / f"refused{number}"
    folder.mkdir()
    if source is not None:
        (folder / "k.cl").write_text(source)
    done = run(build / "tools/weft", "bind", *arguments, env=drivers.environment("pocl"), cwd=folder)
    same(done.returncode, status, "the exit status")
    for words in said:
        expect(words in done.stderr, f"it does not say {words!r}: {done.stderr}")
    expect(not (folder / "k.h").exists(), "it wrote a header")


REFUSED = [
    ("no file", None, ["-o", "k.h"], 2, "there is no file to bind", "usage: weft bind"),
    ("two files", "", ["k.cl", "k.cl"], 2, "one file at a time"),
    ("an unknown option", "", ["--none", "k.cl"], 2, "usage: weft bind"),
    ("a name that is none", "", ["--name", "1st", "k.cl"], 2, "--name"),
    ("a file that is not there", None, ["k.cl", "-o", "k.h"], 1, "k.cl: No such file or directory"),
    ("a folder", None, [".", "-o", "k.h"], 1, ".: Is a directory"),
    ("an empty file", "", ["k.cl", "-o", "k.h"], 1, "source is empty"),
    ("bytes that are no text", "\0", ["k.cl", "-o", "k.h"], 1, "not a text"),
    ("a program without kernels", "int f(void) { return 1; }\n", ["k.cl", "-o", "k.h"], 1, "has no kernel"),
    ("what does not compile", "\nkernel void f(global int *x) { x[0] = why; }\n", ["k.cl", "-o", "k.h"], 1, "k.cl:2:", "why"),
    ("a header that is not there", '#include "none.h"\nkernel void f(global int *x) { x[0] = 1; }\n', ["k.cl", "-o", "k.h"], 1, "none.h"),
    ("a kernel named like a word of C++", "kernel void template(global int *x) { x[0] = 1; }\n", ["k.cl", "-o", "k.h"], 1,
     "template", "--name"),
    ("a kernel named like the load function", "kernel void k_load(global int *x) { x[0] = 1; }\n", ["k.cl", "-o", "k.h"], 1, "k_load"),
    ("a device that is not there", "kernel void f(global int *x) { x[0] = 1; }\n", ["k.cl", "--device", "gpu:9", "-o", "k.h"], 1,
     "gpu"),
    ("a folder to write to that is not there", "kernel void f(global int *x) { x[0] = 1; }\n", ["k.cl", "-o", "none/k.h"], 1,
     "none/k.h: No such file or directory"),
]


# ---- Build systems ---------------------------------------------------------------------------------------------------

def check_installed(build, drivers, scratch):
    """From an installed weft, CMake and meson make the header, and again when a file that it came from changes."""
    succeed("meson", "install", "-C", build, "--no-rebuild", "--destdir", scratch / "destdir")
    prefix = next(path.parent.parent for path in (scratch / "destdir").rglob("bin/weft"))
    package = next(path.parent for path in prefix.rglob("pkgconfig/weft.pc"))
    env = drivers.environment("pocl") | {"PATH": f"{prefix / 'bin'}:{os.environ['PATH']}", "PKG_CONFIG_PATH": str(package),
                                         "PKG_CONFIG_SYSROOT_DIR": str(scratch / "destdir"), "LD_LIBRARY_PATH": ""}
    project = scratch / "project"
    shutil.copytree(KERNELS, project)
    succeed("cmake", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", "-S", project, "-B", scratch / "by-cmake", env=env)
    succeed("meson", "setup", scratch / "by-meson", project, env=env)
    for change, results in [(None, RESULTS), ("#define STEP 3", RESULTS.replace("10.5", "15.5").replace("8.5", "12.5"))]:
        header = project / "swarm_types.h"
        if change:
            header.write_text(header.read_text().replace("#define STEP 2", change))
        for folder in ("by-cmake", "by-meson"):
            succeed("ninja", "-C", scratch / folder, env=env)
            same(succeed(scratch / folder / "program", env=env | {"LD_LIBRARY_PATH": str(package.parent)}), results, folder)


def check_moved_tool(build, drivers, scratch):
    """The installed command finds its library by itself."""
    succeed("meson", "install", "-C", build, "--no-rebuild", "--destdir", scratch / "moved")
    tool = next((scratch / "moved").rglob("bin/weft"))
    expect("weft" in succeed(tool, "--version", env=drivers.environment("pocl") | {"LD_LIBRARY_PATH": ""}), "no version")


# ---- All of it ---------------------------------------------------------------------------------------------------------

def checks(build, drivers, scratch):
    header = Header(build, drivers, scratch)
    for name in ("pocl", "rusticl", "oclgrind"):
        yield f"the header is the same on {name}", check_same, build, drivers, header, name
    yield "names no folder of this machine", check_names_no_folder, header
    yield "shortens names of included files", check_include_folders, build, drivers, scratch
    yield "lists what it read", check_dependencies, build, drivers, scratch
    yield "binds doubles", check_doubles, build, drivers, scratch
    yield "puts a prefix in front", check_prefix, build, drivers, header, scratch
    for compiler in COMPILERS:
        yield f"{compiler} takes what is right", check_compiles, compiler, header
        for name, line in WRONG.items():
            yield f"{compiler} refuses: {name}", check_refused, compiler, header, line
    yield "checks a struct of the program's own", check_own_struct, header, scratch
    for compiler in COMPILERS:
        yield f"{compiler}'s program computes the right values on pocl", check_program, build, drivers, header, scratch, compiler, "pocl"
    for name in ("rusticl", "oclgrind"):
        yield f"the program computes the right values on {name}", check_program, build, drivers, header, scratch, "gcc", name
    yield "leaks nothing", check_leaks, build, drivers, header, scratch
    for number, (name, *refused) in enumerate(REFUSED):
        yield f"refuses {name}", check_refuses, build, drivers, scratch, number, *refused
    yield "CMake and meson make the header", check_installed, build, drivers, scratch
    yield "an installed weft may be moved", check_moved_tool, build, drivers, scratch


if __name__ == "__main__":
    main(checks)
