"""Checks of `weft run` on files: good ones, strange ones, and results."""
import os
import resource
import struct
import subprocess
from pathlib import Path

from npy_file import file_of, header_of, npy, pack
from workplace import COPY, GRID, Skip, equal, expect

FOUR = pack("f4", [1, 2, 3, 4])
DOUBLED = [2, 4, 6, 8]

GOOD_FILES = {
    "version 1": npy("f4", [1, 2, 3, 4]),
    "version 2": npy("f4", [1, 2, 3, 4], version=(2, 0)),
    "version 3": npy("f4", [1, 2, 3, 4], version=(3, 0)),
    "several dimensions": npy("f4", [1, 2, 3, 4], (2, 1, 2)),
    "Fortran order of one dimension": file_of(header_of("<f4", (4,), True), FOUR),
    "Fortran order of one wide dimension": file_of(header_of("<f4", (1, 4, 1), True), FOUR),
    "native byte order": file_of(header_of("=f4", (4,)), FOUR),
    "no byte order": file_of(header_of("f4", (4,)), FOUR),
    "keys in another order": file_of("{'shape': (4,), 'descr': '<f4', 'fortran_order': False}", FOUR),
    "double quotes": file_of('{"descr":"<f4","fortran_order":False,"shape":(4,)}', FOUR),
    "as Python 2 wrote it": file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4L,), }", FOUR),
    "a header of 64 KiB": file_of(header_of("<f4", (4,)) + " " * 65000, FOUR),
}

BAD_FILES = {
    "empty": (b"", "is empty"),
    "no .npy": (b"1,2,3,4\n" * 10, "no .npy file"),
    ".npz": (b"PK\3\4" + bytes(60), ".npz"),
    "magic alone": (b"\x93NUMPY", "ends within its header"),
    "cut in the length": (npy("f4", [1], version=(2, 0))[:11], "ends within its header"),
    "cut in the header": (npy("f4", [1, 2, 3, 4])[:40], "ends within its header"),
    "no data": (file_of(header_of("<f4", (4,))), "0 bytes of data"),
    "data cut": (npy("f4", [1, 2, 3, 4])[:-1], "15 bytes of data"),
    "too much data": (npy("f4", [1, 2, 3, 4]) + b"x", "17 bytes of data"),
    "claims 5 GiB": (file_of(header_of("<f4", (5 << 28,)), FOUR), ["16 bytes of data", str(5 << 28)]),
    "claims 2^63 elements": (file_of(header_of("<f4", (1 << 63,)), FOUR), "16 bytes of data"),
    "claims 2^66 bytes": (file_of(header_of("<f4", (1 << 62, 4)), FOUR), "more than 2^64 elements"),
    "claims beyond 64 bits": (file_of(header_of("<f4", (1 << 64,)), FOUR), "beyond 64 bits"),
    "version 4": (npy("f4", [1], version=(4, 0)), "version 4.0"),
    "version 1.1": (npy("f4", [1], version=(1, 1)), "version 1.1"),
    "header of 4 GiB": (b"\x93NUMPY\2\0\xff\xff\xff\xff" + b" " * 100, "ends within its header"),
    "header of 1 MiB": (b"\x93NUMPY\2\0" + struct.pack("<I", 1 << 20) + b" " * (1 << 20), "65535"),
    "negative shape": (file_of(header_of("<f4", (-4,)), FOUR), "negative"),
    "nan shape": (file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (nan,), }", FOUR), "no tuple of integers"),
    "float shape": (file_of(header_of("<f4", (4.0,)), FOUR), "no tuple of integers"),
    "shape is a number": (file_of(header_of("<f4", 4), FOUR), "no tuple of integers"),
    "shape is a list": (file_of(header_of("<f4", [4]), FOUR), "no tuple of integers"),
    "shape is open": (file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4,", FOUR), "damaged header"),
    "65 dimensions": (file_of(header_of("<f4", (1,) * 64 + (4,)), FOUR), "64 dimensions"),
    "no descr": (file_of("{'fortran_order': False, 'shape': (4,), }", FOUR), "lacks 'descr'"),
    "no order": (file_of("{'descr': '<f4', 'shape': (4,), }", FOUR), "lacks 'fortran_order'"),
    "no shape": (file_of("{'descr': '<f4', 'fortran_order': False}", FOUR), "lacks 'shape'"),
    "a key twice": (file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'shape': (2,), }", FOUR), "'shape' twice"),
    "a key too many": (file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'x': 1}", FOUR), "'x'"),
    "no dictionary": (file_of("descr", FOUR), "no dictionary"),
    "more behind it": (file_of(header_of("<f4", (4,)) + " + {}", FOUR), "follows the dictionary"),
    "order is a number": (file_of("{'descr': '<f4', 'fortran_order': 0, 'shape': (4,), }", FOUR), "fortran_order"),
    "escapes for a terminal": (file_of(header_of("\x1b[2Jx", (4,)).replace("\\x1b", "\x1b"), FOUR), "?[2Jx"),
    "Fortran order": (file_of(header_of("<f4", (2, 2), True), FOUR), "numpy.ascontiguousarray(x)"),
    "big-endian": (file_of(header_of(">f4", (4,)), FOUR), "x.astype('<f4')"),
    "bool": (file_of(header_of("|b1", (4,)), b"\1\0\1\0"), "x.view('uint8')"),
    "complex64": (file_of(header_of("<c8", (2,)), FOUR), "x.view('float32')"),
    "complex128": (file_of(header_of("<c16", (1,)), FOUR), "x.view('float64')"),
    "text": (file_of(header_of("<U4", (1,)), FOUR), "text"),
    "objects": (file_of(header_of("|O", (1,)), FOUR), "Python objects"),
    "times": (file_of(header_of("<M8[ns]", (2,)), FOUR), "x.view('int64')"),
    "long double": (file_of(header_of("<f16", (1,)), FOUR), "'<f16'"),
    "structs": (file_of(header_of([("a", "<f4"), ("b", "<f4")], (2,)), FOUR), "structs"),
    "another type": (npy("f8", [1, 2, 3, 4]), ["argument 0, x (float*)", "float64", "x.astype('float32')"]),
}


def check_good_file(work, content):
    work.put("k.cl", COPY)
    work.put("x.npy", content)
    work.good("k.cl", "twice", *GRID, "in:x.npy", "out:f32:4:y.npy")
    equal(work.read("y.npy", "f4", (4,)), DOUBLED)


def check_bad_file(work, content, says):
    work.put("k.cl", COPY)
    work.put("x.npy", content)
    status = 2 if "x.npy holds" in str(says) or "argument 0" in str(says) else 1
    work.bad(status, [*([says] if isinstance(says, str) else says), "x.npy"], "k.cl", "twice", *GRID, "in:x.npy", "out:f32:4:y.npy")
    expect(not work.at("y.npy").exists(), "there is a result")


def check_scalar_array(work):
    work.put("k.cl", COPY)
    work.put("x.npy", npy("f4", [21], ()))
    text = work.good("k.cl", "twice", "--grid", 1, "--block", 1, "in:x.npy", "out:f32:1:y.npy")
    expect("in float32 scalar from x.npy" in text, text)
    equal(work.read("y.npy", "f4", (1,)), [42])
    work.good("k.cl", "add_one", "--grid", 1, "--block", 1, "inout:x.npy:z.npy", 1)
    equal(work.read("z.npy", "f4", ()), [22])


def check_no_elements(work):
    work.put("k.cl", COPY)
    work.put("x.npy", npy("f4", [], (3, 0)))
    text = work.good("k.cl", "add_one", *GRID, "inout:x.npy:y.npy", 0)
    expect("x: DeviceBuffer([])" in text, text)
    equal(work.read("y.npy", "f4", (3, 0)), [])
    work.put("x.bin", b"")
    work.good("k.cl", "add_one", *GRID, "inout:raw:f32:x.bin:y.bin", 0)
    expect(work.at("y.bin").read_bytes() == b"", "the result is not empty")
    work.good("k.cl", "add_one", *GRID, "--repeat", 2, "out:f32:0x5:z.npy", 0)
    equal(work.read("z.npy", "f4", (0, 5)), [])


def check_raw_files(work):
    work.put("k.cl", COPY)
    work.put("x.bin", FOUR)
    work.good("k.cl", "twice", *GRID, "in:raw:f32:x.bin", "out:f32:4:y.bin")
    expect(work.at("y.bin").read_bytes() == pack("f4", DOUBLED), "y.bin is wrong")
    work.good("k.cl", "add_one", *GRID, "inout:raw:float:x.bin:z.npy", 4)
    equal(work.read("z.npy", "f4", (4,)), [2, 3, 4, 5])
    work.put("x.bin", FOUR[:-1])
    work.bad(1, ["x.bin", "15 bytes", "float32"], "k.cl", "twice", *GRID, "in:raw:f32:x.bin", "out:f32:4")
    work.bad(2, "give f32", "k.cl", "twice", *GRID, "in:raw:i8:x.bin", "out:f32:4")


def check_no_files(work):
    work.put("k.cl", COPY)
    os.mkfifo(work.at("pipe"))
    for path, says in [("missing.npy", "No such file"), (".", "a directory"), ("/dev/zero", "a device or pipe"),
                       ("pipe", "a device or pipe"), ("k.cl/x", "Not a directory"), ("x" * 300, "name too long"),
                       ("raw:f32:/dev/zero", "a device or pipe"), ("raw:f32:.", "a directory")]:
        work.bad(1, says, "k.cl", "touch", *GRID, f"in:{path}")
    for path, says in [("missing.cl", "No such file"), (".", "a directory"), ("/dev/zero", "a device or pipe"),
                       ("pipe", "a device or pipe")]:
        work.bad(1, says, path, "touch", *GRID, "null")
    work.put("nul.cl", b"kernel void f(global int *x) {}\0")
    work.bad(1, "NUL bytes", "nul.cl", "f", *GRID, "null")
    work.put("empty.cl", "")
    work.bad(1, "empty", "empty.cl", "f", *GRID, "null")
    work.put("none.cl", "void f(global int *x) { x[0] = 1; }\n")
    work.bad(1, "no kernel", "none.cl", *GRID, "null")


def check_no_permission(work):
    if os.geteuid() == 0:
        user = {"user": 65534, "group": 65534, "extra_groups": []}
    else:
        user = {}
    work.put("k.cl", COPY)
    work.put("x.npy", GOOD_FILES["version 1"])
    work.at("x.npy").chmod(0)
    work.folder.chmod(0o755)
    try:
        try:
            work.run("--help", **user)
        except PermissionError as error:
            raise Skip("another user cannot reach the build") from error
        work.bad(1, "Permission denied", "k.cl", "touch", *GRID, "in:x.npy", **user)
        work.folder.chmod(0o555)
        work.bad(1, ["y.npy", "Permission denied"], "k.cl", "twice", *GRID, "null", "out:f32:4:y.npy", **user)
    finally:
        work.folder.chmod(0o755)


def check_big_file(work):
    """More than passes at once, in both directions."""
    pattern, times = range(4096), 2500
    n = len(pattern) * times + 3
    before = pack("f4", pattern) * times + pack("f4", [7, 8, 9])
    after = pack("f4", [value + 1 for value in pattern]) * times + pack("f4", [8, 9, 10])
    work.put("k.cl", COPY)
    work.put("x.npy", file_of(header_of("<f4", (n,)), before))
    text = work.good("k.cl", "add_one", "--grid", n // 256 + 1, "--block", 256, "inout:x.npy:y.npy", n)
    expect("x: DeviceBuffer([1.0, 2.0, 3.0, ..., 8.0, 9.0, 10.0])" in text, text)
    expect(work.at("y.npy").read_bytes().endswith(after), "y.npy is wrong")
    expect(work.at("y.npy").stat().st_size == len(after) + 128, "y.npy has another size")


def check_result_files(work):
    work.put("k.cl", COPY)
    work.put("x.npy", GOOD_FILES["version 1"])
    start = set(os.listdir(work.folder))
    work.put("y.npy", "old")
    work.good("k.cl", "twice", *GRID, "in:x.npy", "out:f32:4:y.npy")
    equal(work.read("y.npy", "f4", (4,)), DOUBLED)
    work.at("deep").mkdir()
    work.at("link.npy").symlink_to("deep/target.npy")
    work.put("deep/target.npy", "old")
    work.good("k.cl", "twice", *GRID, "in:x.npy", "out:f32:4:link.npy")
    expect(work.at("link.npy").is_symlink(), "the link is gone")
    equal(work.read("deep/target.npy", "f4", (4,)), DOUBLED)
    work.good("k.cl", "add_one", *GRID, "inout:x.npy:x.npy", 4)  # in place
    equal(work.read("x.npy", "f4", (4,)), [2, 3, 4, 5])
    work.put("a:b.npy", GOOD_FILES["version 1"])
    work.good("k.cl", "add_one", *GRID, "inout:a:b.npy", 4)
    work.good("k.cl", "add_one", *GRID, "inout:a:b.npy:c.npy", 4)
    equal(work.read("c.npy", "f4", (4,)), [2, 3, 4, 5])
    expect(set(os.listdir(work.folder)) == start | {"y.npy", "deep", "link.npy", "a:b.npy", "c.npy"}, "something was left behind")


def check_result_refused(work):
    work.put("k.cl", COPY)
    for path, says in [("/dev/null", "a device or pipe"), (".", "a directory"), ("no/y.npy", "No such file"),
                       ("x" * 300, "name too long"), ("k.cl/y.npy", "Not a directory")]:
        work.bad(1, says, "k.cl", "twice", *GRID, "null", f"out:f32:4:{path}")
    expect(Path("/dev/null").is_char_device(), "/dev/null was replaced")


def check_full_disk(work):
    """A result that cannot be written leaves the old one, and nothing else."""
    work.put("k.cl", COPY)
    work.put("y.npy", "old")
    words = ["k.cl", "add_one", "--grid", 1, "--block", 1, "out:f32:1000000:y.npy", 1]
    work.good(*words)
    work.put("y.npy", "old")
    start = set(os.listdir(work.folder))
    limit = 1 << 20
    work.bad(1, ["y.npy", "File too large"], *words, restore_signals=False,
             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    expect(work.at("y.npy").read_text() == "old", "the old result is gone")
    expect(set(os.listdir(work.folder)) == start, "something was left behind")


def check_closed_stdout(work):
    work.put("k.cl", COPY)
    with open("/dev/full", "w") as full:
        done = subprocess.run([work.weft, "run", "k.cl", "touch", "--grid", "1", "--block", "1", "null"], cwd=work.folder,
                              env=work.env, stdout=full, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 1 and "No space left" in done.stderr, f"{done.returncode} {done.stderr}")


def checks():
    for name, content in GOOD_FILES.items():
        yield f"reads: {name}", lambda work, content=content: check_good_file(work, content)
    for name, (content, says) in BAD_FILES.items():
        yield f"refuses a file: {name}", lambda work, content=content, says=says: check_bad_file(work, content, says)
    yield "0-d arrays", check_scalar_array
    yield "arrays of no elements", check_no_elements
    yield "raw files", check_raw_files
    yield "what is no file", check_no_files
    yield "no permission", check_no_permission
    yield "a big file", check_big_file
    yield "results", check_result_files
    yield "results refused", check_result_refused
    yield "a full disk", check_full_disk
    yield "a full stdout", check_closed_stdout
