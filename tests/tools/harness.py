"""What the tests of the weft command share: drivers, programs, and checks that are counted."""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INCLUDE = ROOT / "include"
COMPILERS = {"gcc": "c11", "clang": "c11", "g++": "c++17", "clang++": "c++17"}
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
sys.path.insert(0, str(HERE.parent))
import run as suite  # noqa: E402: it knows where drivers are


class Problem(Exception):
    """What a check has found, for the reader."""


class Skip(Exception):
    """Why a check cannot run here."""


def expect(condition, problem):
    if not condition:
        raise Problem(problem)


def same(actual, expected, what=""):
    expect(actual == expected, f"{what or 'it'} is\n{actual!r}\ninstead of\n{expected!r}")


def run(*command, env=None, cwd=None, timeout=300):
    """Runs a command; its exit status is the caller's to judge. Output is .stdout and .stderr."""
    return subprocess.run([str(word) for word in command], env=env, cwd=cwd, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=timeout)


def succeed(*command, **options):
    """Runs a command and returns its output; a failing one is a Problem."""
    done = run(*command, **options)
    expect(done.returncode == 0, " ".join(map(str, command)) + f"\nexit status {done.returncode}\n" + done.stdout + done.stderr)
    return done.stdout


class Drivers:
    """The OpenCL drivers that are installed, and environments that have one of them."""

    def __init__(self, build, folder):
        self.build, self.folder = build, Path(folder)
        self.libraries = suite.find_libraries({})
        self.environments = {}

    def environment(self, name):
        """That of a driver, or "mixed": of all three."""
        missing = [library for library in suite.DRIVERS[name] if library not in self.libraries]
        if missing:
            raise Skip(f"{', '.join(missing)} is not installed")
        if name not in self.environments:
            env = suite.environment(name, self.libraries, self.build, self.folder / f"vendors-{name}", None)
            self.environments[name] = env | {"POCL_DEVICES": "pthread"}
        return self.environments[name]


def passed(check):
    """Whether it did; None if it was skipped."""
    name, function, *arguments = check
    try:
        function(*arguments)
    except Skip as skip:
        print(f"skip {name}: {skip}", flush=True)
        return None
    except (Problem, OSError, subprocess.TimeoutExpired) as problem:
        print(f"FAIL {name}\n    " + "\n    ".join(str(problem).strip().splitlines()), flush=True)
        return False
    print(f"ok {name}", flush=True)
    return True


def main(checks):
    """Runs what checks(build, drivers, scratch) yields, (name, function, its arguments), and ends with the counts."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} BUILD_DIR")
    build = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        drivers = Drivers(build, folder)
        for name in ("pocl", "rusticl", "oclgrind", "mixed"):
            if set(suite.DRIVERS[name]) <= set(drivers.libraries):
                drivers.environment(name)
        results = list(pool.map(passed, checks(build, drivers, Path(folder))))
    failed, skipped = results.count(False), results.count(None)
    print(f"{len(results) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)
