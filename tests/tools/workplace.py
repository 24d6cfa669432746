"""Where a check of `weft run` works, and how it says what it has found."""
import json
import math
import re
import subprocess

import npy_file

TIME_LIMIT_S = 300

COPY = ("kernel void twice(global const float *x, global float *y) { y[get_global_id(0)] = 2 * x[get_global_id(0)]; }\n"
        "kernel void touch(global const float *x) { (void)x; }\n"
        "kernel void add_one(global float *x, uint n) { uint i = get_global_id(0); if (i < n) x[i] += 1; }\n")
GRID = ["--grid", 4, "--block", 1]


class Problem(Exception):
    """What a check has found, for the reader."""


class Skip(Exception):
    """Why a check does not apply here."""


def expect(condition, problem):
    if not condition:
        raise Problem(problem)


class Workplace:
    """A folder of a check's own, and weft on one driver."""

    def __init__(self, weft, driver, env, folder):
        self.weft, self.driver, self.env, self.folder = weft, driver, env, folder

    def at(self, name):
        return self.folder / name

    def put(self, name, content):
        self.at(name).write_bytes(content if isinstance(content, bytes) else content.encode())

    def run(self, *words, **more):
        return subprocess.run([self.weft, "run", *map(str, words)], cwd=self.folder, env=self.env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT_S, **more)

    def good(self, *words, **more):
        """What it prints, when it ends well and says nothing else."""
        done = self.run(*words, **more)
        expect(done.returncode == 0, f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        expect(not done.stderr, f"{words}: {done.stderr}")
        return done.stdout

    def bad(self, status, says, *words, **more):
        """A failure: its one line on stderr has every text of says."""
        done = self.run(*words, **more)
        expect(done.returncode == status, f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        expect(re.fullmatch(r"weft run: [ -~]+\n", done.stderr), f"{words}: {done.stderr!r}")
        for text in [says] if isinstance(says, str) else says:
            expect(text in done.stderr, f"{words}: no {text!r} in {done.stderr!r}")
        return done.stdout

    def read(self, name, kind, shape):
        found = npy_file.read(self.at(name))
        expect(found[:2] == (kind, shape), f"{name} is {found[0]} {found[1]}, not {kind} {shape}")
        return found[2]

    def device(self):
        done = subprocess.run([self.weft, "devices", "--json"], env=self.env, text=True, capture_output=True, check=True)
        return json.loads(done.stdout)[0]


def equal(given, expected):
    expect(tuple(given) == tuple(expected), f"given    {list(given)[:40]}\nexpected {list(expected)[:40]}")


def near(given, expected, tolerance=2e-5):
    expect(len(given) == len(expected), f"{len(given)} values, not {len(expected)}")
    for i, (a, b) in enumerate(zip(given, expected)):
        expect(math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance), f"element {i} is {a}, not {b}")


def wave(n, step=0.37):
    """n floats without a pattern that an error could hide in, each exact in float32."""
    return [round(math.sin(1 + i * step) * 1024) / 1024 for i in range(n)]
