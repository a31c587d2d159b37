"""YAML."""

import re
from functools import cache
from typing import Annotated, Any, Literal, NotRequired

import yaml
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._pointers import pointer_of
from retinue_tools.data_formats._values import Document, Written, plain, read

_MOST_VALUES = 500_000
_CORE = {
    "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": (r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    "float": (
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN",
        "-+.0123456789",
    ),
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "merge": (r"<<", "<"),
}
"""Tags of the core schema (YAML 1.2.2, section 10.3.2) with their patterns and first characters, and merge keys."""
Source = Annotated[str, About("YAML text", "name: Tea\nprice: 2.5\n", min_length=1, max_length=900_000)]
Version = Annotated[
    Literal["1.2", "1.1"], About("Version of YAML; in 1.1, yes, no, on and off are booleans too, and 010 is 8")
]


class Documents(TypedDict):
    """Documents of a YAML stream."""

    documents: Annotated[list[Any], About("Value of each document in the stream")]
    count: Annotated[int, About("Number of documents")]


class Check(TypedDict):
    """Result of checking YAML."""

    valid: Annotated[bool, About("Whether the text is valid YAML")]
    error: NotRequired[Annotated[str, About("Description of the first error")]]
    line: NotRequired[Annotated[int, About("Line of the error, from 1")]]
    column: NotRequired[Annotated[int, About("Column of the error, from 1")]]
    duplicate_keys: Annotated[list[str], About("JSON Pointers of duplicate keys in a mapping")]
    surprises: Annotated[list[str], About("Plain words such as no or 012 that YAML 1.1 and 1.2 interpret differently")]


@tool(
    tags="yaml yml json convert parse multi-document kubernetes compose",
    use_when=(
        "Convert this YAML to JSON",
        "Read a Kubernetes manifest with several documents",
        "What does this docker-compose file say as JSON?",
    ),
    examples=(
        Example(
            {"text": "---\ntime: 20:03:20\nplayer: Sammy Sosa\naction: strike (miss)\n...\n---\nrbi:\n- Ken Griffey\n"},
            {
                "documents": [
                    {"time": "20:03:20", "player": "Sammy Sosa", "action": "strike (miss)"},
                    {"rbi": ["Ken Griffey"]},
                ],
                "count": 2,
            },
            source="YAML 1.2.2, examples 2.8 and 2.9, shortened",
        ),
        Example(
            {"text": "country: no\noctal: 0o14\nbase: &b {x: 1}\nmore: {<<: *b, y: .inf}\n"},
            {"documents": [{"country": "no", "octal": 12, "base": {"x": 1}, "more": {"x": 1, "y": "inf"}}]},
            source="YAML 1.2.2, section 10.3.2 and example 2.19",
        ),
        Example(
            {"text": "country: no\ncanonical: 2001-12-15T02:59:43Z", "version": "1.1"},
            {"documents": [{"country": False, "canonical": "2001-12-15T02:59:43+00:00"}]},
            source="YAML 1.1, types bool and timestamp",
        ),
        Refusal({"text": "a: [1, 2"}, "line 2, column 1"),
        Refusal({"text": "a: !!python/object:os.system x"}, "constructor"),
        Refusal({"text": "a: &a [*a]"}, "contains itself"),
    ),
    reply={
        "documents.1": "The {count|document}: {documents}",
        "documents": "The document: {documents.0}",
        "": "There is nothing in the YAML.",
    },
)
def yaml_convert_to_json(text: Source, version: Version = "1.2") -> Documents:
    """Convert YAML to JSON values, including streams of several documents, with anchors, merge keys and dates.

    Use it to read settings, manifests and pipelines. Returns one value for each document; dates of YAML 1.1 and
    infinities become text.
    """
    values = load(text, version)
    return {"documents": plain(values), "count": len(values)}


@tool(
    tags="json yaml yml convert write serialize",
    use_when=("Convert this JSON to YAML", "Write these settings as YAML", "Make a multi-document YAML of this list"),
    examples=(
        Example(
            {"document": {"a": {"c": [1, "no"], "b": None}}},
            {"text": "a:\n  c:\n  - 1\n  - 'no'\n  b: null\n"},
            source="YAML 1.1, type bool: the word no must be quoted to stay text",
        ),
        Example({"document": [{"a": 1}, {"b": 2}], "as_stream": True}, {"text": "a: 1\n---\nb: 2\n"}, source="by hand"),
        Refusal({"document": {"a": 1}, "as_stream": True}, "must be a list"),
    ),
    reply="The document as YAML: {text}",
)
def json_convert_to_yaml(
    document: Document,
    sort_keys: Annotated[bool, About("Whether to sort keys by name")] = False,
    as_stream: Annotated[bool, About("Whether each item of a list becomes a separate document")] = False,
) -> Written:
    """Convert a JSON document to YAML in block style, quoting words that YAML would interpret differently.

    Use it for settings and manifests. Returns the YAML text.
    """
    value = read(document)
    if as_stream and not isinstance(value, list):
        raise ToolError("With as_stream the document must be a list, one item for each YAML document.")
    layout = {"sort_keys": sort_keys, "allow_unicode": True, "default_flow_style": False, "width": 120}
    return {"text": yaml.dump_all(value if as_stream else [value], Dumper=_dumper(), **layout)}


@tool(
    tags="yaml validate lint syntax check error line indentation tabs duplicate norway",
    use_when=(
        "Is this YAML valid?",
        "Why does my YAML file fail to load?",
        "Are there duplicate keys in this YAML?",
        "Is NO in this YAML read as false?",
        "Why can my YAML file not be read?",
    ),
    examples=(
        Example(
            {"text": "a:\n\t- b\n"},
            {"valid": False, "line": 2, "column": 1},
            source="YAML 1.2.2, section 6.1: tabs must not be used in indentation",
        ),
        Example(
            {"text": "a: 1\nb: {x: no, x: 2}\na: '012'\n"},
            {"valid": True, "duplicate_keys": ["/b/x", "/a"], "surprises": ["line 2: no"]},
            source="YAML 1.2.2, section 3.2.1.1: keys are unique; no is text there and a boolean in YAML 1.1",
        ),
        Refusal({"text": ""}, "at least 1 character"),
    ),
    reply={
        "valid, duplicate_keys": "The YAML is valid, but these keys occur twice: {duplicate_keys}",
        "valid, surprises": "The YAML is valid, but versions interpret these words differently: {surprises}",
        "valid": "Yes, the YAML is valid.",
        "error": "No, the YAML is not valid: {error} in line {line}, column {column}.",
        "": "No, the YAML is not valid.",
    },
)
def yaml_validate_syntax(text: Source) -> Check:
    """Check YAML: syntax with line and column of the error (fault), duplicate keys, and words that versions interpret
    differently.

    Use it if a file fails to load or loads to something unexpected. Returns the first error, or doubtful parts of a
    valid text.
    """
    try:
        roots = list(yaml.compose_all(text, Loader=loader("1.2")))
    except yaml.YAMLError as error:
        place, message = _fault(error)
        fault: Check = {"valid": False, "error": message, "duplicate_keys": [], "surprises": []}
        if place:
            fault["line"], fault["column"] = place
        return fault
    twice: list[str] = []
    surprises: list[str] = []
    for root in roots:
        _size(root, {})
        _doubts(root, (), twice, surprises)
    return {"valid": True, "duplicate_keys": twice, "surprises": surprises}


@cache
def loader(version: str) -> Any:
    """Return the safe loader, for YAML 1.2 with the tags of the core schema."""
    if version == "1.1":
        return yaml.CSafeLoader
    loader: Any = type("CoreLoader", (yaml.CSafeLoader,), {"yaml_implicit_resolvers": {}})
    _resolve_core(loader)
    loader.add_constructor("tag:yaml.org,2002:int", _integer)
    return loader


@cache
def _dumper() -> Any:
    """Return the safe dumper, which quotes text that YAML 1.1 or the core schema of YAML 1.2 would not read as text."""
    dumper: Any = type("CoreDumper", (yaml.SafeDumper,), {})
    _resolve_core(dumper)
    return dumper


def _resolve_core(resolver: Any) -> None:
    """Add the tags of the core schema to a loader or dumper."""
    for tag, (pattern, firsts) in _CORE.items():
        resolver.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), list(firsts))


def _integer(loader: Any, node: Any) -> int:
    """Parse an integer of the core schema, in which leading zeros do not mean octal."""
    digits = loader.construct_scalar(node)
    return int(digits, 0) if digits[:2] in ("0x", "0o") else int(digits)


def load(text: str, version: str) -> list[Any]:
    """Load the documents of a stream. Raises `ToolError` if the text is not YAML or would expand too much."""
    try:
        for root in yaml.compose_all(text, Loader=loader(version)):
            _size(root, {})
        return list(yaml.load_all(text, Loader=loader(version)))
    except yaml.YAMLError as error:
        place, message = _fault(error)
        where = f" at line {place[0]}, column {place[1]}" if place else ""
        raise ToolError(f"The text is not safe YAML: {message}{where}. Correct it there.") from error
    except (ValueError, TypeError) as error:
        raise ToolError(
            f"A value of the YAML cannot be parsed: {str(error)[:200]}. Quote it to keep it as text."
        ) from error


def _fault(error: Any) -> tuple[tuple[int, int] | None, str]:
    """Return line and column, if known, and the error message."""
    mark = getattr(error, "problem_mark", None)
    message = getattr(error, "problem", None) or str(error)
    return ((mark.line + 1, mark.column + 1) if mark else None), plain(message)[:300]


def children(node: Any) -> list[Any]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _size(node: Any, known: dict[int, int]) -> int:
    """Count the values of a node with expanded aliases. Raises `ToolError` for too many."""
    if id(node) not in known:
        known[id(node)] = 0
        known[id(node)] = 1 + sum(_size(part, known) for part in children(node))
    if not known[id(node)]:
        raise ToolError("A value of the YAML contains itself through an alias. JSON has no such values.")
    if known[id(node)] > _MOST_VALUES:
        raise ToolError(f"The YAML has more than {_MOST_VALUES} values with its aliases expanded.")
    return known[id(node)]


def _doubts(node: Any, steps: tuple[str, ...], twice: list[str], surprises: list[str]) -> None:
    """Collect duplicate keys of a mapping and words that versions interpret differently."""
    if isinstance(node, yaml.ScalarNode):
        if not node.style and _differs(node):
            surprises.append(f"line {node.start_mark.line + 1}: {plain(node.value)[:60]}")
        return
    if isinstance(node, yaml.SequenceNode):
        for position, part in enumerate(node.value):
            _doubts(part, (*steps, str(position)), twice, surprises)
        return
    names: set[str] = set()
    for key, part in node.value:
        name = plain(key.value) if isinstance(key, yaml.ScalarNode) else "?"
        if name in names:
            twice.append(pointer_of((*steps, name)))
        names |= {name} - {"?", "<<"}
        _doubts(key, (*steps, name), twice, surprises)
        _doubts(part, (*steps, name), twice, surprises)


def _differs(node: Any) -> bool:
    older = yaml.resolver.Resolver().resolve(yaml.ScalarNode, node.value, (True, False))
    return bool(older != node.tag or re.fullmatch(r"[-+]?0[0-7]+", node.value))
