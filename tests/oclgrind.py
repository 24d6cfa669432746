#!/usr/bin/env python3
"""Runs every test that launches kernels, and the examples, under Oclgrind's checks of API calls, data races and
uninitialised values.

A test passes when it passes and Oclgrind reports nothing. Each runs in a process of its own, since the checks carry what
they know of memory over from one cl_context to the next.
"""
import argparse
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from run import TESTS, TIMEOUT_S, environment, find_libraries, sources

CHECKS = {"OCLGRIND_CHECK_API": "1", "OCLGRIND_DATA_RACES": "1", "OCLGRIND_UNINITIALIZED": "1"}
FOLDERS = ("cases", "kernels", "model", "surface")  # the others launch nothing of their own, or run for long
THREADS = "Oclgrind's check of uninitialised values crashes on threads but the main one"
VECTORS = "Oclgrind takes a vector that is put together from scalars for uninitialised"
SHADOWS = "Oclgrind keeps a shadow of all memory, which grows"
PARTS = "once a part of a buffer was written, Oclgrind takes the rest for uninitialised: here the record of failed assertions"
# Reasons by "program:test", or program.
NOT_RUN = {
    "example:tensor": PARTS,
    "test_assert": PARTS,
    "test_graph_launches:tensors_and_assertions": PARTS,
    "test_graph_launches:the_node_that_fails_is_named": PARTS,
    "test_threads": THREADS,
    "test_thread_graphs": THREADS,
    "test_rare_use:scalars_beside_a_misaligned_view": VECTORS,
    "test_lifetime:c57_kernel_keeps_no_memory": SHADOWS,
    "test_views:c05_memory_returns_after_the_last_view": SHADOWS,
}
EXAMPLE = "example"
REPORT = re.compile(r"^(?:(?:Write-write|Read-write) data race|Uninitialized|Invalid|Oclgrind - OpenCL runtime error|"
                    r"Work-items? |Memory |Unaligned |Index ).*(?:\n\t.*)*", re.M)
# Sources that are not to compile are what some tests are about.
EXPECTED = re.compile(r"Function: clBuildProgram\n\tError: +CL_BUILD_PROGRAM_FAILURE")


def tests(build):
    """(program, test) of all, and (EXAMPLE, program)."""
    for path in sorted((build / "examples").iterdir()):
        if path.is_file() and os.access(path, os.X_OK):
            yield EXAMPLE, path.name
    for source in sources():
        if source.split("/")[0] in FOLDERS:
            for test in re.findall(r"^START_TEST\((\w+)\)", (TESTS / source).read_text(), re.M):
                yield Path(source).stem, test


def reports(text):
    return [report for report in REPORT.findall(text) if not EXPECTED.search(report)]


def small_picture(folder, width=20, height=12):
    """A PNG that an interpreter is done with in seconds."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + bytes((x * y + c) % 256 for x in range(width) for c in range(3)) for y in range(height))
    path = Path(folder, "picture.png")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    return path


def run_checked(command, env):
    """Returns (what is wrong or "", standard output)."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        try:
            done = subprocess.run(command, env=env | {"OCLGRIND_LOG": str(log)}, cwd=folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return f"timed out after {TIMEOUT_S} s", ""
        found = reports(log.read_text(errors="replace") if log.exists() else "")
    if done.returncode:
        return f"exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}", ""
    return f"{len(found)} reports, the first one:\n{found[0]}" if found else "", done.stdout


def run_test(program, test, build, env):
    """Returns (outcome, note)."""
    reason = NOT_RUN.get(program) or NOT_RUN.get(f"{program}:{test}")
    if reason:
        return "skipped", reason
    if program == EXAMPLE:
        with tempfile.TemporaryDirectory() as folder:
            arguments = [small_picture(folder), f"{folder}/blurred.png"] if test == "image_blur" else []
            wrong, _ = run_checked([build / "examples" / test, *arguments], env)
        return ("failed", wrong) if wrong else ("passed", "")
    wrong, said = run_checked([build / "tests" / program], env | {"WEFT_TEST_ONLY": f"{program}:{test}"})
    if not wrong and f"RUN {test}\n" not in said:
        wrong = "no such test ran"
    skip = re.search(r"^SKIP \w+: (.*)", said, re.M)
    return ("failed", wrong) if wrong else ("skipped", skip[1]) if skip else ("passed", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: Path(text).resolve(), metavar="BUILD_DIR")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="only tests whose PROGRAM:TEST contains it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="tests at a time")
    options = parser.parse_args()

    chosen = [pair for pair in tests(options.build) if options.only in ":".join(pair)]
    total = Counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        env = environment("oclgrind", find_libraries({}), options.build, Path(folder, "vendors"), None) | CHECKS
        env["OPENCL_LAYERS"] = str(options.build / "tests/libplain_fills.so")
        results = pool.map(lambda pair: run_test(*pair, options.build, env), chosen)
        for (program, test), (outcome, note) in zip(chosen, results):
            total[outcome] += 1
            if outcome != "passed":
                print(f"{'FAIL' if outcome == 'failed' else 'skip'} {program}:{test}: {note}", flush=True)
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 0 if total["passed"] and not total["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
