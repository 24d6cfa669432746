"""Checks of `weft run` on every driver: what launches, and with which arguments."""
import re
import struct
from pathlib import Path

from npy_file import npy, pack
from workplace import Skip, equal, expect, near, wave

KERNELS = Path(__file__).resolve().parent / "kernels"


# ---- Kernels as public collections have them ---------------------------------------------------------------

def check_nbody(work):
    n, block, dt, damping = 24, 8, 0.125, 0.75
    positions, velocities = wave(4 * n), wave(4 * n, 0.91)
    positions[3::4] = [1 + i % 3 for i in range(n)]
    work.put("pos.npy", npy("f4", positions, (n, 4)))
    work.put("vel.npy", npy("f4", velocities, (n, 4)))
    work.good(KERNELS / "nbody.cl", "--grid", n // block, "--block", block, "-D", "SOFTENING=0.5f", "in:pos.npy",
              f"out:f32:{n}x4:new.npy", "inout:vel.npy:vel_new.npy", f"shared:{16 * block}",
              f"struct:f32:{dt},{damping},u32:{n}")
    moved, sped = [], []
    for i in range(n):
        x, v = positions[4 * i:4 * i + 4], velocities[4 * i:4 * i + 4]
        pull = [0.0] * 3
        for j in range(n):
            y = positions[4 * j:4 * j + 4]
            r = [y[k] - x[k] for k in range(3)]
            weight = y[3] / (sum(c * c for c in r) + 0.5) ** 1.5
            pull = [pull[k] + r[k] * weight for k in range(3)]
        v = [(v[k] + pull[k] * dt) * damping for k in range(3)] + [v[3]]
        sped += v
        moved += [x[k] + v[k] * dt for k in range(3)] + [x[3]]
    near(work.read("new.npy", "f4", (n, 4)), moved)
    near(work.read("vel_new.npy", "f4", (n, 4)), sped)


def check_matmul(work, kernel, grid, block):
    m, n, k, alpha, beta = 13, 11, 18, 0.5, -2.0
    a, b, c = wave(m * k), wave(k * n, 0.53), wave(m * n, 0.71)
    work.put("a.npy", npy("f4", a, (m, k)))
    work.put("b.npy", npy("f4", b, (k, n)))
    work.put("c.npy", npy("f4", c, (m, n)))
    # real is the file's own typedef, so a number for it has to say what it is
    work.good(KERNELS / "matmul.cl", kernel, "--grid", grid, "--block", block, m, n, k, f"f32:{alpha}", "in:a.npy",
              "in:b.npy", f"f32:{beta}", "inout:c.npy:product.npy")
    near(work.read("product.npy", "f4", (m, n)),
         [alpha * sum(a[i * k + p] * b[p * n + j] for p in range(k)) + beta * c[i * n + j]
          for i in range(m) for j in range(n)])


def check_matmul_naive(work):
    check_matmul(work, "matmul_naive", "3x4", "4x4")


def check_matmul_tiled(work):
    check_matmul(work, "matmul_tiled", "2x2", "8x8")


def check_jacobi(work):
    width, height, h = 10, 7, 0.25
    u, f = wave(width * height), wave(width * height, 0.19)
    work.put("u.npy", npy("f4", u, (height, width)))
    work.put("f.npy", npy("f4", f, (height, width)))
    work.good(KERNELS / "jacobi.cl", "jacobi_sweep", "--grid", "3x2", "--block", "4,4", "in:u.npy", "in:f.npy",
              f"out:f32:{height}x{width}:next.npy", "out:f32:2x3:change.npy", "shared:64", width, height, h)
    swept = list(u)
    change = [0.0] * 6
    for y in range(height):
        for x in range(width):
            i = y * width + x
            if 0 < x < width - 1 and 0 < y < height - 1:
                swept[i] = (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - h * h * f[i]) / 4
            change[y // 4 * 3 + x // 4] += (swept[i] - u[i]) ** 2
    near(work.read("next.npy", "f4", (height, width)), swept)
    near(work.read("change.npy", "f4", (2, 3)), change)


# ---- Arguments ---------------------------------------------------------------------------------------------

NUMBERS = {
    "i1": ("char", -128, [1, 0, 127]), "u1": ("uchar", 200, [55, 0, 1]), "i2": ("short", -32768, [32767, 1, 0]),
    "u2": ("ushort", 65535, [0, 0, 0]), "i4": ("int", -2**31, [2**31 - 1, 5, 0]), "u4": ("uint", 2**32 - 1, [0, 0, 0]),
    "i8": ("long", -2**63, [2**63 - 1, 5, 0]), "u8": ("ulong", 2**64 - 1, [0, 0, 0]), "f4": ("float", -0.5, [1.5, 0, 3]),
    "f8": ("double", 1e-300, [0, 1e-300, 2e-300]),
}


def check_numbers(work, kind):
    name, number, values = NUMBERS[kind]
    if kind == "f8" and not work.device()["fp64"]:
        raise Skip("the device has no fp64")
    work.put("k.cl", f"kernel void add(global {name} *x, {name} n) {{ x[get_global_id(0)] += n; }}")
    work.put("x.npy", npy(kind, values))
    bits = kind[0] + str(8 * int(kind[1]))
    for text in [number, f"{bits}:{number}", f"{name}:{number}"]:
        work.good("k.cl", "add", "--grid", 3, "--block", 1, "inout:x.npy:y.npy", text)
        equal(work.read("y.npy", kind, (3,)), [value + number for value in values])


def check_integers_convert(work):
    """As in a call of weft's: an integer may change width and sign when its value survives."""
    work.put("k.cl", "kernel void put(global ulong *x, ulong a, char b) { x[0] = a; x[1] = (ulong)(b + 1000); }")
    work.good("k.cl", "--grid", 1, "--block", 1, "out:u64:2:x.npy", "i32:7", "i64:-100")
    equal(work.read("x.npy", "u8", (2,)), [7, 900])
    work.good("k.cl", "--grid", 1, "--block", 1, "out:u64:2:x.npy", "0xFF", "-0x10")
    equal(work.read("x.npy", "u8", (2,)), [255, 984])


def check_halves(work):
    """16-bit floats, which every device can move."""
    bits = [0x0000, 0x3C00, 0xC000, 0x7BFF, 0x0001, 0x7C00]
    work.put("k.cl", "kernel void copy(global const ushort *x, global ushort *y) { y[get_global_id(0)] = x[get_global_id(0)]; }")
    for kind, name, shown in [("f2", "f16", "[0.0, 1.0, -2.0"), ("V2", "bf16", "[0.0, ")]:
        work.put("x.npy", npy(kind, bits))
        text = work.good("k.cl", "--grid", 6, "--block", 1, "in:x.npy", f"out:{name}:6:y.npy")
        equal(work.read("y.npy", kind, (6,)), bits)
        expect(f"y: DeviceBuffer({shown}" in text, text)


def check_vectors(work):
    work.put("k.cl", "kernel void put(global float *x, float4 a, float3 b, int2 c, uchar16 d) {\n"
                     "    vstore4(a, 0, x); vstore3(b, 0, x + 4); x[7] = c.x; x[8] = c.y; x[9] = d.s0; x[10] = d.sf;\n}\n")
    expected = [1.5, -2, 3, 4, 5, 6, 7, -8, 9, 0, 15]
    sixteen = ",".join(map(str, range(16)))
    ways = [("float4:1.5,-2,3,4", "float3:5,6,7", "int2:-8,9", f"uchar16:{sixteen}"),
            ("1.5,-2,3,4", "5,6,7", "-8,9", sixteen),
            ("hex:" + pack("f4", [1.5, -2, 3, 4]).hex(), "hex:" + pack("f4", [5, 6, 7, 0]).hex().upper(),
             "hex:" + pack("i4", [-8, 9]).hex(), "hex:" + bytes(range(16)).hex())]
    for words in ways:
        work.good("k.cl", "--grid", 1, "--block", 1, "out:f32:11:x.npy", *words)
        equal(work.read("x.npy", "f4", (11,)), expected)


def check_structs(work):
    work.put("k.cl", "typedef struct { char tag; float at[3]; long n; short last; } item_t;\n"
                     "kernel void put(global long *x, item_t i) {\n"
                     "    x[0] = i.tag; x[1] = (long)(i.at[0] + i.at[1] * 10 + i.at[2] * 100); x[2] = i.n; x[3] = i.last;\n}\n")
    layout = struct.pack("<b3x3fqh6x", -7, 1, 2, 3, 2**40, -9)
    for text in [f"struct:i8:-7,f32:1,2,3,i64:{2**40},i16:-9", "hex:" + layout.hex()]:
        work.good("k.cl", "--grid", 1, "--block", 1, "out:i64:4:x.npy", text)
        equal(work.read("x.npy", "i8", (4,)), [-7, 321, 2**40, -9])
    work.bad(2, ["argument 1, i (item_t)", "32 bytes"], "k.cl", "--grid", 1, "--block", 1, "out:i64:4", "struct:i8:-7,f32:1")


def check_half_values(work):
    values = [1.5, -0.0, 65504, 65519.9, 1e-7, 2**-14, 2**-25, 3 * 2**-26, 2049, 2051, 0.1, -1e-5]
    work.put("k.cl", "typedef struct { ushort bits[12]; } halves_t;\n"
                     "kernel void put(global ushort *x, halves_t h) { for (int i = 0; i < 12; i++) x[i] = h.bits[i]; }\n")
    work.good("k.cl", "--grid", 1, "--block", 1, "out:u16:12:x.npy", "struct:f16:" + ",".join(map(repr, values)))
    equal(work.read("x.npy", "u2", (12,)), struct.unpack("<12H", struct.pack("<12e", *values)))
    for text in ["65520", "-1e5"]:
        work.bad(2, ["beyond", text], "k.cl", "--grid", 1, "--block", 1, "out:u16:12", f"struct:f16:{text}")
    work.good("k.cl", "--grid", 1, "--block", 1, "out:u16:12:x.npy", "struct:f16:inf,-inf,1,1,1,1,1,1,1,1,1,1")
    equal(work.read("x.npy", "u2", (12,))[:3], [0x7C00, 0xFC00, 0x3C00])


def check_typedefs(work):
    work.put("k.cl", "typedef float real; typedef uint4 quad;\n"
                     "kernel void put(global real *x, real a, quad b) { x[0] = a; x[1] = b.s3; }\n")
    work.good("k.cl", "--grid", 1, "--block", 1, "out:f32:2:x.npy", "f32:2.5", "uint4:1,2,3,4")
    equal(work.read("x.npy", "f4", (2,)), [2.5, 4])
    for words in [("out:f64:2:y.npy", "f32:1"), ("out:f32:2:y.npy", "i32:1")]:  # only weft knows what real is
        work.bad(1, "kernel put, argument", "k.cl", "--grid", 1, "--block", 1, *words, "uint4:1,2,3,4")
        expect(not work.at("y.npy").exists(), "there is a result")


def check_no_parameters(work):
    work.put("k.cl", "kernel void wait_all(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n")
    lines = work.good("k.cl", "--grid", 2, "--block", 2).splitlines()
    expect(len(lines) == 2 and lines[0].startswith("wait_all on ") and lines[1].startswith("first run: "), lines)
    work.bad(2, "takes 0 arguments, not 1: there are too many", "k.cl", "--grid", 2, "--block", 2, 1)


def check_dimensions(work):
    work.put("k.cl", "kernel void ids(global uint *x) {\n"
                     "    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);\n"
                     "    x[i] = get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2) + 1000 * get_local_id(0)\n"
                     "        + 10000 * get_local_id(1) + 100000 * get_local_id(2);\n}\n")
    text = work.good("k.cl", "--grid", "3x2", "--block", "2,1,2", "out:u32:2x2x6:x.npy")
    expect("grid 3x2, block 2x1x2" in text, text)
    equal(work.read("x.npy", "u4", (2, 2, 6)),
          [x // 2 + 10 * y + 1000 * (x % 2) + 100000 * z for z in range(2) for y in range(2) for x in range(6)])


def check_null_and_shared(work):
    work.put("k.cl", "kernel void put(global float *no, local int *a, local int *b, global int *x) {\n"
                     "    int i = get_local_id(0); a[i] = i; b[i] = 10 * i; barrier(CLK_LOCAL_MEM_FENCE);\n"
                     "    x[i] = a[3 - i] + b[3 - i] + (no ? 1000 : 0);\n}\n")
    work.good("k.cl", "--grid", 1, "--block", 4, "null", "shared:16", "shared:0x10", "out:i32:4:x.npy")
    equal(work.read("x.npy", "i4", (4,)), [33, 22, 11, 0])


def check_repeat(work):
    """Every run starts from the same buffers, and one more warms up."""
    work.put("k.cl", "kernel void grow(global int *in, global int *both, global int *sum) {\n"
                     "    in[0] += 1; both[0] += in[0]; sum[0] += both[0];\n}\n")
    work.put("x.npy", npy("i4", [5]))
    work.put("y.npy", npy("i4", [10]))
    text = work.good("k.cl", "--grid", 1, "--block", 1, "--repeat", 4, "in:x.npy", "inout:y.npy:both.npy", "out:i32:1:sum.npy")
    equal(work.read("both.npy", "i4", (1,)), [16])
    equal(work.read("sum.npy", "i4", (1,)), [16])
    expect(re.search(r"^4 runs after one to warm up: min [\d.]+ [nmu]?s, median [\d.]+ [nmu]?s, [\d.]+ GB/s over 16 B of buffers$",
                     text, re.M), text)


def check_compile_options(work):
    work.at("more files").mkdir()
    work.at("src").mkdir()
    work.put("more files/one.h", "#define ONE 1\n")
    work.put("src/two.h", "#define TWO 2\n")
    work.put("src/k.cl", '#include <one.h>\n#include "two.h"\n'
                         "kernel void put(global int *x) { x[0] = ONE; x[1] = TWO; x[2] = N; x[3] = FLAG; x[4] = TEXT[2]; }\n")
    work.good("src/k.cl", "--grid", 1, "--block", 1, "-I", "more files", "-DN=(3 + 4)", "-D", "FLAG", '-DTEXT="a,b c"',
              "out:i32:5:x.npy")
    equal(work.read("x.npy", "i4", (5,)), [1, 2, 7, 1, ord("b")])
    work.put("std.cl", "kernel void put(global int *x) { x[0] = EXTRA; x[1] = __OPENCL_C_VERSION__; }\n")
    work.good("std.cl", "--grid", 1, "--block", 1, "--cl-std", "CL1.1", "--build-options", "-DEXTRA=5", "out:i32:2:x.npy")
    equal(work.read("x.npy", "i4", (2,)), [5, 110])


def check_fast_math(work):
    work.put("k.cl", "#ifdef __FAST_RELAXED_MATH__\n#define FAST 1\n#else\n#define FAST 0\n#endif\n"
                     "kernel void put(global int *x) { x[0] = FAST; }\n")
    found = []
    for options in [[], ["--fast-math"], ["--build-options", "-cl-fast-relaxed-math"]]:
        work.good("k.cl", "--grid", 1, "--block", 1, *options, "out:i32:1:x.npy")
        found += work.read("x.npy", "i4", (1,))
    equal(found[::2], [0, found[1]])
    if not found[2]:
        raise Skip("the driver's compiler does not define __FAST_RELAXED_MATH__")


LAUNCHES = {
    "nbody.cl": check_nbody,
    "matmul.cl, naive": check_matmul_naive,
    "matmul.cl, tiled": check_matmul_tiled,
    "jacobi.cl": check_jacobi,
    **{f"numbers: {name}": (lambda kind: lambda work: check_numbers(work, kind))(kind) for kind, (name, *_) in NUMBERS.items()},
    "integers convert": check_integers_convert,
    "16-bit floats": check_halves,
    "vectors": check_vectors,
    "structs": check_structs,
    "values of 16-bit floats": check_half_values,
    "typedefs": check_typedefs,
    "no parameters": check_no_parameters,
    "dimensions": check_dimensions,
    "null and shared": check_null_and_shared,
    "repeat": check_repeat,
    "compile options": check_compile_options,
    "fast math": check_fast_math,
}
