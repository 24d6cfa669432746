#!/usr/bin/env python3
"""Runs every test program once per OpenCL driver, and prints failures, skips and counts.

A driver that is asked for and is not installed is a failure; without --driver, those run that are installed.
Needs a build directory and this source tree, neither meson nor ninja.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from glob import glob
from pathlib import Path

TESTS = Path(__file__).resolve().parent
TIMEOUT_S = int(os.environ.get("WEFT_TEST_TIMEOUT", 300))

# The implementations that each driver of a run consists of; mixed has several platforms side by side.
DRIVERS = {
    "pocl": ["pocl"],
    "rusticl": ["rusticl"],
    "oclgrind": ["oclgrind"],
    "nvidia": ["nvidia"],
    "intel": ["intel"],
    "mixed": ["pocl", "rusticl", "oclgrind"],
}
DEFAULT_DRIVERS = ["pocl", "rusticl", "oclgrind", "mixed"]
LIBRARIES = {
    "pocl": "libpocl.so.*",
    "rusticl": "libRusticlOpenCL.so.*",
    "oclgrind": "liboclgrind-rt-icd.so",
    "nvidia": "libnvidia-opencl.so*",
    "intel": "libintelocl.so",
}
# What changes how weft, the loader or a driver behaves: a run sets what it needs and drops the rest, but WEFT_STRESS,
# which says how long the stress tests are.
SETTINGS = ("WEFT_", "CK_", "OCL_ICD_", "OPENCL_", "POCL_", "RUSTICL_", "OCLGRIND_")
FAILED_TESTS = "exit status 1"  # which Check gives too when a test failed


@dataclass
class Result:
    """One test: outcome is "passed", "failed" or "skipped"."""
    test: str
    outcome: str
    note: str = ""


def sources():
    """Every test program's source, relative to this folder."""
    found = [*TESTS.glob("*/test_*.c"), *TESTS.glob("unit/*/test_*.c")]
    return sorted(str(path.relative_to(TESTS)) for path in found)


def programs(driver):
    """The programs to run on a driver: several platforms only matter to those that use several devices."""
    names = [Path(source).stem for source in sources()]
    return [name for name in names if driver != "mixed" or "cross" in name or "multi" in name]


def read_exceptions():
    """{(driver, "program:test"): reason}"""
    lines = (line.strip() for line in (TESTS / "exceptions.txt").read_text().splitlines())
    entries = (line.split(maxsplit=2) for line in lines if line and not line.startswith("#"))
    return {(driver, test): reason for driver, test, reason in entries}


def find_libraries(overrides):
    """{implementation: path of its ICD library} for those installed."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    own = filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))
    folders = [*own, "/usr/lib/oclgrind", "/usr/lib/*/oclgrind"]
    paths = [path for folder in folders for path in sorted(glob(f"{folder}/*.so*"))] + re.findall(r" => (.+)", known)
    found = {name: path for path in reversed(paths) for name, pattern in LIBRARIES.items()
             if fnmatch(os.path.basename(path), pattern)}
    return found | overrides


def environment(driver, libraries, build, vendors, only, cache_dir=None):
    """The environment of a driver's programs; vendors becomes the folder of its ICD files, and of weft's cache."""
    vendors.mkdir()
    for name in DRIVERS[driver]:
        (vendors / f"{name}.icd").write_text(libraries[name] + "\n")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weft-tests" / "pocl"
    cache.mkdir(parents=True, exist_ok=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS) or name == "WEFT_STRESS"}
    env |= {
        "OCL_ICD_VENDORS": str(vendors),
        "POCL_DEVICES": "pthread pthread",
        "POCL_CACHE_DIR": str(cache),
        "WEFT_CACHE_DIR": str(cache_dir or vendors / "cache"),
        "RUSTICL_ENABLE": "llvmpipe",
        "WEFT_TEST_TIMEOUT": str(TIMEOUT_S),
        "SURFACE_INCLUDE_DIR": str(TESTS.parent / "include"),
        "LD_LIBRARY_PATH": ":".join(filter(None, [str(build / "lib"), env.get("LD_LIBRARY_PATH")])),
    }
    return env | ({"WEFT_TEST_ONLY": only} if only else {})


def execute(path, env):
    """Runs one program; returns (how it ended, "" if well, its TAP, its output)."""
    if not path.exists():
        return "not built: run meson setup --reconfigure and ninja", "", ""
    with tempfile.TemporaryDirectory() as folder:
        tap, output = Path(folder, "tap"), Path(folder, "output")
        with output.open("wb") as stream:
            process = subprocess.Popen([path], env=env | {"CK_TAP_LOG_FILE_NAME": str(tap)}, cwd=folder,
                                       stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True)
        try:
            code = process.wait(TIMEOUT_S + 30)  # the program's own watchdog comes first
        except subprocess.TimeoutExpired:
            code = 124
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # and what it started
            except ProcessLookupError:
                pass
            process.wait()
        ending = {0: "", 1: FAILED_TESTS, 124: f"timed out after {TIMEOUT_S} s"}.get(
            code, f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}")
        return ending, tap.read_text(errors="replace") if tap.exists() else "", output.read_text(errors="replace")


def apply_exceptions(driver, program, results, exceptions):
    """Turns expected failures into skips, and what should have failed into failures."""
    for result in results:
        reason = exceptions.get((driver, f"{program}:{result.test}"))
        if reason and result.outcome == "failed":
            result.outcome, result.note = "skipped", reason
        elif reason and result.outcome == "passed":
            result.outcome, result.note = "failed", f"passes, but tests/exceptions.txt says: {reason}"


def judge(driver, program, ending, tap, output, exceptions, only):
    """The results of one program's run. A crash is no test's expected failure: the tests after it did not run."""
    output, _, listing = re.split(r"^(\d+%: Checks: .*\n|\Z)", output, maxsplit=1, flags=re.M)
    pieces = re.split(r"^RUN (\w+)\n", output, flags=re.M)  # what came before, then test, its output, ...
    said = dict(zip(pieces[1::2], pieces[2::2]))
    skips = dict(re.findall(r"^SKIP (\w+): (.*)", output, re.M))
    places = {test: place for place, test in re.findall(rf"^\S*?(tests/\S+:\d+):[FE]:{program}:(\w+):", listing, re.M)}
    results = []
    for verdict, test, message in re.findall(
            rf"^(ok|not ok) \d+ - [^\n]*?:{program}:(\w+): (.*?)\n(?=ok |not ok |1\.\.|\Z)", tap, re.M | re.S):
        if verdict == "not ok":
            results.append(Result(test, "failed", f"{places.get(test, program)}: {message}\n{said.get(test, '')}"))
        elif test in skips:
            results.append(Result(test, "skipped", skips[test]))
        else:
            results.append(Result(test, "passed"))
    apply_exceptions(driver, program, results, exceptions)
    planned = re.search(r"^1\.\.(\d+)$", tap, re.M)
    whole = planned and int(planned[1]) == len(results) and (results or only)
    if ending == FAILED_TESTS and any(result.outcome == "failed" or (driver, f"{program}:{result.test}") in exceptions
                                      for result in results):
        ending = ""
    if ending or not whole:
        last = pieces[-2] if len(pieces) > 1 else "(start)"
        test = last if last not in {result.test for result in results} else "(exit)"
        results.append(Result(test, "failed", f"{ending or 'ended early'}\n{pieces[-1]}"))
    return results


def report(driver, program, results, seconds):
    for result in results:
        if result.outcome == "failed":
            note = "\n    ".join(result.note.strip().splitlines())
            print(f"FAIL {driver} {program}:{result.test}\n    {note}")
        elif result.outcome == "skipped":
            print(f"skip {driver} {program}:{result.test}: {result.note}")
    count = Counter(result.outcome for result in results)
    if results:
        print(f"{driver} {program}: {summary(count)} ({seconds:.1f} s)", flush=True)
    return count


def summary(count):
    return f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped"


def run_program(driver, program, env, exceptions, options):
    start = time.monotonic()
    results = judge(driver, program, *execute(options.build / "tests" / program, env), exceptions, options.only)
    return results, time.monotonic() - start


def finish(driver, runs, exceptions, options):
    """Waits for a driver's runs, {program: future}, and reports them; returns the counts."""
    total, seen = Counter(), set()
    for program, future in runs.items():
        results, seconds = future.result()
        total += report(driver, program, results, seconds)
        seen |= {f"{program}:{result.test}" for result in results}
    for name, test in exceptions:
        if name == driver and test not in seen and not options.only:
            print(f"FAIL {driver} {test}\n    no such test ran, but tests/exceptions.txt names it")
            total["failed"] += 1
    print(f"{driver}: {summary(total)}", flush=True)
    return total


def library_option(text):
    driver, _, path = text.partition("=")
    if driver not in LIBRARIES or not os.path.exists(path):
        raise argparse.ArgumentTypeError(f"{text!r} is not DRIVER=PATH of a library")
    return driver, os.path.abspath(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: Path(text).resolve(), nargs="?", metavar="BUILD_DIR")
    parser.add_argument("--driver", action="append", choices=DRIVERS, help="may be given several times")
    parser.add_argument("--library", action="append", type=library_option, default=[], metavar="DRIVER=PATH",
                        help="take the driver from this ICD library")
    parser.add_argument("--only", metavar="SUBSTRING", help="only tests whose PROGRAM:TEST contains it")
    parser.add_argument("--cache", type=lambda text: Path(text).resolve(), metavar="DIR",
                        help="weft's cache of compiled programs; a new one each time without it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="programs at a time")
    parser.add_argument("--list", action="store_true", help="print the programs' sources and do nothing else")
    options = parser.parse_args()
    if options.list:
        print(*sources(), sep="\n")
        return 0
    if not options.build:
        parser.error("BUILD_DIR is missing")

    libraries = find_libraries(dict(options.library))
    missing = {driver: [part for part in parts if part not in libraries] for driver, parts in DRIVERS.items()}
    exceptions = read_exceptions()
    total = Counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        runs = {}
        installed = [name for name in DEFAULT_DRIVERS if not missing[name]]
        for driver in dict.fromkeys(options.driver or installed):
            if missing[driver]:
                print(f"FAIL {driver}: not installed: {', '.join(missing[driver])}")
                total["failed"] += 1
                continue
            env = environment(driver, libraries, options.build, Path(folder, driver), options.only,
                              options.cache)
            runs[driver] = {program: pool.submit(run_program, driver, program, env, exceptions, options)
                            for program in programs(driver)}
        for driver in runs:
            total += finish(driver, runs[driver], exceptions, options)
    print(summary(total))
    return 0 if total["passed"] and not total["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
