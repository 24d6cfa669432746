#!/usr/bin/env python3
"""Prints which lines and branches of lib have run, and holds the lines that have not against tests/coverage/uncovered.txt.

A line that has not run needs a reason there. One that has run, though a reason says that it cannot, is a failure too
with --full, after every driver's tests. Needs gcovr, and the counts of a build with -Db_coverage=true.
"""
import argparse
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REASONS = ROOT / "tests" / "coverage" / "uncovered.txt"


@dataclass
class Source:
    """One file's counts."""
    path: str
    lines: int = 0
    covered_lines: int = 0
    branches: int = 0
    covered_branches: int = 0
    uncovered: list = field(default_factory=list)  # (line number, function, text)


@dataclass
class Reason:
    """Why lines of a function do not run; text "*" means all of it."""
    place: tuple  # path, function, text
    text: str
    sometimes: bool  # in some runs they do
    others: bool     # on other drivers they do
    used: int = 0


def measure(build):
    """What gcovr says of each file of lib."""
    # Counts of processes that end at the same moment may be off by one, and below 0, which gcovr does not read.
    command = ["gcovr", "--root", ROOT, "--filter", f"{ROOT}/lib/", "--gcov-ignore-parse-errors", "--json", "--", build / "lib"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return [read_file(entry) for entry in answer["files"]]


def read_file(entry):
    source = Source(entry["file"])
    text = (ROOT / source.path).read_text().splitlines()
    starts = sorted((function["lineno"], function["name"]) for function in entry["functions"])
    for line in entry["lines"]:
        if line.get("gcovr/noncode"):
            continue
        number = line["line_number"]
        source.lines += 1
        source.covered_lines += line["count"] > 0
        source.branches += len(line["branches"])
        source.covered_branches += sum(branch["count"] > 0 for branch in line["branches"])
        if line["count"] == 0:
            function = next((name for start, name in reversed(starts) if start <= number), "")
            source.uncovered.append((number, function, text[number - 1].strip()))
    return source


def read_reasons():
    """Paragraphs: why, then the places, indented: PATH FUNCTION: TEXT OF THE LINE."""
    reasons, why = [], ""
    for line in REASONS.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            why = ""
        elif line.startswith(" "):
            where, _, text = line.strip().partition(": ")
            path, function = where.split()
            reasons.append(Reason((path, function, text), why, why.startswith("Sometimes"), why.startswith("Not on PoCL")))
        else:
            why = f"{why} {line}".strip()
    return reasons


def find_reason(reasons, path, function, text):
    return next((it for it in reasons if it.place in ((path, function, text), (path, function, "*"))), None)


def percent(part, whole):
    return 100 * part / whole if whole else 100.0


def print_table(sources):
    print(f"{'file':32} {'lines':>6} {'%':>6}  {'branches':>8} {'%':>6}")
    for source in sources:
        print(f"{source.path:32} {source.lines:6} {percent(source.covered_lines, source.lines):6.1f}  "
              f"{source.branches:8} {percent(source.covered_branches, source.branches):6.1f}")


def judge(sources, reasons, full):
    """Prints each uncovered line; returns how many have a reason, and the failures."""
    with_reason, failures = 0, []
    for source in sources:
        for number, function, text in source.uncovered:
            reason = find_reason(reasons, source.path, function, text)
            if reason and not (reason.others and full):
                reason.used += 1
                with_reason += 1
            else:
                failures.append(f"{source.path}:{number}: no test runs this, and no reason says why: {function}: {text}")
            print(f"{source.path}:{number}: {text}\n    {reason.text if reason else 'WITHOUT A REASON'}")
    if full:
        failures += [f"{' '.join(it.place)}: runs, but tests/coverage/uncovered.txt says: {it.text}" for it in reasons
                     if not it.used and not it.sometimes and not it.others]
    return with_reason, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: Path(text).resolve(), metavar="BUILD_DIR")
    parser.add_argument("--full", action="store_true", help="the tests ran on every driver")
    options = parser.parse_args()
    sources = measure(options.build)
    if not sources:
        sys.exit("FAIL: no counts: build with -Db_coverage=true, and run tests")
    print_table(sources)
    with_reason, failures = judge(sources, read_reasons(), options.full)
    for failure in failures:
        print(f"FAIL {failure}")

    def total(name):
        return sum(getattr(source, name) for source in sources)
    without = total("lines") - total("covered_lines") - with_reason
    print(f"coverage: lines {percent(total('covered_lines'), total('lines')):.1f} %, "
          f"branches {percent(total('covered_branches'), total('branches')):.1f} %, "
          f"{with_reason} lines uncovered with a reason, {without} without")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
