"""Renders `retinue_client/_resources/`: for each resource a class, blocking and asynchronous."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from clients.python.codegen.document import Document, Operation
from clients.python.codegen.naming import BY_HAND, Place, place_of
from clients.python.codegen.types_module import CHOICES, docstring, query_name

_HEAD = '''"""{about}

Made from the server's OpenAPI document by `make client`.
"""
'''
_IMPORTED = {
    "_calls": "Call, path_of",
    "_listings": "AsyncListing, Listing",
    "_streams": "AsyncStream, Stream",
    "_transport": "AsyncTransport, Transport",
}
_TYPES = {"string": "str", "integer": "int"}
WITH_PARENT = frozenset({("files",), ("runs",), ("tools",), ("usage",)})
"""Resources that have methods written by hand as well."""

Tree = Mapping[tuple[str, ...], Sequence[Operation]]


@dataclass(frozen=True)
class Style:
    """What differs between blocking and asynchronous code."""

    prefix: str
    define: str
    wait: str


STYLES = (Style("", "def", ""), Style("Async", "async def", "await "))


def render(document: Document) -> dict[str, str]:
    """The source of each module by file name, not yet formatted."""
    tree = _tree(document)
    top = sorted({resource[0] for resource in tree})
    return {f"{name}.py": _module(document, name, tree) for name in top} | {"__init__.py": _index(top)}


def _tree(document: Document) -> Tree:
    tree: dict[tuple[str, ...], list[Operation]] = defaultdict(list)
    taken: dict[str, str] = {}
    for operation in document.operations:
        place = place_of(operation)
        if (other := taken.setdefault(str(place), operation.id)) != operation.id:
            raise ValueError(f"{other} and {operation.id} would both be {place}: name one in naming.py.")
        tree[place.resource].append(operation)
        if len(place.resource) > 1:
            tree[place.resource[:-1]]
    return tree


def class_name(resource: tuple[str, ...]) -> str:
    """The class of a resource: `fleets.deployments` is `FleetsDeployments`."""
    return "".join(word.capitalize() for part in resource for word in part.split("_"))


def _index(top: Sequence[str]) -> str:
    lines = [_HEAD.format(about="The resources of a client.")]
    lines += ["from retinue_client._transport import AsyncTransport, Transport"]
    for name in top:
        kind = class_name((name,))
        lines.append(f"from retinue_client._resources.{name} import Async{kind}, {kind}")
    for style in STYLES:
        lines += ["", "", f"class {style.prefix}Resources:", '    """Every resource as an attribute."""', ""]
        lines.append(f"    def __init__(self, transport: {style.prefix}Transport) -> None:")
        lines += [f"        self.{name} = {style.prefix}{class_name((name,))}(transport)" for name in top]
    return "\n".join(lines) + "\n"


def _module(document: Document, name: str, tree: Tree) -> str:
    # Inner resources first: the outer class makes them.
    members = sorted((resource for resource in tree if resource[0] == name), key=lambda one: (-len(one), one))
    classes = [_class(document, one, tree, style) for one in members for style in STYLES]
    return _HEAD.format(about=f"`client.{name}`.") + _imports() + "\n" + "\n\n".join(classes) + "\n"


def _imports() -> str:
    """Every import that a module may need; the formatter removes those that are not used."""
    lines = ["from typing import Literal, Unpack, overload", "from retinue_client import _by_hand, types"]
    lines += [f"from retinue_client.{module} import {names}" for module, names in _IMPORTED.items()]
    return "\n".join(lines) + "\n"


def _class(document: Document, resource: tuple[str, ...], tree: Tree, style: Style) -> str:
    inner = sorted(one for one in tree if len(one) == len(resource) + 1 and one[:-1] == resource)
    parent = f"(_by_hand.{style.prefix}{class_name(resource)})" if resource in WITH_PARENT else ""
    lines = [f"class {style.prefix}{class_name(resource)}{parent}:", f'    """`client.{".".join(resource)}`."""', ""]
    lines += [f"    def __init__(self, transport: {style.prefix}Transport) -> None:"]
    lines += ["        super().__init__(transport)"] if parent else ["        self._transport = transport"]
    lines += [f"        self.{one[-1]} = {style.prefix}{class_name(one)}(transport)" for one in inner]
    # A method called `list` would hide the built-in from annotations of those after it, so it comes last.
    operations = [operation for operation in tree[resource] if operation.id not in BY_HAND]
    for operation in sorted(operations, key=lambda one: place_of(one).method == "list"):
        lines += ["", *_method(document, operation, place_of(operation), style)]
    return "\n".join(lines)


def _method(document: Document, operation: Operation, place: Place, style: Style) -> Iterator[str]:
    if operation.chunk and operation.answers:
        yield from _choosing_method(document, operation, place, style)
    elif operation.chunk:
        yield from _stream_method(operation, place, style)
    else:
        yield from _plain_method(document, operation, place, style)


def _plain_method(document: Document, operation: Operation, place: Place, style: Style) -> Iterator[str]:
    kind, is_list = document.data_of(next(iter(operation.answers.values())))
    result = f"{style.prefix}Listing[types.{kind}]" if is_list else f"types.{kind}"
    define, wait = ("def", "") if is_list else (style.define, style.wait)
    yield f"    {define} {place.method}({_parameters(operation)}) -> {result}:"
    yield from docstring(operation.content["description"], "        ")
    sender = "listing" if is_list else "record"
    yield f"        return {wait}self._transport.{sender}({_call(operation)}, types.{kind})"


def _stream_method(operation: Operation, place: Place, style: Style) -> Iterator[str]:
    parameters = f"{_parameters(operation)}, *, last_event_id: str | None = None"
    yield f"    {style.define} {place.method}({parameters}) -> {style.prefix}Stream[types.{operation.chunk}]:"
    yield from docstring(operation.content["description"], "        ")
    call = _call(operation).removesuffix(")") + ", last_event_id=last_event_id)"
    yield f"        call = {call}"
    arguments = f"call, types.{operation.chunk}, resumes={operation.resumes}"
    yield f"        return {style.wait}self._transport.stream({arguments})"


def _choosing_method(document: Document, operation: Operation, place: Place, style: Style) -> Iterator[str]:
    """A method whose result depends on `stream`, and on `background` where there is that choice."""
    stream = f"{style.prefix}Stream[types.{operation.chunk}]"
    kinds = {status: f"types.{document.data_of(answer)[0]}" for status, answer in operation.answers.items()}
    choices = [name for name in CHOICES if name in document.schemas[operation.body]["properties"]]
    results = {"stream": stream, "background": kinds.get("202", ""), "": " | ".join(kinds.values())}
    for chosen in (*choices, ""):
        flags = [f"{name}: Literal[{name == chosen}]{'' if name == chosen else ' = False'}" for name in choices]
        yield "    @overload"
        yield f"    {style.define} {place.method}({_parameters(operation, flags)}) -> {results[chosen]}: ..."
    flags = [f"{name}: bool = False" for name in choices]
    union = " | ".join([*kinds.values(), stream])
    yield f"    {style.define} {place.method}({_parameters(operation, flags)}) -> {union}:"
    yield from docstring(operation.content["description"], "        ")
    yield f"        call = {_call(operation, choices)}"
    yield "        if stream:"
    yield f"            chunks: {stream} = {style.wait}self._transport.stream(call, types.{operation.chunk})"
    yield "            return chunks"
    by_status = ", ".join(f"{status}: {kind}" for status, kind in kinds.items())
    yield f"        answer: {results['']} = {style.wait}self._transport.by_status(call, {{{by_status}}})"
    yield "        return answer"


def _parameters(operation: Operation, flags: Sequence[str] = ()) -> str:
    place = [f"{p['name']}: {_TYPES[p['schema']['type']]}" for p in operation.path_parameters]
    named = [*flags, *(["idempotency_key: str | None = None"] if operation.takes_key else [])]
    rest = []
    if operation.body:
        rest = [f"**body: Unpack[types.{operation.body}]"]
    elif operation.query_parameters:
        rest = [f"**query: Unpack[types.{query_name(operation)}]"]
    return ", ".join(["self", *place, *(["/"] if place else []), *(["*", *named] if named else []), *rest])


def _call(operation: Operation, choices: Sequence[str] = ()) -> str:
    values = [p["name"] for p in operation.path_parameters]
    template = operation.path
    for name in values:
        template = template.replace(f"{{{name}}}", "{}")
    path = f'path_of("{template}", {", ".join(values)})' if values else f'"{template}"'
    parts = [f'"{operation.method}"', path]
    parts += ["takes_key=True", "key=idempotency_key"] if operation.takes_key else []
    if operation.body:
        chosen = "".join(f', "{name}": {name}' for name in choices)
        parts.append(f"body={{**body{chosen}}}")
    elif operation.query_parameters:
        parts.append("query={**query}")
    return f"Call({', '.join(parts)})"
