"""Changes of JSON documents: comparison, JSON Patch (RFC 6902), merge patch (RFC 7396)."""

import copy
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._pointers import key_of, pointer_of, position_of, resolve, steps_of
from retinue_tools.data_formats._values import Document, Value, plain, read
from retinue_tools.data_formats.json_compare import same_value

Operation = TypedDict(
    "Operation",
    {
        "op": Annotated[Literal["add", "remove", "replace", "move", "copy", "test"], About("What to do")],
        "path": Annotated[str, About("JSON Pointer to the place", "/price", max_length=2000)],
        "value": NotRequired[Annotated[Any, About("The value to add, to put in place or to test for")]],
        "from": NotRequired[Annotated[str, About("JSON Pointer to what is moved or copied", max_length=2000)]],
    },
)
"""An operation of JSON Patch."""
MergePatch = Annotated[
    dict[str, Any] | list[Any] | str,
    About("Merge patch, as a value or as JSON text; null deletes", {"price": 3, "old": None}, max_length=900_000),
]


@tool(
    tags="json patch apply rfc6902 operations add remove replace move copy test",
    use_when=(
        "Apply this JSON Patch to my document",
        "Execute the operations add and remove on this JSON",
        "Move /a to /b in this JSON",
    ),
    examples=(
        Example(
            {"document": {"foo": "bar"}, "operations": [{"op": "add", "path": "/baz", "value": "qux"}]},
            {"value": {"baz": "qux", "foo": "bar"}},
            source="RFC 6902, appendix A.1",
        ),
        Example(
            {
                "document": {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
                "operations": [{"op": "move", "from": "/foo/waldo", "path": "/qux/thud"}],
            },
            {"value": {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}}},
            source="RFC 6902, appendix A.6",
        ),
        Example(
            {"document": {"foo": ["bar"]}, "operations": [{"op": "add", "path": "/foo/-", "value": ["abc", "def"]}]},
            {"value": {"foo": ["bar", ["abc", "def"]]}},
            source="RFC 6902, appendix A.16",
        ),
        Refusal(
            {"document": {"baz": "qux"}, "operations": [{"op": "test", "path": "/baz", "value": "bar"}]},
            "the test failed",
        ),
        Refusal(
            {"document": {"foo": "bar"}, "operations": [{"op": "add", "path": "/baz/bat", "value": "qux"}]},
            "no member 'baz'",
        ),
    ),
)
def json_apply_patch(
    document: Document,
    operations: Annotated[
        list[Operation],
        About(
            "The operations in their order",
            [{"op": "replace", "path": "/price", "value": 3}],
            min_items=1,
            max_items=2000,
        ),
    ],
) -> Value:
    """Apply a JSON Patch (RFC 6902) to a document: add, remove, replace, move, copy and test.

    Use it to change, move or delete exact places of a JSON document. Returns the patched document; if one operation
    fails, nothing is changed and the message tells which.
    """
    value = copy.deepcopy(read(document))
    for number, operation in enumerate(operations, 1):
        try:
            value = _apply(value, operation)
        except ToolError as error:
            raise ToolError(f"Operation {number} ({operation['op']}): {error}") from error
    return {"value": plain(value)}


@tool(
    tags="json merge patch rfc7386 rfc7396 update partial null delete",
    use_when=(
        "Apply this merge patch to my settings",
        "What does a PATCH with application/merge-patch+json do to this resource?",
        "Update the title and delete the phone number of this JSON",
    ),
    examples=(
        Example(
            {"document": {"a": "b", "b": "c"}, "patch": {"a": None}}, {"value": {"b": "c"}}, "RFC 7396, appendix A"
        ),
        Example(
            {"document": {"a": {"b": "c"}}, "patch": {"a": {"b": "d", "c": None}}},
            {"value": {"a": {"b": "d"}}},
            "RFC 7396, appendix A",
        ),
        Example(
            {"document": {}, "patch": {"a": {"bb": {"ccc": None}}}},
            {"value": {"a": {"bb": {}}}},
            "RFC 7396, appendix A",
        ),
        Example({"document": {"a": [1, 2]}, "patch": ["c"]}, {"value": ["c"]}, source="RFC 7396, section 2"),
        Refusal({"document": {}, "patch": "{a"}, "not JSON"),
    ),
)
def json_apply_merge_patch(document: Document, patch: MergePatch) -> Value:
    """Apply a JSON merge patch (RFC 7396, formerly RFC 7386) to a document.

    Use it for partial updates: members of the patch replace or extend those of the document, null deletes them, lists
    are replaced whole. Returns the new document.
    """
    return {"value": plain(_merge(read(document), read(patch)))}


def _merge(value: Any, patch: Any) -> Any:
    """The function MergePatch of RFC 7396, section 2."""
    if not isinstance(patch, dict):
        return patch
    base = value if isinstance(value, dict) else {}
    kept = {name: part for name, part in base.items() if name not in patch}
    return kept | {name: _merge(base.get(name), part) for name, part in patch.items() if part is not None}


def _apply(document: Any, operation: Operation) -> Any:
    """The document after one operation; it may be changed in place."""
    name, path = operation["op"], operation["path"]
    if name in ("add", "replace", "test") and "value" not in operation:
        raise ToolError("the operation needs a member value.")
    if name == "test":
        if not same_value(resolve(document, path), operation["value"]):
            raise ToolError(f"the test failed: {path or 'the document'} has another value.")
        return document
    if name in ("move", "copy"):
        return _transfer(document, operation)
    if name == "add":
        return _add(document, path, operation["value"])
    resolve(document, path)
    return _replace(document, path, operation["value"]) if name == "replace" else _remove(document, path)


def _transfer(document: Any, operation: Operation) -> Any:
    source, path = operation.get("from"), operation["path"]
    if source is None:
        raise ToolError("the operation needs a member from.")
    value = copy.deepcopy(resolve(document, source))
    if operation["op"] == "move":
        if path.startswith(f"{source}/"):
            raise ToolError("a value cannot be moved into itself.")
        document = _remove(document, source)
    return _add(document, path, value)


def _parent(document: Any, path: str) -> tuple[Any, str]:
    *steps, last = steps_of(path)
    return resolve(document, pointer_of(steps)), last


def _add(document: Any, path: str, value: Any) -> Any:
    if not steps_of(path):
        return value
    parent, last = _parent(document, path)
    if isinstance(parent, list):
        place = len(parent) if last == "-" else position_of(parent, last, len(parent) + 1, path)
        parent.insert(place, value)
    elif isinstance(parent, dict):
        parent[last] = value
    else:
        raise ToolError(f"{path[:200]}: there is neither object nor list to add to.")
    return document


def _replace(document: Any, path: str, value: Any) -> Any:
    if not steps_of(path):
        return value
    parent, last = _parent(document, path)
    parent[key_of(parent, last, path)] = value
    return document


def _remove(document: Any, path: str) -> Any:
    if not steps_of(path):
        return None
    parent, last = _parent(document, path)
    del parent[key_of(parent, last, path)]
    return document
