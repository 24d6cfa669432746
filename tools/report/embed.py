"""Puts the style and the script into the page and embeds it in a NUL-terminated C array:
embed.py PAGE.html PAGE.css PAGE.js C_FILE"""
import pathlib
import sys

page, style, script = (pathlib.Path(path).read_text() for path in sys.argv[1:4])
data = page.replace("/* style */", style).replace("/* script */", script).encode() + b"\0"
rows = [", ".join(str(byte) for byte in data[i:i + 20]) for i in range(0, len(data), 20)]
pathlib.Path(sys.argv[4]).write_text(
    '#include "trace_page.h"\n\nconst char trace_page[] = {\n    ' + ",\n    ".join(rows) + ",\n};\n")
