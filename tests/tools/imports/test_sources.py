"""Sources: their records, what is refused, and who sees their tools."""

import orjson
import pytest

from tests.conftest import StartServer, User
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.tools.imports.pets import TOOLS, Json, execute, import_source, many, pets, query
from tests.tools.imports.stand_in_api import Answer, StandInApi

SECRET = "sesame-7f3a9c-open"
WANTED: Json = {"kind": "openapi", "name": "pets", "document": pets()}


def total(client: Client, query: str = "") -> int:
    """How many tools a client sees."""
    count: int = client.get(f"/tools?per_page=1{query}").json()["meta"]["total"]
    return count


def names(client: Client, query: str) -> list[str]:
    return [tool["name"] for tool in data(client.get(f"/tools?per_page=100&{query}"))]


def test_a_source_and_its_tools(client: Client, api: StandInApi) -> None:
    before = total(client)
    source = import_source(client, api)
    assert source == {
        "id": source["id"],
        "kind": "openapi",
        "name": "pets",
        "category": "web",
        "base_url": api.url("/v1"),
        "document_url": None,
        "trust_hints": False,
        "connection": None,
        "tools": len(TOOLS),
        "size": source["size"],
        "status": "ready",
        "created_at": source["created_at"],
    }
    assert data(client.get(f"/tools/sources/{source['id']}")) == source
    assert data(client.get("/tools/sources")) == [source]
    assert total(client) == before + len(TOOLS)
    listed = [name for page in range(1, 30) for name in names(client, f"page={page}")]
    assert len(listed) == before + len(TOOLS)
    assert listed == sorted(listed)
    assert [name for name in listed if name.startswith("pets_")] == TOOLS


def test_a_tool_shows_the_description_of_the_document(client: Client, api: StandInApi) -> None:
    import_source(client, api)
    tool = data(client.get("/tools/pets_pets_add"))
    assert tool["description"] == "Admit a pet. Calls POST /pets of the imported API pets."
    assert (tool["category"], tool["tier"], tool["tags"]) == ("web", "free", ["pets"])
    schema = tool["input_schema"]
    assert list(schema["properties"]) == ["name", "kind", "tags", "mother"]
    assert schema["required"] == ["name"]
    assert schema["properties"]["kind"] == {"type": "string", "enum": ["cat", "dog"], "description": "Default: cat."}


@pytest.mark.parametrize("search", ["pets of the shelter", "shelter", "pets_list_pets", "list shelter pet"])
def test_searches_find_them_beside_the_catalogue(client: Client, api: StandInApi, search: str) -> None:
    import_source(client, api)
    assert names(client, f"search={search}")[0] == "pets_list_pets"


def test_searches_still_find_the_catalogue(client: Client, api: StandInApi) -> None:
    import_source(client, api)
    assert names(client, "search=how many hosts are in a subnet")[0] == "network_calculate_subnet"


def test_filters_and_categories_count_them(client: Client, api: StandInApi) -> None:
    before = {one["slug"]: one["count"] for one in data(client.get("/tools/categories"))}
    free, pro = total(client, "&tier=free"), total(client, "&tier=pro")
    import_source(client, api, category="finance")
    after = {one["slug"]: one["count"] for one in data(client.get("/tools/categories"))}
    assert after == {**before, "finance": before["finance"] + len(TOOLS)}
    assert (total(client, "&tier=free"), total(client, "&tier=pro")) == (free + len(TOOLS), pro)
    assert total(client, "&category=finance") == after["finance"]


def test_the_document_may_be_fetched(client: Client, api: StandInApi) -> None:
    document = {**pets(), "servers": [{"url": "/{version}", "variables": {"version": {"default": "v2"}}}]}
    api.answers["/docs/openapi.json"] = Answer(orjson.dumps(document))
    api.answers["/openapi.json"] = Answer(b"", 302, {"Location": "/docs/openapi.json"})
    wanted = {"kind": "openapi", "name": "pets", "url": api.url("/openapi.json")}
    assert data(client.post("/tools/sources", wanted), 201)["base_url"] == api.url("/v2")


def test_the_document_may_be_text(client: Client, api: StandInApi) -> None:
    assert import_source(client, api, name="one", document=orjson.dumps(pets()).decode())["tools"] == len(TOOLS)
    yaml = "openapi: 3.0.3\nservers: [{url: 'https://example.com'}]\npaths:\n  /a:\n    get: {responses: {200: {}}}\n"
    assert import_source(client, api, name="two", document=yaml)["tools"] == 1
    assert data(client.get("/tools/two_get_a"))["name"] == "two_get_a"


def test_values_may_contain_unicode_line_separators(client: Client) -> None:
    values = ["one\u2028two", "one\u0085two", "one\ntwo", "one\ttwo"]
    operation = {"parameters": [query("kind", {"type": "string", "enum": values})]}
    document = {"openapi": "3.1.0", "servers": [{"url": "https://example.com"}], "paths": {"/a": {"get": operation}}}
    source = data(client.post("/tools/sources", {"kind": "openapi", "name": "lines", "document": document}), 201)
    assert source["tools"] == 1
    assert data(client.get("/tools/lines_get_a"))["input_schema"]["properties"]["kind"]["enum"] == values


def test_a_large_document_is_imported(client: Client, api: StandInApi) -> None:
    api.answers["/large"] = Answer(orjson.dumps(many(1223)))
    wanted = {"kind": "openapi", "name": "large", "url": api.url("/large")}
    source = data(client.post("/tools/sources", wanted), 201)
    assert source["tools"] == 1223
    assert names(client, "search=large_things_change_1187")[0] == "large_things_change_1187"
    assert data(client.get("/tools/large_things_change_7"))["input_schema"]["required"] == ["id"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"document": None}, "either url or document"),
        ({"url": "https://example.com/"}, "either url or document"),
        ({"name": "text"}, "built-in tools"),
        ({"name": "a"}, "name"),
        ({"name": "My-Api"}, "name"),
        ({"name": "a_b"}, "name"),
        ({"kind": "graphql"}, "kind"),
        ({"category": "pets"}, "category"),
        ({"document": pets("/v1")}, "base_url"),
        ({"document": pets("ftp://example.com")}, "base_url"),
        ({"base_url": "https://user:word@example.com"}, "credential"),
        ({"base_url": "https://example.com/?a=1"}, "query"),
        ({"base_url": "http://10.0.0.1/"}, "not a public address"),
        ({"document": pets("http://169.254.169.254/latest")}, "not a public address"),
        ({"credential": {"type": "header", "value": "x"}}, "name"),
        ({"credential": {"type": "header", "name": "X Y", "value": "x"}}, "name"),
        ({"credential": {"type": "query", "value": "x"}}, "name"),
        ({"credential": {"type": "bearer", "value": ""}}, "value"),
        ({"credential": {"type": "bearer", "value": "a\r\nb: c"}}, "value"),
        ({"document": {}}, "OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0"),
        ({"document": {"swagger": "1.2", "paths": {}}}, "This is Swagger 1.2"),
        ({"document": {"openapi": "3.1.0"}}, "no operations"),
        ({"document": "{"}, "not valid JSON"),
        ({"document": "[1, 2"}, "cannot be read"),
        ({"document": "not a string"}, "must be an object"),
        ({"document": "b: *a"}, "no anchor before it"),
        ({"document": "a: " + "[" * 200}, "nested"),
    ],
)
def test_documents_that_cannot_be_imported(client: Client, fields: Json, words: str) -> None:
    refuse(client.post("/tools/sources", {**WANTED, **fields}), 400, words)
    assert data(client.get("/tools/sources")) == []


def test_too_many_operations(client: Client, api: StandInApi) -> None:
    api.answers["/large"] = Answer(
        orjson.dumps({"openapi": "3.0.0", "paths": {f"/{n}": {"get": {}} for n in range(2001)}})
    )
    refuse(client.post("/tools/sources", {"kind": "openapi", "name": "pets", "url": api.url("/large")}), 400, "2,000")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(status=404), "404"),
        (Answer(b"<html>", headers={"Content-Type": "text/html"}), "must be an object"),
        (Answer(b" " * (20 << 20) + b"{}"), "20 MiB"),
        (Answer(b"", 302, {"Location": "/loop"}), "redirects"),
        (Answer(b"", 302, {"Location": "http://169.254.169.254/"}), "not a public address"),
        (Answer(b"", 302, {"Location": "file:///etc/passwd"}), "address"),
    ],
    ids=["missing", "a page", "too large", "a circle", "to a refused address", "to a file"],
)
def test_documents_that_cannot_be_fetched(client: Client, api: StandInApi, answer: Answer, words: str) -> None:
    api.answers["/loop"] = answer
    refuse(client.post("/tools/sources", {"kind": "openapi", "name": "pets", "url": api.url("/loop")}), 400, words)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"])
def test_this_machine_is_closed_unless_it_is_allowed(start_server: StartServer, api: StandInApi, host: str) -> None:
    server = start_server()
    client = Client(server, server.new_key(server.new_user()))
    place = f"http://{host}:{api.server_port}"
    refuse(client.post("/tools/sources", {"kind": "openapi", "name": "pets", "url": place}), 400, "not a public")
    response = client.post("/tools/sources", {**WANTED, "base_url": place})
    if response.status_code == 201:  # a name: what it stands for is known when it is called
        call = client.post("/tools/pets_delete_pet/execute", {"args": {"id": 1}})
        refuse(call, 400, "not a public address")
    assert api.received == []
    client.close()


def test_names_and_places_are_limited(client: Client) -> None:
    data(client.post("/tools/sources", WANTED), 201)
    refuse(client.post("/tools/sources", WANTED), 400, "pets")
    for number in range(19):
        data(client.post("/tools/sources", {**WANTED, "name": f"pets{number}"}), 201)
    refuse(client.post("/tools/sources", {**WANTED, "name": "onemore"}), 400, "20")
    assert client.get("/tools/sources?per_page=7").json()["meta"]["total"] == 20


def test_a_deleted_source_is_gone_with_its_tools(client: Client, api: StandInApi) -> None:
    source, before = import_source(client, api), total(client)
    skilled = {"agent_name": "a", "agent_role": "leader", "skills": ["pets_get_pet", "network_calculate_subnet"]}
    agent = data(client.post("/agents", skilled), 201)
    assert data(client.delete(f"/tools/sources/{source['id']}")) == {"id": source["id"], "deleted": True}
    refuse(client.get(f"/tools/sources/{source['id']}"), 404)
    refuse(client.delete(f"/tools/sources/{source['id']}"), 404)
    refuse(client.get("/tools/pets_get_pet"), 404)
    refuse(client.post("/tools/pets_get_pet/execute", {"args": {"id": 1}}), 404)
    assert total(client) == before - len(TOOLS)
    assert data(client.put(f"/agents/{agent['id']}", {**skilled, "task": "Go on."}))["skills"] == skilled["skills"]


def test_a_source_imported_anew_has_the_new_tools(client: Client, api: StandInApi) -> None:
    source = import_source(client, api)
    assert execute(client, "pets_get_pet", id=1)["status"] == 200
    data(client.delete(f"/tools/sources/{source['id']}"))
    fresh = {"openapi": "3.1.0", "paths": {"/new": {"get": {"operationId": "getPet"}}}}
    import_source(client, api, document=fresh, base_url=api.url())
    assert data(client.get("/tools/pets_get_pet"))["input_schema"]["properties"] == {}
    refuse(client.get("/tools/pets_list_pets"), 404)


def test_nobody_else_sees_them(client: Client, stranger: Client, sandbox: Client, api: StandInApi) -> None:
    before = total(stranger)
    source = import_source(client, api)
    for other in (stranger, sandbox):
        refuse(other.get(f"/tools/sources/{source['id']}"), 404)
        refuse(other.delete(f"/tools/sources/{source['id']}"), 404)
        refuse(other.get("/tools/pets_get_pet"), 404)
        refuse(other.post("/tools/pets_get_pet/execute", {"args": {"id": 1}}), 404)
        skilled = {"agent_name": "a", "agent_role": "leader", "skills": ["pets_get_pet"]}
        refuse(other.post("/agents", skilled), 400, "pets_get_pet")
        refuse(other.post("/chat", {"message": "Hello", "tools": ["pets_get_pet"]}), 400, "pets_get_pet")
        assert (data(other.get("/tools/sources")), total(other)) == ([], before)
        assert not [name for name in names(other, "search=pets of the shelter") if name.startswith("pets_")]
    assert api.received == []


def test_a_repeated_request_imports_once(client: Client) -> None:
    headers = {"Idempotency-Key": "the same"}
    first, second = (client.post("/tools/sources", WANTED, headers=headers) for _ in range(2))
    assert data(first, 201) == data(second, 201)
    assert second.headers["Idempotency-Replayed"] == "true"
    assert len(data(client.get("/tools/sources"))) == 1


def test_credentials_are_nowhere_in_the_clear(client: Client, api: StandInApi, server: Server) -> None:
    headers = {"Idempotency-Key": "once"}
    credential = {"type": "query", "name": "key", "value": SECRET}
    wanted = {**WANTED, "document": pets(api.url()), "credential": credential}
    created = client.post("/tools/sources", wanted, headers=headers)
    assert SECRET not in created.text
    assert execute(client, "pets_get_pet", id=1)["status"] == 200
    assert SECRET in api.last().target
    api.answers["/pets/2"] = Answer(headers={"Content-Length": "99"})
    files = [path.read_bytes() for path in server.home.rglob("*") if path.is_file()]
    assert SECRET.encode() not in b"".join([*files, server.dump(), server.log.read_bytes()])


def test_only_a_key_with_every_scope_imports(user: User) -> None:
    limited = user.client(["tools:read", "tools:execute"])
    refuse(limited.post("/tools/sources", WANTED), 403, "*")
    refuse(limited.get("/tools/sources"), 403, "*")
