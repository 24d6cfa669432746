"""The small mistakes that can be made in a C file: where they fit, and the text they make of it.

Works on tokens, without types or a parse tree. What does not compile, or compiles to the same code, is found out later.
"""
import re
from dataclasses import dataclass

TOKEN = re.compile(r"""
    (?P<skip>\s+|/\*.*?\*/|//[^\n]*)
    | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    | (?P<number>\.?\d[\w.]*)
    | (?P<word>[A-Za-z_]\w*)
    | (?P<sign>->|\+\+|--|<<=|>>=|\.\.\.|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
    """, re.X | re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)

SWAPS = {
    "comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "logic": {"&&": "||", "||": "&&"},
    "arithmetic": {"+": "-", "++": "--", "--": "++", "+=": "-=", "-=": "+=", "<<": ">>"},
    "boolean": {"true": "false", "false": "true"},
}
NO_STATEMENT = {"return", "goto", "break", "continue", "case", "default", "typedef", "static", "const", "struct", "enum",
                "union", "extern", "if", "else", "for", "while", "do", "switch"}


@dataclass(frozen=True)
class Mutation:
    """Text [start, end) of a file becomes another."""
    kind: str
    start: int
    end: int
    text: str

    def apply(self, source):
        return source[:self.start] + self.text + source[self.end:]


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


def tokens_of(source):
    """The tokens outside of directives and comments."""
    blanked = DIRECTIVE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    return [Token(match.lastgroup, match[0], match.start(), match.end())
            for match in TOKEN.finditer(blanked) if match.lastgroup != "skip"]


def closing(tokens, at):
    """The index of the bracket that closes the one at that index."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text in ("(", "{", "["):
            depth += 1
        elif tokens[i].text in (")", "}", "]"):
            depth -= 1
            if depth == 0:
                return i
    return at


def swaps(tokens):
    for before, token in zip([None, *tokens], tokens):
        for kind, table in SWAPS.items():
            unary = token.text == "+" and not (before and (before.kind in ("word", "number") or before.text in ")]"))
            if token.kind in ("sign", "word") and token.text in table and not unary:
                yield Mutation(kind, token.start, token.end, table[token.text])


def is_array_size(tokens, at):
    """Whether the number is how long an array is declared: one place more or less is rarely a mistake to notice."""
    before, after = tokens[max(at - 3, 0):at], tokens[at + 1:at + 2]
    return (len(before) == 3 and before[2].text == "[" and before[1].kind == "word" and after and after[0].text == "]" and
            (before[0].text == "}" or before[0].kind == "word" and before[0].text not in NO_STATEMENT))


def constants(tokens):
    for i, token in enumerate(tokens):
        if is_array_size(tokens, i):
            continue
        value = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", token.text) if token.kind == "number" else None
        if value:
            number = int(value[1], 16 if value[1][:2] in ("0x", "0X") else 8 if value[1][0] == "0" else 10)
            for other in {number + 1, max(number - 1, 0)} - {number}:
                yield Mutation("constant", token.start, token.end, f"{other}{value[2]}")


def conditions(tokens):
    for i, token in enumerate(tokens[:-1]):
        if token.text in ("if", "while") and tokens[i + 1].text == "(":
            end = tokens[closing(tokens, i + 1)]
            yield Mutation("condition", tokens[i + 1].end, end.start, f"!({{}})")
        if token.text == "!":
            yield Mutation("condition", token.start, token.end, "")


def statuses(tokens):
    for token in tokens:
        if token.text == "WEFT_OK":
            yield Mutation("status", token.start, token.end, "WEFT_ERROR_DRIVER")
        elif token.text.startswith("WEFT_ERROR_"):
            yield Mutation("status", token.start, token.end, "WEFT_OK")
            yield Mutation("status", token.start, token.end,
                           "WEFT_ERROR_DRIVER" if token.text != "WEFT_ERROR_DRIVER" else "WEFT_ERROR_UNSUPPORTED")
    for i, token in enumerate(tokens[:-2]):
        if token.text == "return" and (tokens[i + 1].text == "status" or tokens[i + 1].text.startswith(("error_", "driver_error"))):
            end = next((other for other in tokens[i:] if other.text == ";"), None)
            if end:
                yield Mutation("status", token.end, end.start, " WEFT_OK")


def is_statement(tokens):
    """Whether these are an expression statement, rather than a declaration or a jump."""
    words = [token.kind == "word" for token in tokens]
    if not tokens or tokens[0].text in NO_STATEMENT or not (words[0] or tokens[0].text in ("*", "++", "--", "(")):
        return False
    if len(tokens) > 2 and words[0] and (words[1] or tokens[1].text == "*" and words[2]):
        return False
    return any(token.text in ("(", "=", "++", "--") or token.text.endswith("=") for token in tokens)


def deletions(tokens):
    depth, start = 0, 0
    for i, token in enumerate(tokens):
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.text == ";" and depth == 0:
            if is_statement(tokens[start:i]):
                yield Mutation("deletion", tokens[start].start, token.start, "")
        if token.text in (";", "{", "}", ":") and depth == 0:
            start = i + 1


def mutations(source):
    """Every mutation of a C file."""
    tokens = tokens_of(source)
    body = next((i for i, token in enumerate(tokens) if token.text == "{"), len(tokens))
    found = [mutation for make in (swaps, constants, conditions, statuses, deletions) for mutation in make(tokens[body:])]
    return [Mutation(it.kind, it.start, it.end, it.text.replace("{}", source[it.start:it.end])) for it in found]
