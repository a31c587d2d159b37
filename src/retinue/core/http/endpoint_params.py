"""Reads an endpoint's parameters from the request by their annotations, and writes its result as JSON.

FastAPI declares the routes and generates the OpenAPI document, but it resolves parameters again on every request.
This module builds one reader per parameter when the route is created, which halves the cost.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, TypeGuard, get_args, get_origin
from urllib.parse import parse_qsl

from fastapi import params
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from retinue.core.http.json_body import JsonRequest
from retinue.core.http.validation_messages import field_location

Problems = list[object]
Reader = Callable[[Request, Problems], object]
Source = Callable[[Request], Mapping[str, object]]
"""Returns the texts of a request from which a parameter is read."""


class EndpointParams:
    """One endpoint. `shape` is its response model, or None if it returns a `Response` itself."""

    def __init__(self, endpoint: Callable[..., Awaitable[object]], shape: Any, status: int) -> None:
        self._endpoint = endpoint
        self._status = status
        self._answer: TypeAdapter[object] | None = TypeAdapter(shape) if shape else None
        self._readers: dict[str, Reader] = {}
        self.takes_body = False
        self._services: dict[str, Callable[[Request], Awaitable[object]]] = {}
        for parameter in inspect.signature(endpoint, eval_str=True).parameters.values():
            self._bind(parameter)

    def _bind(self, parameter: inspect.Parameter) -> None:
        name, kind = parameter.name, parameter.annotation
        marks: list[object] = []
        if get_origin(kind) is Annotated:
            kind, *marks = get_args(kind)
        mark = next((mark for mark in marks if isinstance(mark, params.Depends | params.Param)), None)
        if isinstance(mark, params.Depends) and mark.dependency:
            self._services[name] = mark.dependency
        else:
            self.takes_body = self.takes_body or (mark is None and _is_model(kind))
            self._readers[name] = _reader(parameter, kind, mark)

    async def __call__(self, request: Request) -> Response:
        """Call the endpoint. Raises `RequestValidationError` with every problem of the request."""
        problems: Problems = []
        values = {name: read(request, problems) for name, read in self._readers.items()}
        if problems:
            raise RequestValidationError(problems)
        for name, service in self._services.items():
            values[name] = await service(request)
        result = await self._endpoint(**values)
        if isinstance(result, Response):
            return result
        if self._answer is None:
            raise TypeError(f"{self._endpoint.__name__} has no response model and returns no response")
        body = self._answer.dump_json(self._answer.validate_python(result))
        return Response(body, self._status, media_type="application/json")


def _reader(parameter: inspect.Parameter, kind: object, mark: object) -> Reader:
    """Build the reader of one parameter. Raises `TypeError` if its annotation does not say where it comes from."""
    if kind is Request:
        return lambda request, _: request
    if mark is None and _is_model(kind):
        return _body(kind)
    if isinstance(mark, params.Query) and _is_model(kind):
        return _query_model(kind)
    adapter: TypeAdapter[object] = TypeAdapter(parameter.annotation)
    if isinstance(mark, params.Path):
        return _one(adapter, "path", parameter.name, lambda request: request.path_params)
    if isinstance(mark, params.Query):
        return _optional(adapter, "query", parameter, mark, lambda request: request.query_params)
    if isinstance(mark, params.Header):
        return _optional(adapter, "header", parameter, mark, lambda request: request.headers)
    raise TypeError(f"the parameter {parameter.name} says neither where it comes from nor what makes it")


def _is_model(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _validate(validate: Callable[[object], object], value: object, place: Sequence[str], problems: Problems) -> object:
    try:
        return validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False)
        problems += [{**problem, "loc": (*place, *field_location(problem, value))} for problem in found]
        return None


def _body(model: type[BaseModel]) -> Reader:
    def read(request: Request, problems: Problems) -> object:
        content = request.content if isinstance(request, JsonRequest) else {}
        return _validate(model.model_validate, content, ("body",), problems)

    return read


def _query_model(model: type[BaseModel]) -> Reader:
    def read(request: Request, problems: Problems) -> object:
        sent = dict(parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True))
        return _validate(model.model_validate, sent, ("query",), problems)

    return read


def _one(adapter: TypeAdapter[object], place: str, name: str, source: Source) -> Reader:
    def read(request: Request, problems: Problems) -> object:
        return _validate(adapter.validate_python, source(request)[name], (place, name), problems)

    return read


def _optional(
    adapter: TypeAdapter[object],
    place: str,
    parameter: inspect.Parameter,
    mark: params.Param,
    source: Source,
) -> Reader:
    name = mark.alias or parameter.name

    def read(request: Request, problems: Problems) -> object:
        sent = source(request).get(name)
        if sent is None:
            return parameter.default
        return _validate(adapter.validate_python, sent, (place, name), problems)

    return read
