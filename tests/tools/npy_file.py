"""Writes and reads .npy files by hand, the way numpy.lib.format documents them."""
import ast
import struct

# numpy's descr without its byte order: struct's code. Halves and bfloat16 are handled as their 16 bits.
CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f2": "H", "V2": "H",
         "f4": "f", "f8": "d"}


def descr_of(kind):
    return ("|" if kind[1] == "1" or kind[0] == "V" else "<") + kind


def pack(kind, values):
    return struct.pack(f"<{len(values)}{CODES[kind]}", *values)


def file_of(header, data=b"", version=(1, 0)):
    """The file of any header text, right or wrong."""
    header = header.encode("utf-8" if version[0] == 3 else "latin1")
    front = 10 if version[0] == 1 else 12
    header += b" " * (-(front + len(header) + 1) % 64) + b"\n"
    length = struct.pack("<H" if version[0] == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes(version) + length + header + data


def header_of(descr, shape, fortran=False):
    return f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape!r}, }}"


def npy(kind, values, shape=None, **more):
    """The file of an array of values in C order."""
    shape = (len(values),) if shape is None else shape
    return file_of(header_of(descr_of(kind), shape), pack(kind, values), **more)


def read(path):
    """(kind, shape, values); raises ValueError for what numpy would not read."""
    data = path.read_bytes()
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError("no .npy of version 1.0")
    length, = struct.unpack_from("<H", data, 8)
    header = data[10:10 + length]
    if (10 + length) % 64 or not header.endswith(b"\n"):
        raise ValueError("its header is not padded as numpy's are")
    entries = ast.literal_eval(header.decode("latin1").strip())
    if set(entries) != {"descr", "fortran_order", "shape"} or entries["fortran_order"] is not False:
        raise ValueError(f"its header is {entries}")
    kind, count = entries["descr"][1:], 1
    for size in entries["shape"]:
        count *= size
    if entries["descr"] != descr_of(kind):
        raise ValueError(f"its descr is {entries['descr']}")
    return kind, entries["shape"], struct.unpack(f"<{count}{CODES[kind]}", data[10 + length:])
