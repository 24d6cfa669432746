#!/usr/bin/env python3
"""Checks `weft check`: test_check.py BUILD_DIR."""
import json

from harness import expect, main, run, same

GOOD = """#include <weft.clh>
__attribute__((reqd_work_group_size(8, 4, 1)))
kernel void turn(global const float4 *in, global float *restrict out, constant int *table, int n, local float *scratch) {
    SHARED(float, tile, 256);
    tile[thread_idx.x] = in[0].x + table[0];
    scratch[0] = n;
    block_barrier();
    out[thread_idx.x] = tile[0] + scratch[0];
}
kernel void plain(global int *x, float2 v) { x[0] = (int)v.x; }
"""
BAD = "kernel void f(global float *x, int n) {\n\tif (n) x[0] = why;\n    x[1] = 1.0f * ärger;\n}\n"
HEADER = "/* one */\nint helper(int x) { return x + missing; }\n"


def check(build, env, *arguments, cwd=None):
    return run(build / "tools/weft", "check", *arguments, env=env, cwd=cwd)


def write(folder, **files):
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.cl").write_text(text)
    return folder


def builds_of(done):
    same(done.stderr, "", "standard error")
    return json.loads(done.stdout)


def check_good(build, drivers, scratch, name):
    folder = write(scratch / f"good-{name}", good=GOOD)
    done = check(build, drivers.environment(name), "good.cl", cwd=folder)
    same((done.returncode, done.stderr), (0, ""))
    lines = done.stdout.splitlines()
    same(lines[0].split(" (")[0], f"good.cl compiles for {name}:0")
    title = next(i for i, line in enumerate(lines) if line.split()[:1] == ["kernel"])
    same(lines[title].split(), "kernel local private max block parameters".split())
    kernels = lines[title + 1:]
    same([line.split()[0] for line in kernels], ["plain", "turn"])
    expect(kernels[0].endswith("  global int *x, float2 v"), kernels[0])
    expect(kernels[1].endswith("  global const float4 *in, global float *out, constant int *table, int n, local float *scratch"),
           kernels[1])
    expect(" 1 KiB " in kernels[1], kernels[1])


def check_json(build, drivers, scratch, name):
    folder = write(scratch / f"json-{name}", good=GOOD, bad=BAD)
    done = check(build, drivers.environment(name), "--json", "good.cl", "bad.cl", cwd=folder)
    same(done.returncode, 1)
    good, bad = builds_of(done)
    same((good["file"], good["device"], good["compiles"], good["error"]), ("good.cl", f"{name}:0", True, None))
    plain, turn = good["kernels"]
    same((plain["name"], plain["required_block"], plain["local_bytes"]), ("plain", [0, 0, 0], 0))
    same((turn["name"], turn["required_block"], turn["local_bytes"]), ("turn", [8, 4, 1], 1024))
    expect(turn["max_block"] >= 32 and turn["private_bytes"] >= 0, turn)
    keys = ("name", "kind", "address_space", "const", "size_bytes", "alignment")
    same([tuple(param[key] for key in keys) for param in turn["parameters"]],
         [("in", "buffer", "global", True, 16, 16), ("out", "buffer", "global", False, 4, 4),
          ("table", "buffer", "constant", True, 4, 4), ("n", "scalar", "private", False, 4, 4),
          ("scratch", "shared", "local", False, 4, 4)])
    same((plain["parameters"][1]["type"], plain["parameters"][1]["kind"]), ("float2", "value"))
    same((bad["file"], bad["compiles"], bad["kernels"]), ("bad.cl", False, []))
    expect("why" in bad["log"] and "bad.cl" in bad["error"], bad)
    first = bad["diagnostics"][0]
    same({key: first[key] for key in ("severity", "file", "line", "column", "source")},
         {"severity": "error", "file": "bad.cl", "line": 2, "column": 16, "source": "\tif (n) x[0] = why;"})
    expect("'why'" in first["message"], first)


def check_caret(build, drivers, scratch, name):
    """Under the word, also behind a tab."""
    folder = write(scratch / f"caret-{name}", bad=BAD)
    done = check(build, drivers.environment(name), "bad.cl", cwd=folder)
    same((done.returncode, done.stderr), (1, ""))
    lines = done.stdout.splitlines()
    same(lines[0].split(" (")[0], f"bad.cl does not compile for {name}:0")
    expect(lines[1].startswith("bad.cl:2:16: error: ") and "'why'" in lines[1], lines[1])
    same(lines[2:4], ["    2 | \tif (n) x[0] = why;", "      | \t              ^"])


def check_header(build, drivers, scratch, name):
    """What is wrong in a header is shown in the header."""
    folder = write(scratch / f"header-{name}", uses='#include "helper.h"\nkernel void f(global int *x) { x[0] = helper(1); }\n')
    (folder / "helper.h").write_text(HEADER)
    for path, cwd, shown in [("uses.cl", folder, "helper.h"), (folder / "uses.cl", None, f"{folder}/helper.h")]:
        done = check(build, drivers.environment(name), path, cwd=cwd)
        same(done.returncode, 1)
        lines = done.stdout.splitlines()
        column = HEADER.splitlines()[1].index("missing")
        expect(lines[1].startswith(f"{shown}:2:{column + 1}: error: "), lines[1])
        same(lines[2:4], ["    2 | " + HEADER.splitlines()[1], "      | " + " " * column + "^"])


def check_options(build, drivers, scratch):
    folder = write(scratch / "options", needs='#include <n.h>\nkernel void f(global int *x) { x[0] = N + M; }\n'
                   '#if __OPENCL_C_VERSION__ >= 300\n#error three\n#endif\n')
    (folder / "inc").mkdir()
    (folder / "inc/n.h").write_text("#define M 1\n")
    env = drivers.environment("pocl")
    same(check(build, env, "-I", "inc", "-D", "N=1", "--cl-std=CL1.2", "needs.cl", cwd=folder).returncode, 0)
    done = check(build, env, "-Iinc", "-DN", "--cl-std=CL3.0", "needs.cl", cwd=folder)
    same(done.returncode, 1)
    expect("three" in done.stdout, done.stdout)
    done = check(build, env, "-DN", "needs.cl", cwd=folder)
    same(done.returncode, 1)
    expect("n.h" in done.stdout, done.stdout)
    done = check(build, env, "-D", "1N", "needs.cl", cwd=folder)
    same(done.returncode, 1)
    expect("defines[0]" in done.stdout, done.stdout)


def check_several(build, drivers, scratch):
    """Every file for every device, and one that cannot be read does not hide the others."""
    folder = write(scratch / "several", good=GOOD, bad=BAD)
    done = check(build, drivers.environment("mixed"), "--json", "good.cl", "none.cl", "bad.cl", cwd=folder)
    same(done.returncode, 1)
    same(done.stderr, "weft check: none.cl: No such file or directory\n")
    results = [(build["file"], build["device"], build["compiles"]) for build in json.loads(done.stdout)]
    devices = ["oclgrind:0", "pocl:0", "rusticl:0"]
    same(sorted(results), sorted([("good.cl", name, True) for name in devices] + [("bad.cl", name, False) for name in devices]))
    done = check(build, drivers.environment("mixed"), "--device", "oclgrind", "--json", "good.cl", cwd=folder)
    same((done.returncode, [build["device"] for build in builds_of(done)]), (0, ["oclgrind:0"]))


def check_warning(build, drivers, scratch):
    folder = write(scratch / "warning", warns="\n#warning so be it\nkernel void f(global int *x) { x[0] = 1; }\n")
    # PoCL has no log of what it remembers from another run, and rusticl has none of any build that succeeds.
    done = check(build, drivers.environment("oclgrind"), "warns.cl", cwd=folder)
    same(done.returncode, 0)
    expect("warns.cl:2:2: warning: so be it\n    2 | #warning so be it\n      |  ^\n" in done.stdout, done.stdout)


def check_usage(build, drivers, arguments, said):
    done = run(build / "tools/weft", "check", *arguments, env=drivers.environment("pocl"))
    same(done.returncode, 2)
    expect(said in done.stderr and "usage: weft check" in done.stderr, done.stderr)


def check_no_device(build, drivers, scratch, device):
    folder = write(scratch / f"none-{device.replace(':', '')}", good=GOOD)
    done = check(build, drivers.environment("pocl"), "--device", device, "good.cl", cwd=folder)
    same((done.returncode, done.stdout), (1, ""))
    expect("weft check: " in done.stderr and device in done.stderr.replace(" ", "") or "not below" in done.stderr, done.stderr)


def checks(build, drivers, scratch):
    for name in ("pocl", "rusticl", "oclgrind"):
        yield f"shows kernels on {name}", check_good, build, drivers, scratch, name
        yield f"gives JSON on {name}", check_json, build, drivers, scratch, name
        yield f"points at what is wrong on {name}", check_caret, build, drivers, scratch, name
        yield f"points into headers on {name}", check_header, build, drivers, scratch, name
    yield "takes -I, -D and --cl-std", check_options, build, drivers, scratch
    yield "takes several files and devices", check_several, build, drivers, scratch
    yield "shows warnings", check_warning, build, drivers, scratch
    yield "wants a file", check_usage, build, drivers, [], "there is no file to check"
    yield "refuses an unknown option", check_usage, build, drivers, ["--none", "x.cl"], "--none"
    for device in ("nosuch", "pocl:7", "pocl:x", ":1"):
        yield f"refuses the device {device}", check_no_device, build, drivers, scratch, device


if __name__ == "__main__":
    main(checks)
