"""Changes of YAML that keep its layout."""

import json
from typing import Annotated, Any

import yaml

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._pointers import key_of, pointer_of, resolve, steps_of
from retinue_tools.data_formats._values import Written
from retinue_tools.data_formats.yaml_text import Source, children, load, loader


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
)
def yaml_set_value(
    text: Source,
    pointer: Annotated[str, About("JSON Pointer to the value", "/spec/replicas", pattern="^/", max_length=1000)],
    value: Annotated[Any, About("The new value", 3)],
) -> Written:
    """Change or add one value of a YAML document and leave all comments, order and layout as they are.

    Use it to edit settings and manifests that people maintain. Returns the edited text; it is read again to make sure
    that nothing but this value differs.
    """
    before = load(text, "1.2")
    if len(before) != 1:
        raise ToolError("The text must hold exactly one YAML document.")
    *steps, last = steps_of(pointer)
    parent = resolve(before[0], pointer_of(steps))
    node = _node(yaml.compose(text, Loader=loader("1.2")), before[0], steps, pointer)
    if isinstance(parent, dict) and last not in parent:
        made = _insert(text, node, f"{_flow(last)}: {_flow(value)}")
    else:
        made = _replace(text, _node(node, parent, [last], pointer), _flow(value))
    parent[key_of(parent, last, pointer) if isinstance(parent, list) else last] = value
    try:
        kept = load(made, "1.2") == before
    except ToolError:
        kept = False
    if not kept:
        raise ToolError("This place cannot be changed with the layout kept. Convert to JSON and back instead.")
    return {"text": made}


def _node(node: Any, value: Any, steps: list[str], pointer: str) -> Any:
    """The node below `node`, whose value is `value`, at the end of the steps. Raises `ToolError`."""
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
    """A value in one line."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    line: str = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**9)
    return line.removesuffix("...\n").rstrip("\n")


def _replace(text: str, node: Any, flow: str) -> str:
    """The text with a node written anew; the space and comments after a block stay."""
    old = text[node.start_mark.index : _end(node)].rstrip()
    start = node.start_mark.index
    gap = " " if start and text[start - 1] == ":" else ""
    return text[:start] + gap + flow + text[start + len(old) :]


def _insert(text: str, node: Any, member: str) -> str:
    """The text with a member added to a mapping, after its last one."""
    if node.flow_style or not node.value:
        comma = ", " if node.value else ""
        end = node.end_mark.index - 1
        return f"{text[:end].rstrip()}{comma}{member}{text[end:]}"
    last = text[: _end(node)].rstrip()
    line_end = text.find("\n", len(last))
    place = line_end if line_end >= 0 else len(text)
    return f"{text[:place]}\n{' ' * node.start_mark.column}{member}{text[place:]}"


def _end(node: Any) -> int:
    """Where the last scalar of a node ends: the end mark of a block lies behind the comments that follow it."""
    parts = children(node)
    if parts and not node.flow_style:
        return max(_end(parts[-1]), parts[-2].end_mark.index if len(parts) > 1 else 0)
    return int(node.end_mark.index)
