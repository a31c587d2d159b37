"""Diagrams as Mermaid text, generated from lists."""

import re
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_SHAPES = {"box": "[{}]", "round": "({})", "decision": "{{{}}}", "database": "[({})]", "circle": "(({}))"}
_ARROWS = {"call": "->>", "reply": "-->>", "async": "-)", "lost": "-x"}

Label = Annotated[str, About("A name or label", "Web server", min_length=1, max_length=200)]


class Message(TypedDict):
    """A message between two parties."""

    sender: Label
    receiver: Label
    text: Annotated[str, About("Message text", "GET /orders", max_length=300)]
    kind: NotRequired[Annotated[Literal["call", "reply", "async", "lost"], About("Style of the arrow; default: call")]]


class Step(TypedDict):
    """A connection of a flow chart."""

    source: Label
    target: Label
    label: NotRequired[Annotated[str, About("Label of the arrow", "yes", max_length=200)]]


class Drawing(TypedDict):
    """A diagram."""

    mermaid: Annotated[str, About("Mermaid text")]
    names: Annotated[list[str], About("Parties or boxes in the order of their IDs")]


@tool(
    tags="sequence diagram mermaid uml messages participants interaction draw",
    use_when=(
        "Draw a sequence diagram of a login between browser, server and database",
        "Make a Mermaid sequence diagram from these messages",
        "Show who calls whom as a UML sequence",
    ),
    examples=(
        Example(
            {
                "messages": [
                    {"sender": "Browser", "receiver": "API; v1", "text": "POST /login"},
                    {"sender": "API; v1", "receiver": "Browser", "text": "200", "kind": "reply"},
                ]
            },
            {
                "names": ["Browser", "API; v1"],
                "mermaid": "sequenceDiagram\n  participant p0 as Browser\n  participant p1 as API#59; v1\n"
                "  p0->>p1: POST /login\n  p1-->>p0: 200\n",
            },
            source="the syntax of Mermaid sequence diagrams: a semicolon is written #59;",
        ),
        Refusal({"messages": []}, "item"),
    ),
    reply="The sequence diagram: {mermaid}",
)
def mermaid_draw_sequence(
    messages: Annotated[
        list[Message],
        About(
            "Messages in chronological order",
            [{"sender": "Browser", "receiver": "API", "text": "GET /"}],
            min_items=1,
            max_items=300,
        ),
    ],
) -> Drawing:
    """Draw a sequence diagram from messages between parties as Mermaid text.

    Use it to document a protocol or a call chain. Any characters are allowed in names and messages. Returns text for
    Markdown pages that render Mermaid.
    """
    names = list(dict.fromkeys(name for one in messages for name in (one["sender"], one["receiver"])))
    ids = {name: f"p{number}" for number, name in enumerate(names)}
    lines = [f"  participant {ids[name]} as {_escape(name)}" for name in names]
    for one in messages:
        arrow = _ARROWS[one.get("kind", "call")]
        lines.append(f"  {ids[one['sender']]}{arrow}{ids[one['receiver']]}: {_escape(one['text']) or ' '}")
    return {"mermaid": "\n".join(["sequenceDiagram", *lines]) + "\n", "names": names}


@tool(
    tags="flowchart flow chart diagram mermaid process steps decision architecture draw",
    use_when=(
        "Draw a flowchart of this process",
        "Make a Mermaid architecture diagram from these connections",
        "Show these steps with a yes/no decision as a chart",
        "Flow chart",
    ),
    examples=(
        Example(
            {
                "steps": [{"source": "Start", "target": "OK?"}, {"source": "OK?", "target": "End (1)", "label": "yes"}],
                "shapes": {"OK?": "decision"},
            },
            {
                "mermaid": 'flowchart TB\n  n0["Start"]\n  n1{"OK?"}\n  n2["End (1)"]\n  n0 --> n1\n '
                ' n1 -->|"yes"| n2\n',
                "names": ["Start", "OK?", "End (1)"],
            },
            source="the syntax of Mermaid flow charts",
        ),
        Example(
            {"steps": [{"source": "a", "target": "b"}], "direction": "LR", "shapes": {"b": "database"}},
            {"mermaid": 'flowchart LR\n  n0["a"]\n  n1[("b")]\n  n0 --> n1\n'},
            source="the syntax of Mermaid flow charts",
        ),
        Refusal({"steps": [{"source": "a", "target": "b"}], "shapes": {"c": "box"}}, "no box named c"),
    ),
    reply="The flow chart: {mermaid}",
)
def mermaid_draw_flowchart(
    steps: Annotated[
        list[Step], About("Connections", [{"source": "Start", "target": "End"}], min_items=1, max_items=500)
    ],
    direction: Annotated[Literal["TB", "LR", "BT", "RL"], About("Top to bottom, left to right, or the reverse")] = "TB",
    shapes: Annotated[
        dict[str, Literal["box", "round", "decision", "database", "circle"]],
        About("Shape of each box by its text; default: box", {"OK?": "decision"}),
    ]
    | None = None,
) -> Drawing:
    """Draw a flow chart or architecture diagram from connections as Mermaid text.

    Use it for processes, pipelines and systems. Boxes are identified by their text, in which any characters are
    allowed. Returns text for Markdown pages that render Mermaid.
    """
    names = list(dict.fromkeys(name for one in steps for name in (one["source"], one["target"])))
    for name in shapes or {}:
        if name not in names:
            raise ToolError(f"There is no box named {name}. Shapes are given by the text of a box.")
    ids = {name: f"n{number}" for number, name in enumerate(names)}
    lines = [f"  {ids[name]}{_SHAPES[(shapes or {}).get(name, 'box')].format(_quote(name))}" for name in names]
    for one in steps:
        label = f"|{_quote(one['label'])}|" if one.get("label") else ""
        lines.append(f"  {ids[one['source']]} -->{label} {ids[one['target']]}")
    return {"mermaid": "\n".join([f"flowchart {direction}", *lines]) + "\n", "names": names}


def _escape(text: str) -> str:
    """Return the text on one line, with entity codes for characters that are Mermaid syntax."""
    plain = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"[#;<>]", lambda found: f"#{ord(found[0])};", plain)


def _quote(text: str) -> str:
    plain = re.sub(r"\s+", " ", text).strip()
    return '"' + re.sub(r'["#<>]', lambda found: f"#{ord(found[0])};", plain) + '"'
