"""Joins the parts of a file in order, inside one include guard, and embeds the whole in a NUL-terminated C array:
embed.py NAME GUARD JOINED C_FILE PART..."""
import pathlib
import sys

name, guard, joined, target, *parts = sys.argv[1:]
text = "".join(pathlib.Path(part).read_text() for part in parts)
text = f"#ifndef {guard}\n#define {guard}\n\n{text}\n#endif\n"
pathlib.Path(joined).write_text(text)

data = text.encode() + b"\0"
rows = [", ".join(str(b) for b in data[i:i + 20]) for i in range(0, len(data), 20)]
pathlib.Path(target).write_text(
    f'#include "program/prelude.h"\n\nconst char {name}[] = {{\n    ' + ",\n    ".join(rows) + ",\n};\n")
