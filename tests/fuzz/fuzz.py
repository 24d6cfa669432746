#!/usr/bin/env python3
"""Runs the fuzzers on PoCL, side by side, for a minute; with --full for a quarter of an hour, half an hour in all.

What they learn stays in BUILD_DIR/corpus. An input that fails is kept in BUILD_DIR/failures, and the fuzzer run again
with that file as its argument shows the failure again. The last line counts inputs.
"""
import argparse
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from run import TESTS, environment, find_libraries  # noqa: E402

FUZZERS = ["fuzz_calls", "fuzz_launch"]
LONGEST_INPUT = 1000
EXECUTED = re.compile(r"^stat::number_of_executed_units: (\d+)", re.M)
COVERAGE = re.compile(r"^#\d+\s.* cov: (\d+)", re.M)
NOISE = re.compile(r"^(#|INFO: |\s*NEW_FUNC|==\d+==WARNING: AddressSanitizer failed to allocate|\".*\" # Uses|stat::).*\n", re.M)


@dataclass
class Result:
    name: str
    inputs: int
    edges: int
    failures: int
    text: str = ""


def sanitizers(leaks):
    """Huge sizes are meant to fail, as they do without a sanitizer; drivers' threads do without signal stacks; and no
    driver's handler may keep an abort from saving its input."""
    return {
        "ASAN_OPTIONS": "allocator_may_return_null=1:use_sigaltstack=0:handle_abort=2:quarantine_size_mb=32:"
                        f"detect_leaks={leaks}",
        "LSAN_OPTIONS": f"suppressions={TESTS / 'sanitizers' / 'leaks.txt'}:print_suppressions=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }


def seed(corpus):
    """Long inputs to begin with, always the same."""
    corpus.mkdir(parents=True, exist_ok=True)
    source = random.Random(1)
    for i in range(32):
        (corpus / f"seed{i:02}").write_bytes(source.randbytes(100 + 25 * i))


def fuzz(build, name, seconds, numbers, env):
    program, corpus = build / "tests" / "fuzz" / name, build / "corpus" / name
    failures = build / "failures"
    failures.mkdir(exist_ok=True)
    seed(corpus)
    options = [f"-max_len={LONGEST_INPUT}", "-len_control=0", "-malloc_limit_mb=1000000000", "-rss_limit_mb=4096", "-timeout=60",
               "-detect_leaks=0", "-print_final_stats=1", f"-artifact_prefix={failures}/{name}-"]
    # The drivers keep what they compile; compiling itself leaks.
    warm = subprocess.run([program, "-runs=0", *options], env=env | sanitizers(leaks=0), capture_output=True, text=True,
                          errors="replace", check=False)
    if warm.returncode:
        return Result(name, 0, 0, 1, warm.stdout + warm.stderr)
    process = subprocess.run([program, f"-max_total_time={seconds}", f"-seed={numbers}", *options, corpus],
                             env=env | sanitizers(leaks=1), capture_output=True, text=True, errors="replace", check=False)
    executed = EXECUTED.search(process.stderr)
    edges = COVERAGE.findall(process.stderr)
    failed = process.returncode != 0 or not executed
    return Result(name, int(executed[1]) if executed else 0, int(edges[-1]) if edges else 0, int(failed),
                  NOISE.sub("", process.stderr) if failed else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: Path(text).resolve(), metavar="BUILD_DIR")
    parser.add_argument("--full", action="store_const", const=900, default=60, dest="seconds", help="15 minutes each")
    options = parser.parse_args()
    # A short run begins with the same inputs each time, so that what it finds is a change's; a long one with others.
    numbers = 1 if options.seconds == 60 else random.randrange(1, 1 << 31)

    if "pocl" not in find_libraries({}):
        sys.exit("FAIL: pocl is not installed")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(FUZZERS)) as pool:
        env = environment("pocl", find_libraries({}), options.build, Path(folder, "vendors"), None)
        env["POCL_WORK_GROUP_SPECIALIZATION"] = "0"  # else each new block size compiles
        env["POCL_MAX_PTHREAD_COUNT"] = "4"  # else two queues rarely run at once
        results = list(pool.map(lambda name: fuzz(options.build, name, options.seconds, numbers, env), FUZZERS))
    for result in results:
        print(f"{result.text}{result.name}: {result.inputs} inputs, {result.edges} edges, {result.failures} failures")
    failures = sum(result.failures for result in results)
    print(f"fuzz: {sum(result.inputs for result in results)} inputs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
