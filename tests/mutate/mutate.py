#!/usr/bin/env python3
"""Makes small mistakes in lib, one at a time, and counts how many the tests on PoCL notice.

Each mutant is built in a copy of the tree. One that does not compile, or compiles to the same code, does not count; a
test that fails, crashes or hangs notices it. Mutants are drawn from a seed, more of them from larger files. The
programs run one after the other, first those that noticed most for their time, up to the first failure: test programs,
then scenarios of the fault sweep as well. What nothing noticed is printed as a diff.
"""
import argparse
import difflib
import hashlib
import itertools
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mutations import mutations

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import run as suite  # noqa: E402

COPIED = ["docs", "include", "kernels", "lib", "tests", "meson.build", "meson_options.txt"]
GIB = 1 << 30
# A mutant may ask for anything.
LIMITS = {resource.RLIMIT_AS: 16 * GIB, resource.RLIMIT_FSIZE: GIB, resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: 300}
LEAST_TIMEOUT_S, TIMEOUT_FACTOR = 20, 6  # on a machine that does nothing else
NEEDED = 0.9


@dataclass(frozen=True)
class Mutant:
    path: str  # below ROOT
    before: str
    after: str
    kind: str

    def diff(self):
        lines = difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), self.path, f"{self.path} ({self.kind})",
                                     n=2, lineterm="")
        return "\n".join(lines)


@dataclass(frozen=True)
class Check:
    """A test program, or a scenario of the fault sweep."""
    name: str
    is_scenario: bool = False


def draw(seed, only):
    """Mutants without end, each once: a file by its size, then a kind of mistake, then a place."""
    chance = random.Random(seed)
    sources = {path: path.read_text() for path in sorted((ROOT / "lib").glob("*/*.[ch]")) if only in str(path)}
    places = {path: mutations(text) for path, text in sources.items()}
    while any(places.values()):
        paths = [path for path in places if places[path]]
        path = chance.choices(paths, [len(sources[it].splitlines()) for it in paths])[0]
        kind = chance.choice(sorted({it.kind for it in places[path]}))
        mutation = chance.choice([it for it in places[path] if it.kind == kind])
        places[path].remove(mutation)
        yield Mutant(str(path.relative_to(ROOT)), sources[path], mutation.apply(sources[path]), kind)


def files_of(root):
    """What is copied."""
    found = [path for name in COPIED for path in (sorted((root / name).rglob("*")) if (root / name).is_dir() else [root / name])]
    return [path for path in found if path.is_file() and "__pycache__" not in path.parts]


class Tree:
    """A copy of the sources with a build of its own."""

    def __init__(self, folder):
        self.source, self.build, self.home = folder / "source", folder / "build", folder / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.copy()
        setup = ["meson", "setup", *(["--reconfigure"] if (self.build / "build.ninja").exists() else []), self.build, self.source,
                 "-Dbuildtype=plain", "-Doptimization=2", "-Dwarning_level=0", "-Dwerror=false", "-Dtools=false",
                 "-Dexamples=false"]
        subprocess.run(setup, check=True, stdout=subprocess.DEVNULL, cwd=folder, env=os.environ | {"CC": "gcc", "CXX": "g++"})
        if not self.make():
            sys.exit("FAIL: what is not mutated does not build")
        self.objects = self.read_objects()

    def copy(self):
        """Makes the sources the same as ROOT's, and touches no file that is."""
        wanted = {self.source / path.relative_to(ROOT): path for path in files_of(ROOT)}
        for copy in set(self.source.rglob("*")) - set(wanted):
            if copy.is_file():
                copy.unlink()
        for copy, path in wanted.items():
            if not copy.exists() or copy.read_bytes() != path.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
                shutil.copymode(path, copy)

    def make(self, *targets):
        return subprocess.run(["ninja", "--quiet", "-C", self.build, *targets], check=False, stdout=subprocess.DEVNULL).returncode == 0

    def read_objects(self):
        """Without debug information, so that the same code is the same object."""
        return {path.name: path.read_bytes() for path in (self.build / "lib").glob("libweft.so*.p/*.o")}

    def apply(self, mutant):
        """Builds the mutant's library; returns why it does not count, or ""."""
        path = self.source / mutant.path
        path.write_text(mutant.after)
        if not self.make(*(str(it.relative_to(self.build)) for it in self.library())):
            return "does not compile"
        return "the same code" if self.read_objects() == self.objects else ""

    def library(self):
        return [path for path in (self.build / "lib").glob("libweft.so.*.*.*") if path.is_file()]

    def restore(self, mutant):
        (self.source / mutant.path).write_text(mutant.before)


class Tests:
    """The checks, how long they take, and which of them notice most."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.noticed = Counter()  # by "CHECK", and by "FOLDER OF LIB/CHECK"
        self.seconds = {}
        self.checks = []
        self.state = folder / "state.json"  # so that a tree that has passed need not pass again

    def environment(self, tree, vendors):
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")  # a mutant's kernels stay out of the user's
        return suite.environment("pocl", suite.find_libraries({}), tree.build, vendors, None)

    def learn(self, trees, pool):
        """Runs everything once, on what is not mutated; ends this program if something fails."""
        sweep = trees[0].build / "tests" / "fault" / "fault_sweep"
        scenarios = subprocess.run([sweep, "--list"], capture_output=True, text=True, check=True).stdout.split()
        self.checks = [Check(name) for name in suite.programs("pocl")] + [Check(name, True) for name in scenarios]
        sources = hashlib.sha256(b"".join(path.read_bytes() for path in files_of(trees[0].source))).hexdigest()
        state = json.loads(self.state.read_text()) if self.state.exists() else {}
        self.noticed.update(state.get("noticed", {}))
        if state.get("sources") == sources:
            self.seconds = {check: state["seconds"][check.name] for check in self.checks}
            return
        self.seconds = dict.fromkeys(self.checks, 60.0)

        def learn_one(tree, check):
            start = time.monotonic()
            failed = self.fails(tree, check)
            if failed:
                sys.exit(f"FAIL: {check.name} {failed} on what is not mutated")
            return time.monotonic() - start
        self.seconds = dict(zip(self.checks, pool.map(learn_one, itertools.cycle(trees), self.checks)))
        self.save(sources)

    def save(self, sources):
        seconds = {check.name: spent for check, spent in self.seconds.items()}
        self.state.write_text(json.dumps({"sources": sources, "seconds": seconds, "noticed": self.noticed}))

    def fails(self, tree, check):
        """How the check failed, "" if it passed."""
        busy = max(1, os.getloadavg()[0] / os.cpu_count())
        limit = int(busy * max(LEAST_TIMEOUT_S, TIMEOUT_FACTOR * self.seconds[check]))
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            env = self.environment(tree, Path(folder, "vendors")) | {
                "HOME": str(tree.home), "TMPDIR": folder, "WEFT_TEST_TIMEOUT": str(limit),
                "SURFACE_INCLUDE_DIR": str(tree.source / "include")}
            if check.is_scenario:
                env["WEFT_CACHE"] = "0"  # as sweep.py has it
                command = ["timeout", "--kill-after=1", str(limit), tree.build / "tests" / "fault" / "fault_sweep", "--quick",
                           check.name]
                code = subprocess.run(command, env=env, check=False, capture_output=True, stdin=subprocess.DEVNULL).returncode
                return "hangs" if code in (124, 137) else "fails" if code else ""
            tree.make(f"tests/{check.name}")  # those of parts of lib are linked anew
            ending, tap, output = suite.execute(tree.build / "tests" / check.name, env)
            results = suite.judge("pocl", check.name, ending, tap, output, suite.read_exceptions(), None)
            failed = any(result.outcome == "failed" for result in results)
            return "hangs" if "timed out" in ending else "fails" if failed else ""

    def order(self, mutant):
        area, stem = Path(mutant.path).parent.name, Path(mutant.path).stem

        def cost(check):
            named = 20 if check.name == f"test_{stem}" else 0
            return self.seconds[check] / (1 + named + self.noticed[check.name] + 5 * self.noticed[f"{area}/{check.name}"])
        with self.lock:
            return sorted(self.checks, key=cost)

    def notice(self, tree, mutant):
        """What the first check that fails does, "" if there is none."""
        for check in self.order(mutant):
            failed = self.fails(tree, check)
            if failed:
                with self.lock:
                    self.noticed[check.name] += 1
                    self.noticed[f"{Path(mutant.path).parent.name}/{check.name}"] += 1
                return f"{check.name} {failed}"
        return ""


class Sample:
    """The mutants that count, up to so many, and what became of each."""

    def __init__(self, mutants, count):
        self.mutants, self.count = mutants, count
        self.lock = threading.Lock()
        self.ran = self.taken = self.dropped = 0
        self.survivors = []

    def next(self):
        with self.lock:
            if self.taken == self.count:
                return None
            self.taken += 1
            return next(self.mutants, None)

    def drop(self):
        with self.lock:
            self.taken -= 1
            self.dropped += 1

    def note(self, mutant, notice):
        with self.lock:
            self.ran += 1
            print(f"{self.ran}: {mutant.path} ({mutant.kind}): {notice or 'NOT NOTICED'}", flush=True)
            if not notice:
                self.survivors.append(mutant)
                print(mutant.diff(), flush=True)


def work(tree, tests, sample):
    while mutant := sample.next():
        if tree.apply(mutant):
            sample.drop()
        else:
            sample.note(mutant, tests.notice(tree, mutant))
        tree.restore(mutant)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda text: Path(text).resolve(), metavar="FOLDER", help="for the copies and their builds")
    parser.add_argument("--count", type=int, default=10, metavar="N", help="mutants that count")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="only files of lib whose path contains it")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="mutants at a time")
    options = parser.parse_args()

    if "pocl" not in suite.find_libraries({}):
        sys.exit("FAIL: pocl is not installed")
    with ThreadPoolExecutor(options.jobs) as pool:
        trees = list(pool.map(Tree, [options.folder / str(job) for job in range(options.jobs)]))
        for what, limit in LIMITS.items():
            resource.setrlimit(what, (limit, limit))
        tests = Tests(options.folder)
        tests.learn(trees, pool)
        sample = Sample(draw(options.seed, options.only), options.count)
        for job in [pool.submit(work, tree, tests, sample) for tree in trees]:
            job.result()
    noticed = sample.ran - len(sample.survivors)
    if sample.survivors:
        print("\nnot noticed:", *(mutant.diff() for mutant in sample.survivors), sep="\n")
    print(f"not counted, since they do not compile or change nothing: {sample.dropped}")
    print(f"mutation: {noticed} of {sample.ran} noticed")
    return 0 if sample.ran and noticed >= NEEDED * sample.ran else 1


if __name__ == "__main__":
    sys.exit(main())
