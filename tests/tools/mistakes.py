"""Checks of `weft run` on command lines and kernels that are wrong."""
from workplace import GRID, expect

MISTAKES_CL = ("typedef float real; typedef struct { int a; float b; } pair_t;\n"
               "kernel void k(global const float *x, global int *y, int n, float f, local float *l) { (void)x; (void)y; (void)l; }\n"
               "kernel void one(real r) { (void)r; }\n"
               "kernel void pair(pair_t p) { (void)p; }\n"
               "kernel void vec(float4 v, uchar3 w) { (void)v; (void)w; }\n"
               "kernel void small(char c, ulong u) { (void)c; (void)u; }\n"
               "kernel void types(constant float *c, global long2 *d, global void *v) { (void)c; (void)v; }\n")
RIGHT = ["null", "out:i32:4", "1", "2.5", "shared:16"]
MISTAKES = {
    "no file": ([], "name a file"),
    "no grid": (["k.cl", "k", "--block", 1, *RIGHT], "--grid is missing"),
    "no block": (["k.cl", "k", "--grid", 1, *RIGHT], "--block is missing"),
    **{f"grid {text!r}": (["k.cl", "k", "--block", 1, "--grid", text], ["--grid takes", "4x2"])
       for text in ["0", "4x0", "-1", "x", "4x", "1x2x3x4", "4 ", "", "1.5", "99999999999999999999", "4;2"]},
    "repeat 0": (["k.cl", "k", *GRID, "--repeat", 0], "--repeat takes 1 to"),
    "repeat x": (["k.cl", "k", *GRID, "--repeat", "x"], "--repeat takes 1 to"),
    "a device without a name": (["k.cl", "k", *GRID, "--device", ":1"], "--device takes"),
    "a device of no number": (["k.cl", "k", *GRID, "--device", "pocl:x"], "--device takes"),
    "no such option": (["k.cl", "k", "--gird", 4], "--gird"),
    "an option without its value": (["k.cl", "k", "--grid"], "--grid"),
    "no such kernel": (["k.cl", "nope", *GRID], ["nope", "pair"]),
    "too few": (["k.cl", "k", *GRID, *RIGHT[:3]], ["takes 5 arguments, not 3", "float f"]),
    "too many": (["k.cl", "k", *GRID, *RIGHT, 7], "takes 5 arguments, not 6"),
    "a number for a buffer": (["k.cl", "k", *GRID, 5, *RIGHT[1:]], ["argument 0, x (float*)", "out:TYPE:SHAPE"]),
    "a buffer for a number": (["k.cl", "k", *GRID, *RIGHT[:2], "out:i32:1", *RIGHT[3:]], "argument 2, n (int)"),
    "null for a number": (["k.cl", "k", *GRID, *RIGHT[:2], "null", *RIGHT[3:]], "argument 2, n (int)"),
    "a number for local memory": (["k.cl", "k", *GRID, *RIGHT[:4], 16], ["argument 4, l (float*)", "shared:BYTES"]),
    "out of const": (["k.cl", "k", *GRID, "out:f32:4", *RIGHT[1:]], ["argument 0, x (float*)", "const"]),
    "out of constant": (["k.cl", "types", *GRID, "out:f32:4", "null", "null"], "argument 0, c (float*)"),
    "another type": (["k.cl", "k", *GRID, "null", "out:f32:4", *RIGHT[2:]], ["argument 1, y (int*)", "f32", "give i32"]),
    "another vector's type": (["k.cl", "types", *GRID, "null", "out:f32:4", "null"], ["argument 1, d (long2*)", "give i64"]),
    "a float for an int": (["k.cl", "k", *GRID, *RIGHT[:2], "1.5", *RIGHT[3:]], ["argument 2, n (int)", '"1.5" is no integer']),
    **{f"{text!r} for an int": (["k.cl", "k", *GRID, *RIGHT[:2], f"i32:{text}", *RIGHT[3:]], "is no integer")
       for text in ["", "-", "0x", "0x0x1", " 1", "1 ", "--1", "1e3", "1f"]},
    "f32: for an int": (["k.cl", "k", *GRID, *RIGHT[:2], "f32:1", *RIGHT[3:]], ["argument 2, n (int)", "give i32:20"]),
    "i32: for a float": (["k.cl", "k", *GRID, *RIGHT[:3], "i32:1", RIGHT[4]], ["argument 3, f (float)", "give f32:20"]),
    "f64: for a float": (["k.cl", "k", *GRID, *RIGHT[:3], "f64:1", RIGHT[4]], ["argument 3, f (float)", "give f32:20"]),
    "a word for a float": (["k.cl", "k", *GRID, *RIGHT[:3], "abc", RIGHT[4]], '"abc" is no number'),
    "two numbers for one": (["k.cl", "k", *GRID, *RIGHT[:3], "1,2", RIGHT[4]], "one number"),
    "1e39 for a float": (["k.cl", "k", *GRID, *RIGHT[:3], "1e39", RIGHT[4]], "beyond"),
    "2^31 for an int": (["k.cl", "k", *GRID, *RIGHT[:2], 2**31, *RIGHT[3:]], "beyond"),
    "128 for a char": (["k.cl", "small", *GRID, 128, 1], ["argument 0, c (char)", "beyond"]),
    "i32:128 for a char": (["k.cl", "small", *GRID, "i32:128", 1], ["argument 0, c (char)", "beyond"]),
    "-1 for a ulong": (["k.cl", "small", *GRID, 1, -1], ["argument 1, u (ulong)", "beyond"]),
    "2^64 for a ulong": (["k.cl", "small", *GRID, 1, 2**64], ["argument 1, u (ulong)", "beyond"]),
    "a bare number for a typedef": (["k.cl", "one", *GRID, 1.5], ["argument 0, r (real)", "f32:20"]),
    "a wrong size for a struct": (["k.cl", "pair", *GRID, "hex:00"], ["argument 0, p (pair_t)", "8 bytes"]),
    "three numbers of four": (["k.cl", "vec", *GRID, "1,2,3", "1,2,3"], "takes 4 numbers, not 3"),
    "three typed numbers of four": (["k.cl", "vec", *GRID, "float4:1,2,3", "1,2,3"], "takes 4 numbers, not 3"),
    "another vector": (["k.cl", "vec", *GRID, "int4:1,2,3,4", "1,2,3"], "argument 0, v (float4)"),
    "a number for a vector": (["k.cl", "vec", *GRID, "1", "1,2,3"], "takes 4 numbers, not 1"),
    "a define that is none": (["k.cl", "one", "-D", "1=2", *GRID, "f32:1"], ["defines[0]", "1=2"]),
    "no such role": (["k.cl", "one", *GRID, "file:x.npy"], ["file:x.npy", "inout:"]),
    "no such type": (["k.cl", "one", *GRID, "out:f33:4"], ["f33", "f64"]),
    "a vector's buffer": (["k.cl", "one", *GRID, "out:float4:4"], "f32:"),
    "no shape": (["k.cl", "one", *GRID, "out:f32"], "colon"),
    **{f"shape {text!r}": (["k.cl", "one", *GRID, f"out:f32:{text}"], ["a shape", "20x30"]) for text in ["", "x", "4x", "-4", "1.5", "nan", "4 "]},
    "a shape beyond 2^64": (["k.cl", "one", *GRID, f"out:f32:{2**40}x{2**40}"], "2^64"),
    "no input's name": (["k.cl", "one", *GRID, "in:"], "name is missing"),
    "no result's name": (["k.cl", "one", *GRID, "out:f32:4:"], "name is missing"),
    "no result's name after inout": (["k.cl", "one", *GRID, "inout:x.npy:"], "name is missing"),
    "raw without a type": (["k.cl", "one", *GRID, "in:raw:x.bin"], "x.bin"),
    "odd hex": (["k.cl", "pair", *GRID, "hex:001"], "two hexadecimal digits"),
    "hex of no digits": (["k.cl", "pair", *GRID, "hex:zz"], "two hexadecimal digits"),
    "hex of nothing": (["k.cl", "pair", *GRID, "hex:"], "two hexadecimal digits"),
    "a huge value": (["k.cl", "pair", *GRID, "hex:" + "00" * 5000], "4096 bytes"),
    "a struct without a type": (["k.cl", "pair", *GRID, "struct:1,2"], "begins with a type"),
    "a struct of no such type": (["k.cl", "pair", *GRID, "struct:f31:1"], "f31"),
    "half a vector in a struct": (["k.cl", "pair", *GRID, "struct:float2:1,i32:1"], "takes 2 numbers, not 1"),
    "shared of no number": (["k.cl", "one", *GRID, "shared:x"], "no integer"),
    "a newline": (["k.cl", "one", *GRID, "in\n:\x1b[2J"], "in?:"),
}


def check_mistake(work, words, says):
    work.put("k.cl", MISTAKES_CL)
    work.bad(2, says, *words)


def check_two_results_in_one(work):
    work.put("k.cl", "kernel void k(global int *a, global int *b) {}\n")
    work.at("here").symlink_to(".")
    for other in ["y.npy", "./y.npy", "here/y.npy", work.at("y.npy")]:
        work.bad(2, ["arguments 0 and 1", "y.npy"], "k.cl", "k", *GRID, "out:i32:1:y.npy", f"out:i32:1:{other}")


def check_launch_limits(work):
    work.put("k.cl", MISTAKES_CL)
    work.bad(1, "block_dim.x is 1000000", "k.cl", "small", "--grid", 1, "--block", 1000000, 1, 1)
    work.bad(1, "local memory", "k.cl", "k", *GRID, *RIGHT[:4], f"shared:{1 << 40}")
    work.bad(1, str(4 << 50), "k.cl", "k", *GRID, "null", f"out:i32:{1 << 50}", *RIGHT[2:])
    work.bad(1, "nosuch", "k.cl", "one", *GRID, "--device", "nosuch", "f32:1")
    work.bad(1, "999", "k.cl", "one", *GRID, "--device", f"{work.driver}:999", "f32:1")


def check_compile_error(work):
    work.put("k.cl", "kernel void k(global int *x) {\n    x[0] = nonsense;\n}\n")
    done = work.run("k.cl", "k", *GRID, "out:i32:1")
    expect(done.returncode == 1, done.returncode)
    expect("weft run: k.cl does not compile:\n" in done.stderr, done.stderr)  # PoCL writes a line of its own
    expect("nonsense" in done.stderr and "k.cl:2" in done.stderr, done.stderr)


def check_images(work):
    work.put("k.cl", "kernel void k(read_only image2d_t i, global int *x) {}\n")
    done = work.run("k.cl", "k", *GRID, "null", "null")
    expect(done.returncode == 1 and "images" in done.stderr, done.stderr)


def checks():
    for name, (words, says) in MISTAKES.items():
        yield f"refuses: {name}", lambda work, words=words, says=says: check_mistake(work, words, says)
    yield "two results in one file", check_two_results_in_one
    yield "limits", check_launch_limits
    yield "a compile error", check_compile_error
    yield "images", check_images
