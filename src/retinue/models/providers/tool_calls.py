"""Assembles tool calls from fragments, and mends names and arguments that providers send in odd shapes."""

import json
import re
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import orjson

from retinue.models.base import ToolCall
from retinue.models.streams import join_surrogates

_NAME_PREFIX = re.compile(r"^(?:functions?|tools?|default_api|multi_tool_use)[.:/]|^<\|[a-z_]+\|>")
_NAME_END = re.compile(r"<\|.*", re.DOTALL)


def new_call_id() -> str:
    """Return an id for a call to which the provider gave none, or one that is already in use."""
    return f"call_{secrets.token_hex(8)}"


@dataclass(slots=True)
class PartialCall:
    """A tool call that is still arriving. `given_id` is empty if the provider sent no id."""

    id: str
    given_id: str
    names: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    extra: dict[str, object] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name so far. A fragment that equals it is a repetition, any other a continuation."""
        name = ""
        for fragment in self.names:
            name = name if fragment == name else name + fragment
        return name

    def has_complete_arguments(self) -> bool:
        """Return whether the arguments received so far are a JSON object."""
        return _is_object("".join(self.arguments))


class CallAssembler:
    """Assembles the calls of one reply. Some providers omit indexes, ids or names, or repeat them."""

    def __init__(self) -> None:
        self.partial: list[PartialCall] = []
        self._by_index: dict[int, PartialCall] = {}

    def add(self, index: int | None, call_id: str, name: str, arguments: str) -> PartialCall:
        """Add a fragment. Return the call that it belongs to."""
        call = self._find(index, call_id)
        if call is None or _begins_next(call, call_id, name, arguments):
            call = self._begin(call_id, "" if call is None or name else call.name)
        elif call_id and not call.given_id:
            call.given_id = call_id
        if index is not None:
            self._by_index[index] = call
        if name:
            call.names.append(name)
        if arguments and not _is_repetition(call, call_id, arguments):
            if arguments.lstrip()[:1] == "{" and "".join(call.arguments) == "{}":
                call.arguments.clear()  # A placeholder before the real arguments.
            call.arguments.append(arguments)
        return call

    def calls(self, offered: Collection[str]) -> list[ToolCall]:
        """Return the calls. Arguments that cannot be read stay as they are."""
        return [
            ToolCall(call.id, resolve_name(call.names, offered), normalize_arguments("".join(call.arguments)))
            for call in self.partial
            if not self._is_echo(call)
        ]

    def _find(self, index: int | None, call_id: str) -> PartialCall | None:
        if index is not None and index in self._by_index:
            return self._by_index[index]
        last = self.partial[-1] if self.partial else None
        if index is None and not call_id:
            return last
        if last and call_id and last.given_id == call_id and (index is None or not last.has_complete_arguments()):
            return last
        same = (call for call in self.partial if index is None and call.given_id == call_id)
        return next(same, None)

    def _begin(self, call_id: str, name: str) -> PartialCall:
        is_new = bool(call_id) and all(call.id != call_id for call in self.partial)
        call = PartialCall(call_id if is_new else new_call_id(), call_id, [name] if name else [])
        self.partial.append(call)
        return call

    def _is_echo(self, call: PartialCall) -> bool:
        """True for a call without id and arguments that only repeats the name of the call before it."""
        at = self.partial.index(call)
        before = self.partial[at - 1] if at else None
        return (
            before is not None
            and not (call.given_id or call.arguments)
            and call.name == before.name
            and bool(before.arguments)
        )


def _begins_next(call: PartialCall, call_id: str, name: str, arguments: str) -> bool:
    """Return whether a fragment at the place of `call` belongs to the next one."""
    begins_object = arguments.lstrip()[:1] == "{"
    if call_id and call.given_id and call_id != call.given_id:
        is_complete = call.has_complete_arguments()
        return is_complete or (bool(name) and (begins_object or not call.arguments))
    if name and not call_id:
        return bool(call.names) and call.has_complete_arguments()
    if not begins_object or not call.arguments or _is_repetition(call, call_id, arguments):
        return False
    return "".join(call.arguments) != "{}" and call.has_complete_arguments()


def _is_repetition(call: PartialCall, call_id: str, arguments: str) -> bool:
    """Return whether a fragment with the id of `call` repeats its whole arguments."""
    return (
        bool(call_id)
        and call_id == call.given_id
        and arguments[:1] == "{"
        and "".join(call.arguments) == arguments
        and call.has_complete_arguments()
    )


def resolve_name(fragments: list[str], offered: Collection[str]) -> str:
    """Return the name that fragments spell, without what some models write around it."""
    spelled = [PartialCall("", "", fragments).name, "".join(fragments)]
    for name in spelled:
        for form in (name, clean_name(name)):
            if form in offered:
                return form
    cleaned = clean_name(spelled[0])
    repeated = (tool for tool in offered if tool and cleaned and cleaned == tool * (len(cleaned) // len(tool)))
    return next(repeated, cleaned)


def clean_name(name: str) -> str:
    """Remove prefixes such as `functions.` and special tokens such as `<|channel|>commentary`."""
    name = name.strip().strip("\"'`")
    while (shorter := _NAME_PREFIX.sub("", name)) != name:
        name = shorter
    return _NAME_END.sub("", name).strip()


def normalize_arguments(text: str) -> str:
    """Return the JSON object that `text` means: also quoted twice, sent twice, or with halves of surrogate pairs.

    Text that means none is returned unchanged.
    """
    if not text.strip() or text.strip() == "null":
        return "{}"
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _mend_arguments(text)
    if isinstance(value, str) and _is_object(value):
        return value
    return text


def arguments_object(arguments: str) -> dict[str, object]:
    """Return arguments to send back; {} if they are not a JSON object."""
    try:
        value = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def valid_arguments(arguments: str) -> str:
    """Return the JSON text of arguments to send back; `{}` if they are not a JSON object."""
    return arguments if _is_object(arguments) else "{}"


def arguments_text(value: object) -> str:
    """Return arguments that arrived as text or, from some providers, as an object."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, Mapping):
        return orjson.dumps(value).decode() if value else "{}"
    raise TypeError(f"{value!r} are not arguments")


def _mend_arguments(text: str) -> str:
    half, odd = divmod(len(text), 2)
    if not odd and text[:half] == text[half:] and _is_object(text[:half]):
        return text[:half]
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text
    return join_surrogates(json.dumps(value, ensure_ascii=False)) if isinstance(value, dict) else text


def _is_object(text: str) -> bool:
    if not text.rstrip().endswith("}"):
        return False
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False
