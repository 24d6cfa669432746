#!/usr/bin/env python3
"""Runs the examples on the current default device and checks what they print: check.py BUILD_DIR

The environment chooses the device, as it does for any program. Prints "N passed, N failed", with the reason for
each failure on stderr; exits with 1 if there was one.
"""
import difflib
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
TIME_LIMIT_S = 600   # emulators are slow
EXACT = ["scalar_add", "process_vector", "map_to_host", "host_buffer", "round_trip", "compile_once", "sub_buffer",
         "streams", "tensor", "graph"]
OPTIONAL = ["image_blur", "hello_cpp"]   # built only where libpng and a C++ compiler are


class Failure(Exception):
    """An example did not do what it should; the text says what."""


def run(programs, name, *args):
    """What the example prints, if it ends well."""
    try:
        result = subprocess.run([programs / name, *args], capture_output=True, text=True, timeout=TIME_LIMIT_S,
                                check=False)
    except OSError as error:
        raise Failure(f"cannot run it: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise Failure(f"not done after {TIME_LIMIT_S} s") from error
    if result.returncode != 0:
        raise Failure(f"exit status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def compare(expected, printed):
    if expected != printed:
        difference = difflib.unified_diff(expected, printed, "expected", "printed", lineterm="", n=1)
        raise Failure("\n".join(difference))


def expected_lines(name):
    return (HERE / "expected" / f"{name}.txt").read_text().splitlines()


def check_exact(programs, name):
    compare(expected_lines(name), run(programs, name).splitlines())


def check_print_threads(programs, name):
    """Threads print in any order, but the header comes first and Done last."""
    lines = run(programs, name).splitlines()
    compare(sorted(expected_lines(name)), sorted(lines))
    if not lines[0].startswith("block_idx") or lines[-1] != "Done":
        raise Failure("the host's lines are not around those of the device")


def check_device_query(programs, name):
    text = run(programs, name)
    said = re.search(r", (\d+) devices:", text)
    listed = re.findall(r"^[a-z]+:\d+  ", text, re.MULTILINE)
    if not said or int(said[1]) != len(listed) or not listed:
        raise Failure(f"the number of devices and their list do not match\n{text}")


def read_png(path):
    """Width, height and decompressed data of an 8-bit PNG, with every checksum checked."""
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise Failure(f"{path.name} is no PNG file")
    chunks, at = [], 8
    while at < len(data):
        length, = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        if struct.unpack_from(">I", data, at + 8 + length)[0] != zlib.crc32(kind + body):
            raise Failure(f"{path.name} has a damaged {kind.decode()} chunk")
        chunks.append((kind, body))
        at += 12 + length
    width, height, depth, colour = struct.unpack_from(">IIBB", chunks[0][1])
    pixels = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    if depth != 8 or len(pixels) != height * (1 + width * channels) or chunks[-1][0] != b"IEND":
        raise Failure(f"{path.name} does not hold the pixels that its header announces")
    return width, height, pixels


def check_image_blur(programs, name):
    picture = HERE / "picture.png"
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "blurred.png"
        text = run(programs, name, picture, out)
        if "Device and CPU agree" not in text:
            raise Failure(f"no agreement with the CPU\n{text}")
        width, height, pixels = read_png(out)
        if (width, height) != read_png(picture)[:2] or len(set(pixels)) < 16:
            raise Failure(f"a picture of {width} x {height} that is not the blurred one")

        broken = pathlib.Path(folder) / "broken.png"
        broken.write_bytes(picture.read_bytes()[:1000])
        for bad in (broken, pathlib.Path(folder) / "missing.png"):
            result = subprocess.run([programs / name, bad, out], capture_output=True, text=True, timeout=TIME_LIMIT_S,
                                    check=False)
            if result.returncode != 1 or bad.name not in result.stderr:
                raise Failure(f"{bad.name}: exit status {result.returncode}, {result.stderr!r}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check.py BUILD_DIR")
    programs = pathlib.Path(sys.argv[1]).resolve() / "examples"
    checks = {name: check_exact for name in EXACT + ["hello_cpp"]}
    checks |= {"print_threads": check_print_threads, "device_query": check_device_query,
               "image_blur": check_image_blur}

    passed = failed = 0
    for name, check in checks.items():
        if name in OPTIONAL and not (programs / name).exists():
            continue
        try:
            check(programs, name)
            passed += 1
        except Failure as failure:
            failed += 1
            print(f"{name}: {failure}", file=sys.stderr)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
