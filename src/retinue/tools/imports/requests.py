"""Convert a tool's arguments to its HTTP request (OpenAPI 3.1, section 4.8.12: parameter styles)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

import aiohttp
import orjson
from multidict import CIMultiDict

from retinue.core.errors import ValidationFailed
from retinue.tools.catalogue.imported_tool import ArgumentLocation, HttpCall

MOST_ADDRESS = 16_000
"""Maximum characters of a request's address."""

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_SEPARATORS = {"spaceDelimited": " ", "tabDelimited": "\t", "pipeDelimited": "|"}
_SAFE_PATH = "/:@!$&'()*+,;=-._~%"


@dataclass
class OutgoingRequest:
    """A request under construction."""

    method: str
    path: str
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: CIMultiDict[str] = field(default_factory=CIMultiDict)
    body: bytes | aiohttp.FormData | None = None

    def address(self, base: str) -> str:
        """Return the whole address, percent-encoded."""
        query = urlencode(self.query, quote_via=quote)
        address = f"{base.rstrip('/')}{self.path}" + (f"?{query}" if query else "")
        if len(address) > MOST_ADDRESS:
            raise ValidationFailed(f"The arguments result in an address of more than {MOST_ADDRESS:,} characters.")
        return address


def outgoing(call: HttpCall, args: Mapping[str, object]) -> OutgoingRequest:
    """Return the request of a call with validated arguments. Raises `ValidationFailed` for values that a request cannot
    carry.
    """
    placed = [(call.arguments[name], value) for name, value in args.items() if value is not None]
    request = OutgoingRequest(call.method, _path(call, placed))
    for argument, value in placed:
        if argument.place == "query":
            request.query += _query(argument, value)
        elif argument.place == "header":
            request.headers[argument.name] = _header(argument, value)
    _add_body(request, call, [(argument, value) for argument, value in placed if argument.place == "body"])
    return request


def _path(call: HttpCall, placed: list[tuple[ArgumentLocation, object]]) -> str:
    values = {argument.name: _join(argument, value) for argument, value in placed if argument.place == "path"}
    for name, value in values.items():
        if not value:
            raise ValidationFailed(f"{name} is part of the path and must not be empty.")

    def fill(match: re.Match[str]) -> str:
        return quote(values.get(match[1], ""), safe="")

    path = quote(_PLACEHOLDER.sub(fill, call.path), safe=_SAFE_PATH)
    if any(part in {".", ".."} for part in path.split("/")):
        raise ValidationFailed(
            "An argument would change the path of the tool: . and .. are not allowed as path segments."
        )
    return path


def _query(argument: ArgumentLocation, value: object) -> Iterator[tuple[str, str]]:
    name = argument.name
    if argument.style == "json":
        yield name, orjson.dumps(value).decode()
    elif isinstance(value, dict) and argument.style == "deepObject":
        yield from ((f"{name}[{key}]", _text(one)) for key, one in value.items())
    elif isinstance(value, dict) and argument.explode:
        yield from ((key, _text(one)) for key, one in value.items())
    elif isinstance(value, list) and argument.explode:
        yield from ((name, _text(one)) for one in value)
    else:
        yield name, _join(argument, value)


def _join(argument: ArgumentLocation, value: object) -> str:
    """Serialize a list or an object as one string."""
    if argument.style == "json":
        return orjson.dumps(value).decode()
    if isinstance(value, list):
        return _SEPARATORS.get(argument.style, ",").join(map(_text, value))
    if isinstance(value, dict):
        pairs = ([f"{key}={_text(one)}"] if argument.explode else [key, _text(one)] for key, one in value.items())
        return ",".join(part for pair in pairs for part in pair)
    return _text(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _header(argument: ArgumentLocation, value: object) -> str:
    header = _join(argument, value)
    if not header.isprintable():
        raise ValidationFailed(
            f"{argument.name} is sent as a header and must not contain line breaks or control characters."
        )
    return header


def _add_body(request: OutgoingRequest, call: HttpCall, parts: list[tuple[ArgumentLocation, object]]) -> None:
    if call.encoding is None or not (parts or call.body_required):
        return
    body = parts[0][1] if parts and not parts[0][0].name else {argument.name: value for argument, value in parts}
    if call.encoding == "multipart":
        # The form sets its own header, because the header contains the boundary.
        request.body = aiohttp.FormData(default_to_multipart=True)
        for name, value in body.items() if isinstance(body, dict) else [("body", body)]:
            request.body.add_field(name, _text(value))
        return
    request.headers["Content-Type"] = "application/json" if call.media_type == "*/*" else call.media_type
    if call.encoding == "json":
        request.body = orjson.dumps(body)
    elif call.encoding == "form":
        request.body = urlencode([pair for argument, value in parts for pair in _fields(argument, value)]).encode()
    else:
        request.body = _text(body).encode()


def _fields(argument: ArgumentLocation, value: object) -> Iterator[tuple[str, str]]:
    """Yield the fields of a form: the whole form, or one of its fields."""
    if not argument.name and isinstance(value, dict):
        for name, one in value.items():
            yield from _fields(ArgumentLocation("body", name), one)
    elif argument.style != "simple":
        yield from _query(argument, value)
    else:
        yield from ((argument.name or "body", _text(one)) for one in (value if isinstance(value, list) else [value]))
