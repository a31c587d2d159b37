"""An OpenAPI document of a pet shop, and functions that import it and call its tools."""

from typing import Any

from tests.support.client import Client, data
from tests.tools.imports.stand_in_api import StandInApi

Json = dict[str, Any]

_PET: Json = {
    "type": "object",
    "required": ["name", "id"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string", "minLength": 1, "description": "What the pet answers to."},
        "kind": {"type": "string", "enum": ["cat", "dog"], "default": "cat"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "mother": {"$ref": "#/components/schemas/Pet"},
    },
}
_ID: Json = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}


def query(name: str, schema: Json, **more: object) -> Json:
    """A query parameter."""
    return {"name": name, "in": "query", "schema": schema, **more}


def sends(schema: Json, media_type: str = "application/json", **more: object) -> Json:
    """A required body."""
    return {"required": True, "content": {media_type: {"schema": schema}}, **more}


def pets(server: str = "https://example.com") -> Json:
    """An OpenAPI document with an operation of each sort."""
    ref = {"$ref": "#/components/schemas/Pet"}
    words = {"type": "array", "items": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1"},
        "servers": [{"url": server}],
        "paths": {
            "/pets": {
                "get": {
                    "operationId": "listPets",
                    "summary": "List the pets of the shelter.",
                    "tags": ["Shelter"],
                    "parameters": [
                        query("kind", {"type": "string"}),
                        query("tags", words),
                        query("ids", {"type": "array", "items": {"type": "integer"}}, explode=False),
                        query("filter", {"type": "object"}, style="deepObject"),
                        query("raw", {}, content={"application/json": {"schema": {"type": "object"}}}),
                        {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                        {"name": "Authorization", "in": "header", "schema": {"type": "string"}},
                        query("key", {"type": "string"}),
                    ],
                },
                "post": {"operationId": "pets/add", "description": "Admit a pet.", "requestBody": sends(ref)},
            },
            "/pets/{id}": {
                "parameters": [_ID],
                "get": {"operationId": "getPet", "summary": "Get one pet"},
                "put": {"requestBody": sends({"type": "object", "properties": {"id": {"type": "string"}}})},
                "delete": {"operationId": "deletePet"},
            },
            "/owners/{name}/notes": {
                "post": {
                    "operationId": "addNote",
                    "parameters": [{"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}],
                    "requestBody": sends({"type": "string"}, "text/plain"),
                }
            },
            "/forms": {
                "post": {
                    "operationId": "sendForm",
                    "requestBody": sends(
                        {"type": "object", "properties": {"a": {"type": "string"}, "b": words}},
                        "application/x-www-form-urlencoded",
                    ),
                }
            },
            "/uploads": {
                "post": {
                    "operationId": "upload",
                    "requestBody": sends({"type": "object", "properties": {"a": {}}}, "multipart/form-data"),
                }
            },
            "/batches": {"post": {"operationId": "addMany", "requestBody": sends({"type": "array", "items": ref})}},
            "/elsewhere": {"get": {"servers": [{"url": "https://example.org"}]}},
        },
        "components": {"schemas": {"Pet": _PET}},
    }


TOOLS = [
    "pets_add_many", "pets_add_note", "pets_delete_pet", "pets_get_pet", "pets_list_pets", "pets_pets_add",
    "pets_put_pets_id", "pets_send_form", "pets_upload",
]  # fmt: skip


def import_source(client: Client, api: StandInApi, **fields: object) -> Json:
    """The source that the document makes."""
    wanted = {"kind": "openapi", "name": "pets", "document": pets(api.url("/v1")), **fields}
    source: Json = data(client.post("/tools/sources", wanted), 201)
    return source


def execute(client: Client, tool: str, **args: object) -> Json:
    """A tool's result."""
    result: Json = data(client.post(f"/tools/{tool}/execute", {"args": args}))["result"]
    return result


def many(operations: int) -> Json:
    """A document with so many operations, each with a body of some size."""
    field = {"type": "string", "description": "One of the many fields that a body of this kind may have. " * 3}
    body = {"type": "object", "properties": {f"field_{number}": field for number in range(20)}}
    return {
        "openapi": "3.0.3",
        "servers": [{"url": "https://example.com"}],
        "paths": {
            f"/things/{number}/{{id}}": {
                "post": {
                    "operationId": f"things/change-{number}",
                    "summary": f"Change the thing number {number}",
                    "description": "It changes this thing and leaves every other as it was. " * 5,
                    "parameters": [_ID, query("page", {"type": "integer", "nullable": True, "minimum": 1})],
                    "requestBody": sends({"allOf": [body, {"$ref": "#/components/schemas/Tree"}]}),
                }
            }
            for number in range(operations)
        },
        "components": {
            "schemas": {
                "Tree": {
                    "properties": {name: {"$ref": "#/components/schemas/Tree"} for name in ("left", "right", "above")}
                }
            }
        },
    }
