"""Differences of JSON documents."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._pointers import pointer_of
from retinue_tools.data_formats._values import Document, dump, plain, read

Steps = tuple[str | int, ...]
Other = Annotated[
    dict[str, Any] | list[Any] | str,
    About("The later JSON document, as a value or as JSON text", {"name": "Tea", "price": 3}, max_length=900_000),
]


class Change(TypedDict):
    """One difference."""

    path: Annotated[str, About("JSON Pointer to the place; positions are those while the patch is applied")]
    change: Annotated[Literal["added", "removed", "changed"], About("What happened there")]
    before: NotRequired[Annotated[Any, About("The earlier value")]]
    after: NotRequired[Annotated[Any, About("The later value")]]


class Comparison(TypedDict):
    """What differs between two documents."""

    equal: Annotated[bool, About("Whether the documents are the same, whatever the order of members")]
    changes: Annotated[list[Change], About("The differences, with the values before and after")]
    patch: Annotated[Any, About("The patch that makes the later document of the earlier one")]


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
    pace="normal",
)
def json_compare_documents(
    earlier: Document,
    later: Other,
    form: Annotated[Literal["json_patch", "merge_patch"], About("Kind of patch: RFC 6902 or RFC 7396")] = "json_patch",
) -> Comparison:
    """Compare two JSON documents and make the patch from the one to the other.

    Use it to see what changed, whatever the order of members; moved list items are aligned. Returns each difference
    with both values, and a JSON Patch or merge patch.
    """
    old, new = read(earlier), read(later)
    changes = list(_changes(old, new, ()))
    patch = _merge_patch(old, new) if form == "merge_patch" else [_operation(change) for change in changes]
    return {"equal": not changes, "changes": plain(changes), "patch": plain(patch)}


def _changes(old: Any, new: Any, steps: Steps) -> Iterator[Change]:
    """The differences, in an order in which they can be applied one after the other."""
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
    """From the end to the start, so that the positions before stay as they are."""
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
    """Equality of RFC 6902, section 4.6: numbers by value, objects whatever their order; true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(part, other[name]) for name, part in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
