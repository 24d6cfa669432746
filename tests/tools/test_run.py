#!/usr/bin/env python3
"""Checks `weft run`: test_run.py BUILD_DIR [--driver pocl]...

What launches is checked on every driver asked for (all that are installed when none is), what needs no particular
driver on the first. Expected values are computed here. Prints a line per check and ends with their counts.
"""
import argparse
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import files
import launches
import mistakes
from npy_file import npy
from workplace import COPY, GRID, Problem, Skip, Workplace, equal, expect

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS))
import run as suite  # noqa: E402  how the tests find and choose drivers

DRIVERS = ["pocl", "rusticl", "oclgrind"]


# ---- What it says ------------------------------------------------------------------------------------------

def check_listing(work):
    work.put("k.cl", COPY)
    listed = work.bad(2, "name a kernel of k.cl", "k.cl")
    equal(listed.splitlines(), ["  add_one(float* x, uint n)", "  touch(const float* x)", "  twice(const float* x, float* y)"])
    expect(work.bad(2, "name a kernel", "k.cl", *GRID, "null") == listed, "another list with a launch")
    work.put("one.cl", "kernel void only(local int *a, constant float *b, float4 c) {}\n")
    equal(work.bad(2, "name a kernel", "one.cl").splitlines(), ["  only(local int* a, constant float* b, float4 c)"])


def check_report(work):
    work.put("k.cl", COPY)
    work.put("x.npy", npy("f4", [1, 2, 3, 4]))
    device = work.device()
    lines = work.good("k.cl", "add_one", "--grid", "2x1", "--block", 2, "inout:x.npy:y.npy", 4).splitlines()
    equal(lines[:3], [f"add_one on {device['api']}:{device['id']}, {device['name']}, grid 2, block 2",
                      "  float* x: inout float32 4 from x.npy", "  uint n: 4"])
    expect(re.fullmatch(r"first run: [\d.]+ [num]?s, [\d.]+ GB/s over 32 B of buffers", lines[3]), lines[3])
    equal(lines[4:], ["x: DeviceBuffer([2.0, 3.0, 4.0, 5.0])", "x is in y.npy"])


def check_help(work):
    text = work.good("--help")
    for word in ["--grid", "--block", "--device", "--repeat", "-I", "-D", "--cl-std", "--fast-math", "--build-options", "in:", "inout:",
                 "out:", "raw:", "f32:", "float4:", "struct:", "hex:", "shared:", "null"]:
        expect(word in text, f"--help lacks {word}")
    expect(len(text.splitlines()) < 45 and max(map(len, text.splitlines())) <= 120, "--help is long")


def check_device_option(work):
    work.put("k.cl", COPY)
    name = work.device()
    text = work.good("k.cl", "touch", "--grid", 1, "--block", 1, "--device", f"{name['api'].upper()}:0", "null")
    expect(f" on {name['api']}:0," in text, text)


def check_words_in_any_order(work):
    work.put("-k.cl", COPY)
    work.put("x.npy", npy("f4", [1, 2, 3, 4]))
    work.put("neg.cl", "kernel void put(global float *x, float a, float b, float c, int d) { x[0] = a; x[1] = b; x[2] = c; x[3] = d; }\n")
    work.good("neg.cl", "put", "out:f32:4:y.npy", "-5", "-.5", "--grid", 1, "-inf", "--block=1", "-3")
    equal(work.read("y.npy", "f4", (4,)), [-5, -0.5, -math.inf, -3])
    work.good("--grid", 4, "--block", 1, "--", "-k.cl", "add_one", "inout:x.npy", "4")


def checks_once():
    yield from files.checks()
    yield from mistakes.checks()
    yield "the list of kernels", check_listing
    yield "the report", check_report
    yield "--help", check_help
    yield "--device", check_device_option
    yield "words in any order", check_words_in_any_order


# ---- Running -----------------------------------------------------------------------------------------------

def passes(name, function, weft, driver, env):
    """"passed", "failed" or "skipped"."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            function(Workplace(weft, driver, env, Path(folder)))
        except Skip as skip:
            print(f"skip {driver} {name}: {skip}", flush=True)
            return "skipped"
        except (Problem, OSError, ValueError, struct.error, subprocess.SubprocessError) as problem:
            print(f"FAIL {driver} {name}\n    " + "\n    ".join(str(problem).strip().splitlines()), flush=True)
            return "failed"
    print(f"ok {driver} {name}", flush=True)
    return "passed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: Path(text).resolve(), metavar="BUILD_DIR")
    parser.add_argument("--driver", action="append", choices=suite.DRIVERS, help="may be given several times")
    parser.add_argument("--library", action="append", type=suite.library_option, default=[], metavar="DRIVER=PATH",
                        help="take the driver from this ICD library")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="only checks whose name contains it")
    options = parser.parse_args()
    libraries = suite.find_libraries(dict(options.library))
    weft = options.build / "tools" / "weft"
    count = Counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        os.chmod(folder, 0o755)
        results = []
        for i, driver in enumerate(options.driver or [driver for driver in DRIVERS if driver in libraries]):
            if driver not in libraries:
                print(f"FAIL {driver}: not installed")
                count["failed"] += 1
                continue
            env = suite.environment(driver, libraries, options.build, Path(folder, driver), "") | {"WEFT_DEVICE": driver}
            checks = [*launches.LAUNCHES.items(), *(checks_once() if i == 0 else [])]
            results += [pool.submit(passes, name, function, weft, driver, env) for name, function in checks if options.only in name]
        count.update(result.result() for result in results)
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
