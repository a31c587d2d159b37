"""Versions of documents: Swagger 2.0, OpenAPI 3.2, and what is no such document."""

from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import ValidationFailed
from retinue.tools.catalogue.imported_tool import ImportedTool
from retinue.tools.imports.document_checks import as_openapi_3
from retinue.tools.imports.openapi import DocumentSource, base_url, tools_of
from retinue.tools.imports.requests import OutgoingRequest, outgoing
from tests.support.client import Client, data
from tests.tools.imports.pets import Json, execute
from tests.tools.imports.stand_in_api import StandInApi
from tests.tools.imports.test_openapi import json_values

WORDS: Json = {"type": "array", "items": {"type": "string"}}


def swagger(operation: Json, **document: object) -> Json:
    """A document with one operation."""
    return {"swagger": "2.0", "paths": {"/a/{id}": {"post": operation}}, **document}


def tool(document: Json) -> ImportedTool:
    """The only tool of a document."""
    (found,) = tools_of(as_openapi_3(document), DocumentSource("pets", "web"))
    return found


def send(parameters: list[Json], args: Json, **operation: object) -> OutgoingRequest:
    """The request of a call of an operation of Swagger."""
    return outgoing(tool(swagger({"parameters": parameters, **operation})).call, args)


@pytest.mark.parametrize(
    ("fields", "fetched_from", "address"),
    [
        ({"host": "example.com", "basePath": "/v1/", "schemes": ["http", "https"]}, None, "https://example.com/v1"),
        ({"host": "example.com", "schemes": ["ws", "http"]}, None, "http://example.com"),
        ({"host": "example.com:8443", "basePath": "v1"}, None, "https://example.com:8443/v1"),
        ({"host": "example.com"}, "http://example.org/docs/api.json", "http://example.com"),
        ({"basePath": "/v1"}, "https://example.org/docs/api.json", "https://example.org/v1"),
        ({"basePath": "/v1"}, None, None),
        ({"host": 7, "basePath": [], "schemes": "https"}, "https://example.org/a", "https://example.org/"),
    ],
)
def test_the_address_of_swagger(fields: Json, fetched_from: str | None, address: str | None) -> None:
    assert base_url(as_openapi_3({"swagger": "2.0", **fields}), fetched_from) == address


def parameter(name: str, place: str, **fields: object) -> Json:
    return {"name": name, "in": place, **fields}


@pytest.mark.parametrize(
    ("how", "target"),
    [
        (None, "a%2Cb"), ("csv", "a%2Cb"), ("ssv", "a%20b"), ("tsv", "a%09b"), ("pipes", "a%7Cb"), ("multi", "a&q=b"),
    ],
)  # fmt: skip
def test_lists_in_swagger(how: str | None, target: str) -> None:
    listed = parameter("q", "query", **WORDS, **({"collectionFormat": how} if how else {}))
    request = send([parameter("id", "path", type="integer"), listed], {"id": 1, "q": ["a", "b"]})
    assert request.address("https://example.com") == f"https://example.com/a/1?q={target}"


def test_a_body_in_swagger() -> None:
    pet = {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string"}, "mother": {"$ref": "#/definitions/Pet"}},
    }
    shared = {"Body": parameter("pet", "body", required=True, schema={"$ref": "#/definitions/Pet"})}
    document = swagger(
        {"parameters": [{"$ref": "#/parameters/Body"}], "consumes": ["text/csv", "application/vnd.pets+json"]},
        parameters=shared,
        definitions={"Pet": pet},
        consumes=["application/xml"],
    )
    found = tool(document)
    assert found.input_schema["required"] == ["name"]
    assert set(found.input_schema["properties"]) == {"name", "mother"}
    request = outgoing(found.call, {"name": "Tom"})
    assert (request.headers["Content-Type"], request.body) == ("application/vnd.pets+json", b'{"name":"Tom"}')


@pytest.mark.parametrize(
    ("fields", "consumes", "encoding"),
    [
        ({"type": "string"}, [], "form"),
        ({"type": "string"}, ["multipart/form-data"], "multipart"),
        ({"type": "string"}, ["multipart/form-data", "application/x-www-form-urlencoded"], "form"),
        ({"type": "file"}, [], "multipart"),
    ],
)
def test_forms_in_swagger(fields: Json, consumes: list[str], encoding: str) -> None:
    listed = parameter("tags", "formData", **WORDS, collectionFormat="multi")
    named = parameter("a", "formData", required=True, description="The first.", **fields)
    found = tool(swagger({"parameters": [named, listed], "consumes": consumes}))
    assert found.call.encoding == encoding
    assert found.input_schema["properties"]["a"] == {
        "type": "string", "description": "The first.", **({"format": "binary"} if fields["type"] == "file" else {}),
    }  # fmt: skip
    assert found.input_schema["required"] == ["a"]


def test_parameters_of_a_path_in_swagger() -> None:
    item = {
        "parameters": [parameter("id", "path", type="integer"), parameter("b", "body", schema=WORDS)],
        "get": {"parameters": [parameter("id", "path", type="string", enum=["x"])]},
    }
    found = tool({"swagger": "2.0", "paths": {"/a/{id}": item}})
    assert found.input_schema["properties"]["id"]["enum"] == ["x"]
    assert found.call.arguments["body"].place == "body"


def test_a_form_of_swagger_is_sent(client: Client, api: StandInApi) -> None:
    """YAML with an unquoted version and an alias, fetched from an address that its paths are relative to."""
    raw = """
swagger: 2.0
basePath: /v1
definitions: {Name: &name {in: formData, type: string, required: true}}
paths:
  /pets/{id}:
    post:
      operationId: rename
      parameters:
        - {name: id, in: path, type: integer, required: true}
        - {<<: *name, name: name}
        - {name: tags, in: formData, type: array, items: {type: string}, collectionFormat: pipes}
        - {name: ids, in: formData, type: array, items: {type: integer}, collectionFormat: multi}
"""
    wanted = {"kind": "openapi", "name": "pets", "document": raw, "base_url": api.url("/v1")}
    data(client.post("/tools/sources", wanted), 201)
    execute(client, "pets_rename", id=7, name="Tom & co", tags=["a", "b"], ids=[1, 2])
    assert (api.last().target, api.last().body) == ("/v1/pets/7", b"name=Tom+%26+co&tags=a%7Cb&ids=1&ids=2")


@given(
    st.dictionaries(st.sampled_from(["host", "basePath", "schemes", "paths", "consumes", "parameters"]), json_values),
    st.dictionaries(st.sampled_from(["parameters", "consumes", "summary"]), json_values),
    st.lists(
        st.dictionaries(
            st.sampled_from(["name", "in", "type", "items", "schema", "collectionFormat", "$ref"]),
            st.sampled_from(["body", "formData", "query", "file", "array", "#/a"]) | json_values,
        ),
        max_size=4,
    ),
)
def test_any_swagger_is_read_or_refused(document: Json, item: Json, parameters: list[Json]) -> None:
    operation = {**item, "parameters": parameters}
    for one in (document, swagger(operation, **document), {**document, "paths": {"/a": item, "/b": {"get": item}}}):
        with suppress(ValidationFailed):
            converted = as_openapi_3({**one, "swagger": "2.0"})
            base_url(converted, None)
            for found in tools_of(converted, DocumentSource("pets", "web")):
                orjson.dumps(found)


FORM = "application/x-www-form-urlencoded"
KIND: Json = {"properties": {"kind": {"type": "string"}}}
NEWER: Json = {
    "openapi": "3.2.0",
    "$self": "https://example.com/api.json",
    "servers": [{"url": "https://example.com/v1", "name": "main"}],
    "paths": {
        "/pets": {
            "query": {
                "operationId": "searchPets",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"$ref": "https://example.com/api.json#/components/mediaTypes/Search"}},
                },
            },
            "additionalOperations": {
                "COPY": {"operationId": "copyPets"}, "TRACE": {}, "GET": {}, "copy": {}, "a b": {}, "LINK": 7,
            },
            "get": {
                "parameters": [
                    {"name": "all", "in": "querystring", "required": True, "content": {FORM: {"schema": KIND}}}
                ],
                "responses": {"200": {"content": {"application/jsonl": {"itemSchema": {"type": "object"}}}}},
            },
        }
    },
    "components": {"mediaTypes": {"Search": {"schema": {"properties": {"name": {"type": "string"}}}}}},
}  # fmt: skip


def test_additions_of_openapi_3_2() -> None:
    found = {one.call.method: one for one in tools_of(as_openapi_3(NEWER), DocumentSource("pets", "web"))}
    assert set(found) == {"GET", "QUERY", "COPY"}
    search, copy, read = found["QUERY"], found["COPY"], found["GET"]
    assert (search.name, search.read_only, search.destructive, search.idempotent) == (
        "pets_search_pets", True, False, True,
    )  # fmt: skip
    assert outgoing(search.call, {"name": "Tom"}).body == b'{"name":"Tom"}'
    assert (copy.read_only, copy.destructive, copy.idempotent) == (False, True, False)
    request = outgoing(read.call, {"all": {"kind": "cat", "name": "a b"}})
    assert request.address("https://example.com") == "https://example.com/pets?kind=cat&name=a%20b"


@pytest.mark.parametrize("version", ["3.0.0", "3.1.2", "3.2.0", 3.0, 3.1])
def test_documents_of_openapi_3_are_not_changed(version: Any) -> None:
    """A number is what YAML makes of a version without quotes."""
    assert as_openapi_3({"openapi": version, "paths": {}}) == {"openapi": version, "paths": {}}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({}, 'Its field openapi is missing. Add the version, such as "openapi": "3.1.0".'),
        ({"openapi": "4.0.0"}, "This is OpenAPI 4.0.0."),
        ({"swagger": "1.2"}, "This is Swagger 1.2."),
        ({"swaggerVersion": "1.2"}, "This is Swagger 1."),
        ({"discoveryVersion": "v1"}, "This is a Google API Discovery document."),
        ({"overlay": "1.0.0"}, "Apply it to its document"),
        ({"openapi": "3.1.0", "webhooks": {"a": {"post": {}}}}, "it has only webhooks"),
        ({"openapi": "3.1.0", "paths": {}}, "Add the operations to paths."),
        ({"openapi": "3.1.0", "paths": [1]}, "paths must be an object"),
        ({"swagger": "2.0", "paths": [1]}, "paths must be an object"),
        ({"openapi": "3.1.0", "paths": {"pets": {"get": {}}}}, "the path pets in paths must begin with /"),
        ({"openapi": "3.1.0", "paths": {"/pets": {"$ref": "pets.yaml"}}}, "refers to another document (pets.yaml)"),
        ({"openapi": "3.1.0", "paths": {"/pets": {"servers": [{}], "get": {}}}}, "servers of their own"),
        ({"openapi": "3.1.0", "paths": {"/pets": {"get": {"servers": [{}]}}}}, "servers of their own"),
        ({"openapi": "3.1.0", "paths": {"/pets": {}}}, "no path has a method"),
        ({"swagger": "2.0", "paths": {"/pets": {"$ref": "pets.yaml"}}}, "refers to another document (pets.yaml)"),
    ],
)
def test_a_refusal_says_how_to_mend_the_document(document: Json, words: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        list(tools_of(as_openapi_3(document), DocumentSource("pets", "web")))
    assert words in caught.value.message


def test_references_into_lists() -> None:
    """Tools that bundle documents write them."""
    listed = [
        {"name": "b", "in": "query", "schema": {"type": "integer"}},
        {"name": "c", "in": "query", "schema": {"$ref": "#/paths/~1a/get/parameters/0/schema"}},
        {"name": "d", "in": "query", "schema": {"$ref": "#/paths/~1a/get/parameters/3/schema"}},
    ]
    found = tool({"openapi": "3.0.0", "paths": {"/a": {"get": {"parameters": listed}}}})
    types = {name: schema.get("type") for name, schema in found.input_schema["properties"].items()}
    assert types == {"b": "integer", "c": "integer", "d": None}


ODD = st.sampled_from(["form", "json", "tabDelimited", True]) | json_values


@given(st.dictionaries(st.sampled_from(["style", "explode", "content", "contentType"]), ODD))
def test_any_style_is_read(fields: Json) -> None:
    placed = {"name": "a", "in": "query", "schema": WORDS, **fields}
    form = {FORM: {"schema": {"properties": {"b": WORDS}}, "encoding": {"b": fields}}}
    operation = {"parameters": [placed], "requestBody": {"content": form}}
    found = tool({"openapi": "3.1.0", "paths": {"/a": {"post": operation}}})
    outgoing(found.call, {"a": ["x"], "b": ["y", "z"]})
