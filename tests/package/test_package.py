#!/usr/bin/env python3
"""Checks what weft gives to other programs: test_package.py BUILD_DIR.

The built library's symbols and link properties; the headers and the calls they accept and refuse, in C and C++ with
gcc and clang; an installed weft under pkg-config and CMake; weft as a meson subproject. Prints a line per check.
"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from difflib import unified_diff
from pathlib import Path

import abi
import calls

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INCLUDE = ROOT / "include"
HEADERS = sorted(INCLUDE.glob("weft/*.h"))
COMPILERS = {"gcc": "c11", "clang": "c11", "g++": "c++17", "clang++": "c++17"}
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
LIBRARY_ONLY = ["-Dtests=false", "-Dexamples=false", "-Dtools=false"]


class Problem(Exception):
    """What a check has found, for the reader."""


def expect(condition, problem):
    if not condition:
        raise Problem(problem)


def run(*command, **environment):
    """Runs a command and returns its output; a failing one is a Problem."""
    done = subprocess.run(command, env=os.environ | environment, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(done.returncode == 0, " ".join(map(str, command)) + "\n" + done.stdout)
    return done.stdout


# ---- The built library ------------------------------------------------------------------------------------

def version():
    text = (INCLUDE / "weft/status.h").read_text()
    return ".".join(re.search(rf"WEFT_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def library(build):
    return build / "lib" / f"libweft.so.{version()}"


def check_exports(build):
    """What the headers declare is exported, and nothing else."""
    text = re.sub(r"/\*.*?\*/", "", "".join(header.read_text() for header in HEADERS), flags=re.S)
    declared = set(re.findall(r"WEFT_API[^;(]*?\b(weft_\w+)\s*\(", text))
    symbols = run("nm", "-D", "--defined-only", "--format=posix", library(build))
    exported = set(re.findall(r"^([^\s@]+)", symbols, re.M))
    expect(declared == exported, f"only exported: {sorted(exported - declared)}\n"
                                 f"only declared: {sorted(declared - exported)}")


def check_interface():
    """Nothing in it changes unnoticed: docs/versions.md says what may change when, abi.py --write keeps a change."""
    kept, now = abi.KEPT.read_text().splitlines(), abi.listing().splitlines()
    expect(kept == now, "abi.txt differs:\n" + "\n".join(unified_diff(kept, now, "kept", "now", lineterm="", n=0)))


def check_soname(build):
    """Until 1.0 an interface is a minor version's."""
    major, minor, _ = version().split(".")
    soname = f"libweft.so.{major}.{minor}" if major == "0" else f"libweft.so.{major}"
    dynamic = run("readelf", "-dW", library(build))
    expect(f"Library soname: [{soname}]" in dynamic, f"is not {soname}:\n{dynamic}")


def check_nodelete(build):
    dynamic = run("readelf", "-dW", library(build))
    expect(re.search(r"FLAGS_1.*NODELETE", dynamic), dynamic)


def check_stack(build):
    segments = run("readelf", "-lW", library(build))
    expect(re.search(r"GNU_STACK.* RW ", segments), segments)


def check_rpath(build):
    dynamic = run("readelf", "-dW", library(build))
    expect("PATH" not in dynamic, dynamic)


# ---- The headers ------------------------------------------------------------------------------------------

def compile_text(compiler, flags, text):
    """Compiles text to nothing; returns whether it compiled, and what the compiler said."""
    language = "c" if COMPILERS[compiler] == "c11" else "c++"
    done = subprocess.run([compiler, f"-std={COMPILERS[compiler]}", f"-I{INCLUDE}", *flags, "-x", language, "-c", "-",
                           "-o", os.devnull], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout


def check_compiles(compiler, text):
    compiled, said = compile_text(compiler, STRICT, text)
    expect(compiled, said)


def check_refused(compiler, text):
    """By the warnings that are on unasked."""
    compiled, _ = compile_text(compiler, ["-Werror"], text)
    expect(not compiled, "compiles")


# ---- Programs outside the tree ----------------------------------------------------------------------------

def build_with_cmake(prefix, build):
    run("cmake", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", "-S", HERE / "program", "-B", build)
    run("cmake", "--build", build)
    check_output(build / "program")


def check_output(program, *library_folders):
    said = run(program, LD_LIBRARY_PATH=":".join(map(str, library_folders)))
    expect(said == version() + "\n", f"prints {said!r}")


def check_destdir(build, scratch):
    """An installation under DESTDIR holds the library, its links, every header, and both packages."""
    run("meson", "install", "-C", build, "--no-rebuild", "--destdir", scratch / "destdir")
    installed = {path.name for path in (scratch / "destdir").rglob("*")}
    wanted = {header.name for header in HEADERS} | {
        "libweft.so", library(build).name, "weft.pc", "weftConfig.cmake", "weftConfigVersion.cmake"}
    expect(wanted <= installed, f"missing: {sorted(wanted - installed)}")


def check_install(scratch):
    run("meson", "setup", *LIBRARY_ONLY, f"--prefix={scratch / 'prefix'}", "--libdir=lib", scratch / "library", ROOT)
    run("meson", "install", "-C", scratch / "library")


def check_pkg_config(scratch):
    search = str(scratch / "prefix/lib/pkgconfig")
    flags = run("pkg-config", "--cflags", "--libs", "weft", PKG_CONFIG_PATH=search).split()
    for compiler in ("gcc", "clang"):
        program = scratch / f"program-{compiler}"
        run(compiler, "-std=c11", *STRICT, HERE / "program/main.c", "-o", program, *flags)
        check_output(program, scratch / "prefix/lib")


def check_cmake(scratch):
    build_with_cmake(scratch / "prefix", scratch / "cmake")


def check_cmake_moved(scratch):
    """An installed weft may be moved."""
    (scratch / "prefix").rename(scratch / "moved")
    build_with_cmake(scratch / "moved", scratch / "cmake-moved")


def check_subproject(scratch):
    """As a subproject weft is its library and nothing more."""
    user = scratch / "user"
    (user / "subprojects").mkdir(parents=True)
    (user / "subprojects/weft").symlink_to(ROOT)
    for name in ("main.c", "meson.build"):
        (user / name).write_text((HERE / "program" / name).read_text())
    run("meson", "setup", "--wrap-mode=forcefallback", user / "build", user)
    run("meson", "compile", "-C", user / "build")
    check_output(user / "build/program")
    more = [name for name in ("tests", "examples", "tools") if (user / "build/subprojects/weft" / name).exists()]
    expect(not more, f"also builds: {more}")


# ---- All of it --------------------------------------------------------------------------------------------

def checks(build, scratch):
    """(name, function, its arguments) of every check that can run beside the others."""
    yield "exports what the headers declare, and nothing else", check_exports, build
    yield "has the interface that is written down", check_interface
    yield "has a versioned soname", check_soname, build
    yield "is never unloaded", check_nodelete, build
    yield "needs no executable stack", check_stack, build
    yield "has no run path", check_rpath, build
    for compiler in COMPILERS:
        for header in HEADERS:
            text = f"#include <weft/{header.name}>\n"
            yield f"{compiler} takes {header.name} alone", check_compiles, compiler, text
        for name, line in calls.RIGHT.items():
            yield f"{compiler} takes: {name}", check_compiles, compiler, calls.FRAME.format(line=line)
        for name, line in calls.WRONG.items():
            yield f"{compiler} refuses: {name}", check_refused, compiler, calls.FRAME.format(line=line)
    yield "installs under DESTDIR", check_destdir, build, scratch
    yield "builds as a subproject", check_subproject, scratch


def checks_in_order(scratch):
    yield "installs into a prefix", check_install, scratch
    yield "builds with pkg-config", check_pkg_config, scratch
    yield "builds with CMake", check_cmake, scratch
    yield "may be moved", check_cmake_moved, scratch


def passes(name, function, *arguments):
    try:
        function(*arguments)
    except (Problem, OSError) as problem:
        print(f"FAIL {name}\n    " + "\n    ".join(str(problem).strip().splitlines()), flush=True)
        return False
    print(f"ok {name}", flush=True)
    return True


def main():
    build = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        scratch = Path(folder)
        results = list(pool.map(lambda check: passes(*check), checks(build, scratch)))
        results += [passes(*check) for check in checks_in_order(scratch)]
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
