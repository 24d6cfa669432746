"""Writes a file as a NUL-terminated C array: embed.py NAME INPUT OUTPUT."""
import sys

name, source, target = sys.argv[1:]
data = open(source, "rb").read() + b"\0"
rows = [", ".join(str(b) for b in data[i:i + 20]) for i in range(0, len(data), 20)]
with open(target, "w") as out:
    out.write(f'#include "program/prelude.h"\n\nconst char {name}[] = {{\n    ' + ",\n    ".join(rows) + ",\n};\n")
