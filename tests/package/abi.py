#!/usr/bin/env python3
"""The binary interface, as a list: abi.py prints it from the headers, abi.py --write keeps it in abi.txt.

Every exported function with its type, every struct with its size and the offset of each field, every enumerator with
its value. docs/versions.md says what may change in it when.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
KEPT = HERE / "abi.txt"


def headers_text():
    """What a C compiler sees of the public headers, with WEFT_API where a function is exported."""
    preprocess = ["gcc", "-std=c11", "-E", "-P", f"-I{INCLUDE}", "-x", "c", "-"]
    text = subprocess.run(preprocess, input="#include <weft/weft.h>\n", check=True, capture_output=True, text=True).stdout
    return re.sub(r"__attribute__\(\(visibility\(\"default\"\)\)\)", "WEFT_API", text)


def version():
    text = (INCLUDE / "weft/status.h").read_text()
    return ".".join(re.search(rf"WEFT_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR"))


def functions(text):
    """{name: its declaration on one line}"""
    found = {}
    for declaration in re.findall(r"\bWEFT_API\b([^;{]*?\bweft_\w+\s*\([^;{]*\))[^;{)]*;", text):
        line = re.sub(r" ?__attribute__\(\(.*?\)\)", "", " ".join(declaration.split())).strip()
        found[re.search(r"\b(weft_\w+) ?\(", line)[1]] = line.replace("_Bool", "bool")
    return found


def blocks(text, keyword):
    """{name: body} of each `typedef keyword name { body } name;`"""
    found = re.finditer(rf"typedef {keyword} (weft_\w+) \{{(.*?)\}} \1;", text, re.S)
    return {match[1]: match[2] for match in found}


def fields(body):
    """The names of a struct's own fields; a union counts as one."""
    body = re.sub(r"\bunion \{.*?\}", "int", body, flags=re.S)
    for declaration in filter(None, map(str.strip, body.split(";"))):
        for declarator in declaration.split(","):
            yield re.search(r"\(\*(\w+)\)|(\w+)\s*(?:\[[^]]*\])*$", declarator.strip()).group(1, 2)


def enumerators(body):
    return re.findall(r"(?:^|,)\s*(WEFT_\w+)", body)


def measure(text):
    """{name: line} of structs and enums, by a program that prints them."""
    prints = []
    for name, body in blocks(text, "struct").items():
        prints.append(f'printf("struct {name} %zu:", sizeof({name}));')
        for field in map(lambda names: names[0] or names[1], fields(body)):
            prints.append(f'printf(" {field} %zu", offsetof({name}, {field}));')
        prints.append('puts("");')
    for name, body in blocks(text, "enum").items():
        prints.append(f'printf("enum {name} %zu:", sizeof({name}));')
        prints += [f'printf(" {value} %d", {value});' for value in enumerators(body)]
        prints.append('puts("");')
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "abi.c"), Path(folder, "abi")
        source.write_text("#include <stddef.h>\n#include <stdio.h>\n#include <weft/weft.h>\nint main(void) {\n" +
                          "\n".join(prints) + "\n}\n")
        # Only sizes are asked, so that nothing of weft need be linked.
        subprocess.run(["gcc", "-std=c11", "-O1", "-Wl,--unresolved-symbols=ignore-all", f"-I{INCLUDE}", source, "-o", program],
                       check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def listing():
    text = headers_text()
    lines = [f"function {line}" for _, line in sorted(functions(text).items())] + sorted(measure(text))
    return "\n".join([f"version {version()}", *lines]) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        KEPT.write_text(listing())
    else:
        print(listing(), end="")
