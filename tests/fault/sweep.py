#!/usr/bin/env python3
"""Runs the fault sweep on PoCL: every scenario, several at a time.

A call fails with a code or two, once and from then on; --full tries every code that the call can give, and --quick
one way a call. The last line counts faults, or with --quick scenarios, as a test run does.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from run import environment, find_libraries  # noqa: E402

SUMMARY = re.compile(r"^\w+: (?P<injected>\d+) faults injected, .*, (?P<failures>\d+) failures; ", re.M)
BENIGN = re.compile(r"^benign (\d+) (.*)$", re.M)


@dataclass
class Result:
    """One scenario's sweep: what it printed, and what that says."""
    injected: int = 0
    failures: int = 0
    seconds: float = 0
    text: str = ""
    benign: Counter = field(default_factory=Counter)


def run_scenario(program, scenario, options, env):
    start = time.monotonic()
    process = subprocess.run([program, *options, scenario], env=env, capture_output=True, text=True, errors="replace",
                             check=False)
    result = Result(seconds=time.monotonic() - start)
    summary = SUMMARY.search(process.stdout)
    for count, site in BENIGN.findall(process.stdout):
        result.benign[site] += int(count)
    result.text = re.sub(r"^benign .*\n", "", process.stdout, flags=re.M).strip()
    if summary:
        result.injected, result.failures = int(summary["injected"]), int(summary["failures"])
    else:
        result.failures = 1
        result.text += f"\nFAIL {scenario}: exit status {process.returncode}, no summary\n{process.stderr}"
    return result


def run_all(build, jobs, options):
    """Runs every scenario; returns the results by name."""
    program = build / "tests" / "fault" / "fault_sweep"
    scenarios = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    results = {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        env = environment("pocl", find_libraries({}), build, Path(folder, "vendors"), None)
        env["WEFT_CACHE"] = "0"  # but in the scenarios about it
        done = pool.map(lambda name: run_scenario(program, name, options, env), scenarios)
        for name, result in zip(scenarios, done):
            print(f"{result.text} ({result.seconds:.1f} s)", flush=True)
            results[name] = result
    return results


def report_benign(results, full):
    """Prints the sites whose failure does not matter, and why; returns how many of them a full sweep has not met."""
    benign = Counter()
    for result in results.values():
        benign.update(result.benign)
    for site, count in benign.items():
        if count:
            print(f"benign, {count} times: {site}")
        elif full:
            print(f"FAIL benign, but never met: {site}")
    return sum(not count for count in benign.values()) if full else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: Path(text).resolve(), metavar="BUILD_DIR")
    depth = parser.add_mutually_exclusive_group()
    depth.add_argument("--full", action="store_const", const=["--full"], default=[], dest="depth")
    depth.add_argument("--quick", action="store_const", const=["--quick"], dest="depth")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="scenarios at a time")
    options = parser.parse_args()
    quick = options.depth == ["--quick"]

    if "pocl" not in find_libraries({}):
        sys.exit("FAIL: pocl is not installed")
    results = run_all(options.build, options.jobs, options.depth)
    unmet = report_benign(results, options.depth == ["--full"])
    failures = sum(result.failures for result in results.values()) + unmet
    if quick:
        failed = sum(result.failures > 0 for result in results.values())
        print(f"{len(results) - failed} passed, {failed} failed")
    else:
        print(f"faults injected: {sum(result.injected for result in results.values())}, failures: {failures}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
