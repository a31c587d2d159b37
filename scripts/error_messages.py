"""Collect the messages of errors from the code, for the catalogue `errors`.

A message is the first argument of an error of the API or of the `ValueError` of a schema, a sentence of a record, such
as the reason why a run ended, or a phrase that is inserted into another message, such as "it gave no reason". An
f-string becomes a template: `f"There is no agent {agent_id}."` is "There is no agent {agent_id}.". Messages that are
built in another way, or that consist of little but values, are left out: pages show them in English.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import IO

from retinue.language.error_words import as_sentence
from retinue.language.page_words import in_page_words

SOURCES = Path(__file__).parents[1] / "src"
ERRORS = {
    "AuthRequired",
    "Cancelled",
    "BadBody",
    "ContextExceeded",
    "DatabaseUnavailable",
    "InsufficientScope",
    "InternalError",
    "KeyRefused",
    "NotFound",
    "ProviderFailed",
    "RangeNotSatisfiable",
    "RateLimited",
    "Unavailable",
    "ValidationFailed",
    "ValueError",
}
_PLACEHOLDER = re.compile(r"\{\w+\}")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_SENTENCE = re.compile(r"[A-Z{].* .*\.", re.DOTALL)
_TEXT = re.compile(
    r"[A-Z{].* .*[.}]|(?:an?|the|its?|they|there|no|must|is|are|was|matches|paths) .*[^.:\s]"
    r"|(?:\{\w+\} )?(?:must|is|has|contains|cannot|closed|exited|produced|wrote) .*[^.:\s]"
)
"""A sentence, or a phrase that stands in another message behind a colon or a name. Prompts have several lines."""

_UNSHOWN = {"Field", "Message", "Tool", "log", "_log", "re", "cast"}
"""Functions and objects whose arguments are no messages for people."""
_KINDS = "_KINDS"
_REASON = re.compile(r"(?:must|is|can) ")
_FORMAT = re.compile(r":,(?=\})")
_FEWEST_WORDS = 3
"""How many words a template has beside its values. One with fewer would fit messages that mean something else."""

Constants = Mapping[str, Sequence[ast.expr]]
"""The values that a module assigns to a name."""


def extract_errors(
    file: IO[bytes], _keywords: object, _comment_tags: object, options: object
) -> Iterator[tuple[int, None, str, list[str]]]:
    """Yield the messages of a module with their lines, as a method of Babel. It has no options."""
    yield from _errors_of(ast.parse(file.read()))


def _errors_of(module: ast.Module) -> Iterator[tuple[int, None, str, list[str]]]:
    constants = _constants(module)
    for node in ast.walk(module):
        for text in _messages(node, constants):
            message = as_sentence(in_page_words(text))
            if _is_specific(message):
                yield getattr(node, "lineno", 0), None, message, []


def extract_texts(
    file: IO[bytes], _keywords: object, _comment_tags: object, options: object
) -> Iterator[tuple[int, None, str, list[str]]]:
    """Yield the messages of a module, and all its sentences and phrases but for docstrings and descriptions."""
    module = ast.parse(file.read())
    yield from _errors_of(module)
    constants, hidden = _constants(module), _hidden_nodes(module)
    for node in ast.walk(module):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node not in hidden:
            for text in _templates(node, constants):
                message = as_sentence(in_page_words(text))
                if _TEXT.fullmatch(text) and _is_specific(message):
                    yield node.lineno, None, message, []


def _hidden_nodes(module: ast.Module) -> set[ast.AST]:
    """Return the nodes of docstrings, of descriptions, of what no page shows, and of the parts of f-strings."""
    found: set[ast.AST] = set()
    for node in ast.walk(module):
        match node:
            case ast.Expr(value=ast.Constant()) | ast.keyword(arg="description" | "summary" | "responses"):
                found |= set(ast.walk(node))
            case ast.JoinedStr():
                found |= set(ast.walk(node)) - {node}
            case ast.Call(func=function) if ast.unparse(function).partition(".")[0] in _UNSHOWN:
                found |= set(ast.walk(node))
    return found


def extract_reasons(
    file: IO[bytes], _keywords: object, _comment_tags: object, options: object
) -> Iterator[tuple[int, None, str, list[str]]]:
    """Yield the reasons of a module that describes the problems of a schema, such as "must be a number".

    Yield its errors, too, and the values of `_KINDS`, which stand in reasons.
    """
    module = ast.parse(file.read())
    yield from _errors_of(module)
    parts = {part for node in ast.walk(module) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == _KINDS and isinstance(node.value, ast.Dict):
            kinds = [one.value for one in node.value.values if isinstance(one, ast.Constant)]
            yield from ((node.lineno, None, as_sentence(str(kind)), []) for kind in kinds)
        if node in parts:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _REASON.match(node.value):
            yield node.lineno, None, as_sentence(_FORMAT.sub("", node.value)), []
        elif isinstance(node, ast.JoinedStr):
            messages = [as_sentence(text) for text in _templates(node, {})]
            yield from ((node.lineno, None, text, []) for text in messages if _is_specific(text))


def find_composed(file: IO[bytes]) -> Iterator[str]:
    """Yield the source of each message of an error that `extract_errors` leaves out."""
    module = ast.parse(file.read())
    constants = _constants(module)
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS and node.args:
            messages = [as_sentence(in_page_words(text)) for text in _templates(node.args[0], constants)]
            if not messages or not all(map(_is_specific, messages)):
                yield ast.unparse(node.args[0])


def _is_specific(message: str) -> bool:
    """Return True for a message that has enough words beside its values."""
    words = _WORDS.findall(_PLACEHOLDER.sub("", message))
    return len(words) >= _FEWEST_WORDS or not _PLACEHOLDER.search(message)


def _messages(node: ast.AST, constants: Constants) -> Iterator[str]:
    """Yield the messages of a call that creates an error, or of a `return`."""
    if isinstance(node, ast.Call) and _creates_error(node.func) and node.args:
        yield from _templates(node.args[0], constants)
    elif isinstance(node, ast.Return) and node.value:
        yield from filter(_SENTENCE.fullmatch, _templates(node.value, constants))


def _creates_error(function: ast.expr) -> bool:
    """Return True for an error class, and for the constructor of a base class that an error calls."""
    if isinstance(function, ast.Attribute):
        return function.attr == "__init__"
    return isinstance(function, ast.Name) and function.id in ERRORS


def _constants(module: ast.Module) -> Constants:
    """Return the assigned values of a module, and those of the constants that it imports from the server."""
    found: dict[str, list[ast.expr]] = {}
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and any(one.name.isupper() for one in node.names):
            values = _assignments_in(node.module or "")
            found |= {one.name: values[one.name] for one in node.names if one.name in values}
    return found | _assignments(module)


@cache
def _assignments_in(name: str) -> dict[str, list[ast.expr]]:
    """Return the assigned values of a module of the server. Other modules have no messages, so they count as empty."""
    path = SOURCES.joinpath(*name.split(".")).with_suffix(".py")
    return _assignments(ast.parse(path.read_text() if path.exists() else ""))


def _assignments(module: ast.Module) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return found


def _templates(node: ast.expr, constants: Constants) -> Iterator[str]:
    """Yield the messages that an expression can be: several if it chooses between texts."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            names = _names(parts)
            yield from map("".join, product(*(list(_texts(part, constants, names)) for part in parts)))
        case ast.IfExp(body=body, orelse=orelse):
            yield from _templates(body, constants)
            yield from _templates(orelse, constants)
        case ast.Name(id=name):
            for value in constants.get(name, ()):
                yield from _templates(value, {})


def _texts(part: ast.expr, constants: Constants, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts that a part of an f-string can be. Other values are placeholders."""
    if not isinstance(part, ast.FormattedValue):
        yield from _templates(part, {})
        return
    value = part.value
    is_text = isinstance(value, ast.IfExp) or (isinstance(value, ast.Name) and value.id.startswith("_"))
    texts = list(_templates(value, constants)) if is_text else []
    yield from texts or [f"{{{names[ast.unparse(value)]}}}"]


def _names(parts: Sequence[ast.expr]) -> Mapping[str, str]:
    """Return a name for each value of an f-string by its source: that of a variable or attribute in it."""
    found: dict[str, str] = {}
    same: Counter[str] = Counter()
    for value in (part.value for part in parts if isinstance(part, ast.FormattedValue)):
        leaves = [leaf.id if isinstance(leaf, ast.Name) else leaf.attr for leaf in _leaves(value)]
        name = next((leaf.strip("_").lower() for leaf in leaves if leaf not in ("self", "join")), "value")
        if (source := ast.unparse(value)) not in found:
            same[name] += 1
            found[source] = name if same[name] == 1 else f"{name}{same[name]}"
    return found


def _leaves(node: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    """Yield names and attributes of an expression, those of arguments before those of functions."""
    if isinstance(node, ast.Call):
        for argument in (*node.args, node.func):
            yield from _leaves(argument)
    elif isinstance(node, ast.Name | ast.Attribute):
        yield node
    else:
        for child in ast.iter_child_nodes(node):
            yield from _leaves(child)
