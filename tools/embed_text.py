"""Embeds a text in a NUL-terminated C array: embed_text.py NAME HEADER TEXT C_FILE"""
import pathlib
import sys

name, header, source, target = sys.argv[1:]
data = pathlib.Path(source).read_bytes() + b"\0"
rows = [", ".join(str(byte) for byte in data[i:i + 20]) for i in range(0, len(data), 20)]
pathlib.Path(target).write_text(f'#include "{header}"\n\nconst char {name}[] = {{\n    ' + ",\n    ".join(rows) + ",\n};\n")
