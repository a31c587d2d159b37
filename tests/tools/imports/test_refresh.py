"""Reading sources again: what becomes of their tools, and what stays."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
import pytest

from tests.conftest import StartServer
from tests.support.client import Client, data, refuse
from tests.tools.imports import programs
from tests.tools.imports.pets import TOOLS, Json, execute, import_source, many, pets
from tests.tools.imports.stand_in_api import Answer, StandInApi
from tests.tools.imports.stand_in_mcp import error, phrase, running_stand_in

NOTHING: Json = {"added": [], "changed": [], "removed": []}


def refresh(client: Client, source: Json, **body: object) -> Json:
    """The changes of a refresh; the rest of the answer is the source as it is shown from then on."""
    answer: Json = data(client.post(f"/tools/sources/{source['id']}/refresh", body))
    changes = {name: answer.pop(name) for name in NOTHING}
    assert answer == data(client.get(f"/tools/sources/{source['id']}"))
    assert answer == {**source, **{name: answer[name] for name in ("tools", "size", "document_url")}}
    return changes


def name_of(client: Client, start: str) -> list[str]:
    """The tools whose names begin like that."""
    listed = data(client.get(f"/tools?per_page=100&search={start}"))
    return sorted(tool["name"] for tool in listed if tool["name"].startswith(f"{start}_"))


def later_pets(server: str) -> Json:
    """The document with one operation less, one other, and one more."""
    document = pets(server)
    del document["paths"]["/forms"]
    document["paths"]["/pets/{id}"]["get"]["summary"] = "Get one pet and its mother"
    document["paths"]["/pets/{id}/toys"] = {"get": {"operationId": "listToys", "summary": "List the toys of a pet."}}
    return document


def test_a_document_that_has_changed(client: Client, api: StandInApi) -> None:
    credential = {"type": "bearer", "value": "sesame"}
    source = import_source(client, api, credential=credential)
    before = data(client.get("/tools/pets_get_pet"))
    # The new document names another server: the credential stays with the base address that it was given for.
    changes = refresh(client, source, document=later_pets("https://example.org/v2"))
    assert changes == {"added": ["pets_list_toys"], "changed": ["pets_get_pet"], "removed": ["pets_send_form"]}
    assert name_of(client, "pets") == sorted({*TOOLS, "pets_list_toys"} - {"pets_send_form"})
    after = data(client.get("/tools/pets_get_pet"))
    assert after["description"] != before["description"]
    assert {**after, "description": ""} == {**before, "description": ""}
    refuse(client.get("/tools/pets_send_form"), 404)
    refuse(client.post("/tools/pets_send_form/execute", {"args": {}}), 404)
    assert data(client.get("/tools?search=toys of a pet"))[0]["name"] == "pets_list_toys"
    assert execute(client, "pets_get_pet", id=7)["status"] == 200
    assert (api.last().target, api.last().headers["Authorization"]) == ("/v1/pets/7", "Bearer sesame")


def test_a_document_that_is_fetched_again(client: Client, api: StandInApi) -> None:
    api.answers["/openapi.json"] = Answer(orjson.dumps(pets("/v1")))
    wanted = {"kind": "openapi", "name": "pets", "url": api.url("/openapi.json")}
    source = data(client.post("/tools/sources", wanted), 201)
    assert source["document_url"] == api.url("/openapi.json")
    assert refresh(client, source) == NOTHING
    api.answers["/openapi.json"] = Answer(orjson.dumps(later_pets("/v2")))
    assert refresh(client, source)["added"] == ["pets_list_toys"]
    assert execute(client, "pets_get_pet", id=1)["status"] == 200
    assert api.last().target == "/v1/pets/1"


def test_where_the_document_is_now(client: Client, api: StandInApi) -> None:
    def where() -> object:
        return data(client.get(f"/tools/sources/{source['id']}"))["document_url"]

    source = import_source(client, api)
    assert source["document_url"] is None
    api.answers["/openapi.json"] = Answer(orjson.dumps(pets(api.url("/v1"))))
    assert refresh(client, source, url=api.url("/openapi.json")) == NOTHING
    assert where() == api.url("/openapi.json")
    assert refresh(client, source) == NOTHING
    assert refresh(client, source, document=later_pets(api.url("/v1")))["added"] == ["pets_list_toys"]
    assert where() is None
    refuse(client.post(f"/tools/sources/{source['id']}/refresh"), 400, "The document was sent")


def test_names_stay_whatever_comes_and_goes(client: Client, api: StandInApi) -> None:
    def document(*paths: str) -> Json:
        return {"openapi": "3.1.0", "paths": {path: {"get": {"operationId": "read it"}} for path in paths}}

    source = import_source(client, api, document=document("/a", "/b", "/c"), base_url=api.url())
    assert name_of(client, "pets") == ["pets_read_it", "pets_read_it_2", "pets_read_it_3"]
    assert refresh(client, source, document=document("/c", "/b")) == {**NOTHING, "removed": ["pets_read_it"]}
    execute(client, "pets_read_it_2")
    assert api.last().target == "/b"
    assert refresh(client, source, document=document("/d", "/c", "/b")) == {**NOTHING, "added": ["pets_read_it"]}
    for name, path in (("pets_read_it", "/d"), ("pets_read_it_2", "/b"), ("pets_read_it_3", "/c")):
        execute(client, name)
        assert api.last().target == path


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "The document was sent"),
        ({"url": "https://example.com/", "document": {}}, "either the current document"),
        ({"document": {"openapi": "3.1.0"}}, "no operations"),
        ({"document": {"swagger": "1.2"}}, "This is Swagger 1.2"),
        ({"url": "http://10.0.0.1/"}, "not a public address"),
        ({"url": "https://user:word@example.com/"}, "credential"),
        ({"base_url": "https://example.com/"}, "base_url"),
    ],
)
def test_sources_that_are_not_refreshed(client: Client, api: StandInApi, body: Json, words: str) -> None:
    source = import_source(client, api)
    refuse(client.post(f"/tools/sources/{source['id']}/refresh", body), 400, words)
    assert data(client.get(f"/tools/sources/{source['id']}")) == source
    assert name_of(client, "pets") == TOOLS


def test_a_large_document_is_replaced(client: Client, api: StandInApi) -> None:
    source = import_source(client, api, name="large", document=many(60))
    changes = refresh(client, source, document=many(40))
    assert (len(changes["removed"]), changes["added"], changes["changed"]) == (20, [], [])
    refuse(client.get("/tools/large_things_change_50"), 404)
    assert data(client.get("/tools/large_things_change_30"))["name"] == "large_things_change_30"


def test_a_repeated_refresh_has_one_answer(client: Client, api: StandInApi) -> None:
    source = import_source(client, api)
    path, body = f"/tools/sources/{source['id']}/refresh", {"document": later_pets(api.url("/v1"))}
    first, second = (client.post(path, body, headers={"Idempotency-Key": "the same"}) for _ in range(2))
    assert data(first) == data(second)
    assert data(second)["added"] == ["pets_list_toys"]
    assert second.headers["Idempotency-Replayed"] == "true"
    assert refresh(client, source, **body) == NOTHING


def test_refreshes_at_once_leave_one_documents_tools(client: Client, api: StandInApi) -> None:
    source = import_source(client, api)
    documents = [pets(api.url("/v1")), later_pets(api.url("/v1"))] * 4
    path = f"/tools/sources/{source['id']}/refresh"
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda document: client.post(path, {"document": document}), documents))
    assert {answer.status_code for answer in answers} == {200}
    assert name_of(client, "pets") in (TOOLS, sorted({*TOOLS, "pets_list_toys"} - {"pets_send_form"}))
    assert data(client.get(f"/tools/sources/{source['id']}"))["tools"] == len(TOOLS)


def test_a_server_that_has_other_tools(client: Client) -> None:
    with running_stand_in() as far:
        tools: list[Any] = [{"name": "get it"}, {"name": "get-it"}, {"name": "put", "description": "Put it."}]
        far.tools = tools
        wanted = {"kind": "mcp", "name": "far", "url": far.url, "credential": {"type": "bearer", "value": "sesame"}}
        source = data(client.post("/tools/sources", wanted), 201)
        assert name_of(client, "far") == ["far_get_it", "far_get_it_2", "far_put"]
        far.tools = [{"name": "drop"}, {"name": "get-it"}, {"name": "put", "description": "Put it there."}]
        changes = refresh(client, source)
        assert changes == {"added": ["far_drop"], "changed": ["far_put"], "removed": ["far_get_it"]}
        execute(client, "far_get_it_2")
        call = far.last("tools/call")
        assert (call.message["params"]["name"], call.headers["authorization"]) == ("get-it", "Bearer sesame")
        far.answers["tools/list"] = lambda message: phrase(error(message, -32603, "It broke"))
        refuse(client.post(f"/tools/sources/{source['id']}/refresh"), 503, "It broke")
        refuse(client.post(f"/tools/sources/{source['id']}/refresh", {"url": far.url}), 400, "from its own address")
        assert name_of(client, "far") == ["far_drop", "far_get_it_2", "far_put"]


def test_a_program_that_has_other_tools(client: Client) -> None:
    source = programs.import_source(client)
    execute(client, "near_learn", name="sing")
    execute(client, "near_forget", name="start")
    assert refresh(client, source) == {**NOTHING, "added": ["near_sing"], "removed": ["near_start"]}
    assert execute(client, "near_sing", a=1)["text"] == '{"a": 1}'
    refuse(client.post("/tools/near_start/execute", {"args": {}}), 404)


def test_agents_go_on_with_the_tools_that_are_left(client: Client, api: StandInApi) -> None:
    source = import_source(client, api)
    skilled = {"agent_name": "a", "agent_role": "leader", "skills": ["pets_get_pet", "pets_send_form"]}
    agent = data(client.post("/agents", skilled), 201)
    refresh(client, source, document=later_pets(api.url("/v1")))
    assert data(client.put(f"/agents/{agent['id']}", {"task": "Go on."}))["skills"] == skilled["skills"]


def test_every_node_sees_the_new_tools(start_server: StartServer) -> None:
    first = start_server("postgresql")
    second = start_server("sqlite", RETINUE_DATABASE_URL=first.env["RETINUE_DATABASE_URL"])
    key = first.new_key(first.new_user())
    here, there = Client(first, key), Client(second, key)
    document = {"openapi": "3.1.0", "paths": {"/a": {"get": {}}}}
    wanted = {"kind": "openapi", "name": "pets", "document": document, "base_url": "https://example.com"}
    source = data(here.post("/tools/sources", wanted), 201)
    assert name_of(there, "pets") == ["pets_get_a"]
    document["paths"] = {"/b": {"get": {}}}
    assert refresh(here, source, document=document) == {
        "added": ["pets_get_b"],
        "changed": [],
        "removed": ["pets_get_a"],
    }
    assert name_of(there, "pets") == ["pets_get_b"]
    document["paths"] = {"/b": {"get": {"summary": "Read it."}}}
    assert refresh(there, source, document=document)["changed"] == ["pets_get_b"]
    assert data(here.get("/tools/pets_get_b"))["description"].startswith("Read it.")
    here.close()
    there.close()
