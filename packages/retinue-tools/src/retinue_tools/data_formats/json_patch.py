"""Differences between JSON documents, JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7396)."""

import copy
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._pointers import key_of, pointer_of, position_of, resolve, steps_of
from retinue_tools.data_formats._values import Document, Value, dump, plain, read

Steps = tuple[str | int, ...]
Other = Annotated[
    dict[str, Any] | list[Any] | str,
    About("Later JSON document, as a value or as JSON text", {"name": "Tea", "price": 3}, max_length=900_000),
]


class Change(TypedDict):
    """A difference."""

    path: Annotated[str, About("JSON Pointer to the location; positions apply while the patch is applied")]
    change: Annotated[Literal["added", "removed", "changed"], About("Kind of change")]
    before: NotRequired[Annotated[Any, About("Earlier value")]]
    after: NotRequired[Annotated[Any, About("Later value")]]


class Comparison(TypedDict):
    """Differences between two documents."""

    equal: Annotated[bool, About("Whether the documents are equal, regardless of the order of members")]
    changes: Annotated[list[Change], About("Differences with the values before and after")]
    patch: Annotated[Any, About("Patch from the earlier to the later document")]


@tool(
    tags="json diff compare difference patch rfc6902 merge changes",
    use_when=(
        "What changed between these two JSON documents?",
        "Make a JSON Patch from the old to the new version",
        "Are these two API responses the same?",
        "Create a merge patch that turns A into B",
    ),
    examples=(
        Example(
            {"earlier": {"foo": ["bar", "baz"]}, "later": {"foo": ["bar", "qux", "baz"]}},
            {"equal": False, "patch": [{"op": "add", "path": "/foo/1", "value": "qux"}]},
            source="RFC 6902, appendix A.2",
        ),
        Example(
            {"earlier": {"baz": "qux", "foo": "bar"}, "later": {"foo": "boo"}},
            {
                "changes": [
                    {"path": "/baz", "change": "removed", "before": "qux"},
                    {"path": "/foo", "change": "changed", "before": "bar", "after": "boo"},
                ]
            },
            source="by hand",
        ),
        Example(
            {"earlier": {"a": [{"b": "c"}], "d": 1}, "later": {"a": [1]}, "form": "merge_patch"},
            {"patch": {"a": [1], "d": None}},
            source="RFC 7396, appendix A, and its section 2 on deletion",
        ),
        Example(
            {"earlier": {"a": 1, "b": 2}, "later": '{"b": 2.0, "a": 1}'},
            {"equal": True, "patch": []},
            source="RFC 6902, section 4.6: numbers are equal by their value",
        ),
        Refusal({"earlier": {"a": 1}, "later": {"a": None}, "form": "merge_patch"}, "cannot set null"),
    ),
    reply={
        "equal": "The documents are equal.",
        "changes": "The documents differ: {changes}",
        "": "The documents differ.",
    },
    pace="normal",
)
def json_compare_documents(
    earlier: Document,
    later: Other,
    form: Annotated[Literal["json_patch", "merge_patch"], About("Kind of patch: RFC 6902 or RFC 7396")] = "json_patch",
) -> Comparison:
    """Compare two JSON documents and make the patch from the one to the other.

    Use it to find changes, regardless of the order of members; moved list items are aligned. Returns each difference
    with both values, and a JSON Patch or merge patch.
    """
    old, new = read(earlier), read(later)
    changes = list(_changes(old, new, ()))
    patch = _merge_patch(old, new) if form == "merge_patch" else [_operation(change) for change in changes]
    return {"equal": not changes, "changes": plain(changes), "patch": plain(patch)}


def _changes(old: Any, new: Any, steps: Steps) -> Iterator[Change]:
    """Return the differences in an order in which they can be applied one after the other."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in old:
            if name in new:
                yield from _changes(old[name], new[name], (*steps, name))
            else:
                yield {"path": pointer_of((*steps, name)), "change": "removed", "before": old[name]}
        for name in [name for name in new if name not in old]:
            yield {"path": pointer_of((*steps, name)), "change": "added", "after": new[name]}
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list_changes(old, new, steps)
    elif not same_value(old, new):
        yield {"path": pointer_of(steps), "change": "changed", "before": old, "after": new}


def _list_changes(old: list[Any], new: list[Any], steps: Steps) -> Iterator[Change]:
    """Compare lists from the end to the start, so that earlier positions stay valid."""
    before, after = ([dump(item, None) for item in items] for items in (old, new))
    for _, start, end, new_start, new_end in reversed(
        SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    ):
        common = min(end - start, new_end - new_start)
        for position in range(end - 1, start + common - 1, -1):
            yield {"path": pointer_of((*steps, position)), "change": "removed", "before": old[position]}
        for offset in range(common):
            yield from _changes(old[start + offset], new[new_start + offset], (*steps, start + offset))
        for offset in range(common, new_end - new_start):
            yield {"path": pointer_of((*steps, start + offset)), "change": "added", "after": new[new_start + offset]}


def _operation(change: Change) -> dict[str, Any]:
    if change["change"] == "removed":
        return {"op": "remove", "path": change["path"]}
    return {"op": "add" if change["change"] == "added" else "replace", "path": change["path"], "value": change["after"]}


def _merge_patch(old: Any, new: Any) -> Any:
    if not isinstance(new, dict):
        return new
    before = old if isinstance(old, dict) else {}
    patch: dict[str, Any] = {name: None for name in before if name not in new}
    for name, value in new.items():
        if value is None and before.get(name, 0) is not None:
            raise ToolError(f"A merge patch cannot set null, as {name[:60]!r} needs. Choose json_patch instead.")
        if name not in before or not same_value(before[name], value):
            patch[name] = _merge_patch(before.get(name), value)
    return patch


def same_value(one: Any, other: Any) -> bool:
    """Equality of RFC 6902, section 4.6: numbers by value, objects regardless of order; true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(part, other[name]) for name, part in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


Operation = TypedDict(
    "Operation",
    {
        "op": Annotated[Literal["add", "remove", "replace", "move", "copy", "test"], About("Operation")],
        "path": Annotated[str, About("JSON Pointer to the location", "/price", max_length=2000)],
        "value": NotRequired[Annotated[Any, About("Value to add, replace or test")]],
        "from": NotRequired[Annotated[str, About("JSON Pointer to the source of move or copy", max_length=2000)]],
    },
)
"""An operation of JSON Patch."""
MergePatch = Annotated[
    dict[str, Any] | list[Any] | str,
    About(
        "Merge patch, as a value or as JSON text; null deletes a member", {"price": 3, "old": None}, max_length=900_000
    ),
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
    reply="The document after the patch: {value}",
)
def json_apply_patch(
    document: Document,
    operations: Annotated[
        list[Operation],
        About(
            "Operations in order",
            [{"op": "replace", "path": "/price", "value": 3}],
            min_items=1,
            max_items=2000,
        ),
    ],
) -> Value:
    """Apply a JSON Patch (RFC 6902) to a document: add, remove, replace, move, copy and test.

    Use it to change, move or delete specific parts of a JSON document. Returns the patched document; if one operation
    fails, nothing is changed and the message names the operation.
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
    reply="The document after the patch: {value}",
)
def json_apply_merge_patch(document: Document, patch: MergePatch) -> Value:
    """Apply a JSON merge patch (RFC 7396, formerly RFC 7386) to a document.

    Use it for partial updates: members of the patch replace or extend those of the document, null deletes them, lists
    are replaced entirely. Returns the new document.
    """
    return {"value": plain(_merge(read(document), read(patch)))}


def _merge(value: Any, patch: Any) -> Any:
    """The function MergePatch of RFC 7396, section 2."""
    if not isinstance(patch, dict):
        return patch
    base = value if isinstance(value, dict) else {}
    unchanged = {name: part for name, part in base.items() if name not in patch}
    return unchanged | {name: _merge(base.get(name), part) for name, part in patch.items() if part is not None}


def _apply(document: Any, operation: Operation) -> Any:
    """Return the document after one operation; it may be modified in place."""
    name, path = operation["op"], operation["path"]
    if name in ("add", "replace", "test") and "value" not in operation:
        raise ToolError("the operation needs the member value.")
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
        raise ToolError("the operation needs the member from.")
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
        raise ToolError(f"{path[:200]}: the parent is neither an object nor a list.")
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
