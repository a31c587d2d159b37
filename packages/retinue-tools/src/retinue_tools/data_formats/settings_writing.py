"""Settings file writing: conversion from JSON, and single values set in TOML and YAML."""

import json
import re
import tomllib
from typing import Annotated, Any, Literal

import tomlkit
import tomlkit.exceptions
import yaml

from retinue.sdk import About, Alias, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._pointers import key_of, pointer_of, resolve, steps_of
from retinue_tools.data_formats._values import Document, Written, plain, read
from retinue_tools.data_formats.env_files import text_of_value, write_env
from retinue_tools.data_formats.yaml_text import Source, children, load, loader

_WORD = 2**63
_PROJECT = '# made by hand\n[project]\nname = "tea"  # short\nversion = "1.0"\ntags = ["a", "b"]\n'

TomlSource = Annotated[str, About("TOML text", '[project]\nname = "tea"\nversion = "1.0"\n', max_length=500_000)]


@tool(
    tags="toml edit set change delete value keep comments pyproject version bump",
    use_when=(
        "Bump the version in this pyproject.toml and keep the comments",
        "Remove a key from this TOML",
        "Add a dependency to Cargo.toml without reformatting",
    ),
    examples=(
        Example(
            {"text": _PROJECT, "pointer": "/project/name", "value": "rice"},
            {"text": _PROJECT.replace('"tea"', '"rice"')},
            source="by hand: only the value differs",
        ),
        Example(
            {"text": _PROJECT, "pointer": "/project/version"},
            {"text": _PROJECT.replace('version = "1.0"\n', "")},
            source="by hand: without a value the key goes",
        ),
        Refusal({"text": _PROJECT, "pointer": "/tool/x", "value": 1}, "no member 'tool'"),
    ),
    reply="The changed TOML: {text}",
)
def toml_set_value(
    text: TomlSource,
    pointer: Annotated[str, About("JSON Pointer to the key", "/project/version", pattern="^/", max_length=1000)],
    value: Annotated[
        dict[str, Any] | list[Any] | str | float | bool | None,
        About("New value; omit it to delete the key", "1.1"),
    ] = None,
) -> Written:
    """Change, add or delete one key of a TOML document and keep its comments, order and layout.

    Use it to edit pyproject.toml or Cargo.toml. The table that contains the key must exist, or be the top level.
    Returns the edited text.
    """
    parse_toml(text)
    _check(value if value is not None else {})
    *steps, last = steps_of(pointer)
    try:
        document = tomlkit.parse(text)
        parent = resolve(document, pointer_of(steps))
        if value is None:
            del parent[key_of(parent, last, pointer)]
        else:
            parent[key_of(parent, last, pointer) if isinstance(parent, list) else last] = value
        edited = tomlkit.dumps(document)
    except (tomlkit.exceptions.TOMLKitError, TypeError, ValueError) as error:
        raise ToolError(f"{pointer[:200]} cannot be set: {str(error)[:200]}") from error
    parse_toml(edited)
    return {"text": edited}


def parse_toml(text: str) -> dict[str, Any]:
    """Parse the tables of a TOML document. Raises `ToolError`."""
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ToolError(f"The text is not TOML: {str(error)[:300]}. Correct it there.") from error


def write_toml(value: dict[str, Any]) -> str:
    """Format tables as TOML text. Raises `ToolError` for values that TOML does not support."""
    _check(value)
    return str(tomlkit.dumps(value))


def _check(value: Any) -> None:
    """Raise `ToolError` for values that TOML does not support."""
    if value is None:
        raise ToolError("TOML has no null. Omit such members.")
    if isinstance(value, int) and not -_WORD <= value < _WORD:
        raise ToolError(f"The integer {str(value)[:40]} has more than 64 bits. Write it as text.")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check(part)


@tool(
    tags="json ini env properties toml settings convert write serialize config dotenv",
    use_when=(
        "Write this JSON as an INI file",
        "Make a .env file of these variables",
        "Convert JSON to Java properties",
        "Convert this JSON to TOML",
        "Write these settings as a TOML file",
        "What would this object look like in pyproject.toml?",
    ),
    examples=(
        Example(
            {"document": {"debug": True, "server": {"port": 8080, "host": None}}, "form": "ini"},
            {"text": "debug = true\n\n[server]\nport = 8080\nhost =\n"},
            source="by hand",
        ),
        Example(
            {"document": {"GREETING": 'say "hi" $USER', "PORT": 80}, "form": "env"},
            {"text": 'GREETING="say \\"hi\\" \\$USER"\nPORT=80\n'},
            source="by hand, by the quoting of POSIX shells",
        ),
        Example(
            {"document": {"a b": "\u20ac = 5", "db": {"url": "x:y"}}, "form": "properties"},
            {"text": "a\\ b=\\u20ac = 5\ndb.url=x:y\n"},
            source="Java SE API, java.util.Properties.store",
        ),
        Example(
            {"document": {"title": "x", "owner": {"name": "Tom"}, "p": [{"n": 1}, {"n": 2}]}, "form": "toml"},
            {"text": 'title = "x"\n\n[owner]\nname = "Tom"\n\n[[p]]\nn = 1\n\n[[p]]\nn = 2\n'},
            source="TOML 1.0.0, sections Table and Array of Tables",
        ),
        Refusal({"document": {"a": {"b": {"c": 1}}}, "form": "ini"}, "one level"),
        Refusal({"document": {"a": [None]}, "form": "toml"}, "no null"),
        Refusal({"document": [1], "form": "toml"}, "must be an object"),
        Refusal({"document": {"1A": 1}, "form": "env"}, "not a valid name"),
    ),
    reply={
        "args.form": "The settings as {args.form}: {text}",
        "": "The settings: {text}",
    },
    aliases=(Alias("json_convert_to_toml", constants={"form": "toml"}),),
)
def json_convert_to_settings(
    document: Document, form: Annotated[Literal["ini", "env", "properties", "toml"], About("Kind of file to write")]
) -> Written:
    """Write a JSON object as an INI file, a .env file, Java properties, or TOML with tables and arrays of tables.

    Use it to create settings for programs. Returns the text. Nested objects become INI sections; properties join nested
    names with dots; both write lists as JSON text. TOML has no null: omit such members.
    """
    value = read(document)
    if not isinstance(value, dict):
        raise ToolError("The document must be an object of names and values.")
    writers = {"ini": _ini, "env": write_env, "properties": _properties, "toml": write_toml}
    return {"text": plain(writers[form](value))}


def _ini(value: dict[str, Any]) -> str:
    lines = [_ini_line(name, part) for name, part in value.items() if not isinstance(part, dict)]
    for section, keys in value.items():
        if isinstance(keys, dict):
            if "]" in section or "\n" in section:
                raise ToolError(f"{section[:60]!r} is not a valid section name.")
            lines += ["", f"[{section}]", *(_ini_line(name, part) for name, part in keys.items())]
    return "\n".join(lines).lstrip("\n") + "\n"


def _ini_line(name: str, value: Any) -> str:
    if isinstance(value, dict):
        raise ToolError(f"{name[:60]!r} is nested too deep: INI has only one level of sections.")
    if not name.strip() or re.search(r"[=:\n\[]|^[#;]", name):
        raise ToolError(f"{name[:60]!r} is not a valid INI key.")
    return f"{name} = {text_of_value(value)}".rstrip().replace("\n", "\n    ")


def _properties(value: dict[str, Any], prefix: str = "") -> str:
    lines = []
    for name, part in value.items():
        if isinstance(part, dict):
            lines.append(_properties(part, f"{prefix}{name}."))
        else:
            key = re.sub(r"([\\ =:#!])", r"\\\1", prefix + name)
            text = re.sub(r"^ ", r"\\ ", text_of_value(part).replace("\\", "\\\\"))
            lines.append(f"{_latin(key)}={_latin(text)}\n")
    return "".join(lines)


def _latin(text: str) -> str:
    """Escape tabs, line ends and characters beyond ASCII."""
    for char, escape in {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}.items():
        text = text.replace(char, escape)
    units = text.encode("utf-16-be", "surrogatepass")
    codes = [units[place] << 8 | units[place + 1] for place in range(0, len(units), 2)]
    return "".join(chr(code) if 32 <= code < 127 else f"\\u{code:04x}" for code in codes)


@tool(
    tags="yaml edit set change value keep comments config update",
    use_when=(
        "Change the image tag in this YAML without losing the comments",
        "Set replicas to 3 in this manifest",
        "Add a key to this YAML file and keep its layout",
    ),
    examples=(
        Example(
            {"text": "# app\nimage: web:1  # pinned\nports: [80, 443]\n", "pointer": "/image", "value": "web:2"},
            {"text": "# app\nimage: web:2  # pinned\nports: [80, 443]\n"},
            source="by hand",
        ),
        Example(
            {"text": "spec:\n  a: 1 # one\n\n# end\nz: 0\n", "pointer": "/spec/b", "value": {"c": [True]}},
            {"text": 'spec:\n  a: 1 # one\n  b: {"c": [true]}\n\n# end\nz: 0\n'},
            source="by hand",
        ),
        Refusal({"text": "a: 1\n", "pointer": "/b/c", "value": 1}, "no member 'b'"),
    ),
    reply="The changed YAML: {text}",
)
def yaml_set_value(
    text: Source,
    pointer: Annotated[str, About("JSON Pointer to the value", "/spec/replicas", pattern="^/", max_length=1000)],
    value: Annotated[Any, About("New value", 3)],
) -> Written:
    """Change or add one value of a YAML document and leave all comments, order and layout as they are.

    Use it to edit settings and manifests that people maintain. Returns the edited text; it is parsed again to verify
    that only this value differs.
    """
    before = load(text, "1.2")
    if len(before) != 1:
        raise ToolError("The text must contain exactly one YAML document.")
    *steps, last = steps_of(pointer)
    parent = resolve(before[0], pointer_of(steps))
    node = _node(yaml.compose(text, Loader=loader("1.2")), before[0], steps, pointer)
    if isinstance(parent, dict) and last not in parent:
        edited = _insert(text, node, f"{_flow(last)}: {_flow(value)}")
    else:
        edited = _replace(text, _node(node, parent, [last], pointer), _flow(value))
    parent[key_of(parent, last, pointer) if isinstance(parent, list) else last] = value
    try:
        others_unchanged = load(edited, "1.2") == before
    except ToolError:
        others_unchanged = False
    if not others_unchanged:
        raise ToolError("This location cannot be changed while keeping the layout. Convert to JSON and back instead.")
    return {"text": edited}


def _node(node: Any, value: Any, steps: list[str], pointer: str) -> Any:
    """Find the node at the end of the steps below `node`, whose value is `value`. Raises `ToolError`."""
    for step in steps:
        key = key_of(value, step, pointer)
        if isinstance(value, list):
            node = node.value[key]
        else:
            node = next((part for name, part in node.value if name.value == key), None)
        if node is None:
            raise ToolError(f"{pointer[:200]}: this value comes from a merge key. Change it at its anchor.")
        value = value[key]
    return node


def _flow(value: Any) -> str:
    """Format a value on one line."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    line: str = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**9)
    return line.removesuffix("...\n").rstrip("\n")


def _replace(text: str, node: Any, flow: str) -> str:
    """Replace a node in the text; the space and comments after a block stay."""
    old = text[node.start_mark.index : _end(node)].rstrip()
    start = node.start_mark.index
    gap = " " if start and text[start - 1] == ":" else ""
    return text[:start] + gap + flow + text[start + len(old) :]


def _insert(text: str, node: Any, member: str) -> str:
    """Insert a member into a mapping, after its last one."""
    if node.flow_style or not node.value:
        comma = ", " if node.value else ""
        end = node.end_mark.index - 1
        return f"{text[:end].rstrip()}{comma}{member}{text[end:]}"
    last = text[: _end(node)].rstrip()
    line_end = text.find("\n", len(last))
    place = line_end if line_end >= 0 else len(text)
    return f"{text[:place]}\n{' ' * node.start_mark.column}{member}{text[place:]}"


def _end(node: Any) -> int:
    """Return the end of the last scalar of a node: the end mark of a block is behind the comments that follow it."""
    parts = children(node)
    if parts and not node.flow_style:
        return max(_end(parts[-1]), parts[-2].end_mark.index if len(parts) > 1 else 0)
    return int(node.end_mark.index)
