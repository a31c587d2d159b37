"""The tools endpoints."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import NewUser
from tests.support.client import Client, data, refuse
from tests.support.server import Server

pytestmark = pytest.mark.either_database

CATEGORIES = {
    "text", "data_formats", "data_analysis", "math", "statistics", "graphs", "science", "finance", "datetime", "geo",
    "identifiers", "documents", "media", "web", "security", "code", "workspace",
}  # fmt: skip
FIELDS = {
    "name", "description", "category", "tier", "input_schema", "output_schema", "effects", "tags", "needs",
    "superseded_by", "score",
}  # fmt: skip
SUBNET = "/tools/network_calculate_subnet"


def test_a_tool_is_executed(client: Client) -> None:
    result = data(client.post(f"{SUBNET}/execute", {"args": {"cidr": "172.16.8.0/21"}}))
    assert result.keys() == {"tool", "result", "execution_time_ms", "credits_used"}
    assert result["tool"] == "network_calculate_subnet"
    assert result["result"]["usable_hosts"] == 2046
    assert result["execution_time_ms"] >= 0
    assert result["credits_used"] >= 0


def test_a_tool_that_cannot_serve_a_request_says_why(client: Client) -> None:
    refuse(client.post(f"{SUBNET}/execute", {"args": {"cidr": "172.16.8.0/33"}}), 400, "not a network")


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ({}, ["cidr"]),
        ({"cidr": 5}, ["cidr"]),
        ({"cidr": None}, ["cidr"]),
        ({"cidr": "10.0.0.0/8", "mask": 1}, ["mask"]),
        ({"cidr": [], "mask": 1, "other": {}}, ["cidr", "mask", "other"]),
    ],
)
def test_every_bad_argument_is_named(client: Client, args: dict[str, Any], named: list[str]) -> None:
    refuse(client.post(f"{SUBNET}/execute", {"args": args}), 400, *named)


@pytest.mark.parametrize("body", [{}, {"args": None}, {"args": []}, {"args": "x"}, {"args": {}, "more": 1}])
def test_the_body_of_an_execution_is_checked(client: Client, body: dict[str, Any]) -> None:
    refuse(client.post(f"{SUBNET}/execute", body), 400, "more" if "more" in body else "args")


@pytest.mark.parametrize("name", ["no_such_tool", "Network_calculate_subnet", "%20", "a" * 300, "%00", "ünïcode"])
def test_an_unknown_tool_is_not_found(client: Client, name: str) -> None:
    refuse(client.get(f"/tools/{name}"), 404)
    refuse(client.post(f"/tools/{name}/execute", {"args": {}}), 404)
    refuse(client.post(f"/tools/{name}/execute", {"wrong": 1}), 404)


def test_a_tool_is_shown_with_its_schema(client: Client) -> None:
    tool = data(client.get(SUBNET))
    assert tool.keys() == FIELDS
    assert tool["category"] == "web"
    schema = tool["input_schema"]
    assert schema["type"] == "object"
    assert schema["required"] == ["cidr"]
    assert schema["properties"]["cidr"]["description"]


def test_the_list_is_complete_and_by_name(client: Client) -> None:
    names: list[str] = []
    page = 1
    while True:
        body = client.get(f"/tools?per_page=100&page={page}").json()
        if not body["data"]:
            break
        assert all(tool.keys() == FIELDS and len(tool["description"]) >= 20 for tool in body["data"])
        names += [tool["name"] for tool in body["data"]]
        page += 1
    assert len(names) == body["meta"]["total"] > 0
    assert all(one < two for one, two in pairwise(names))


def test_the_default_page_holds_twenty(client: Client) -> None:
    body = client.get("/tools").json()
    assert (body["meta"]["page"], body["meta"]["per_page"]) == (1, 20)
    assert len(body["data"]) == min(20, body["meta"]["total"])


def test_all_seventeen_categories_are_listed_by_default(client: Client) -> None:
    body = client.get("/tools/categories").json()
    assert {category["slug"] for category in body["data"]} == CATEGORIES
    assert all(category.keys() == {"slug", "name", "count"} for category in body["data"])
    assert body["meta"] == {"total": 17, "page": 1, "per_page": 100, "total_pages": 1}
    assert sum(category["count"] for category in body["data"]) == client.get("/tools").json()["meta"]["total"]


def test_categories_are_paginated(client: Client) -> None:
    body = client.get("/tools/categories?per_page=5&page=4").json()
    assert len(body["data"]) == 2
    assert body["meta"] == {"total": 17, "page": 4, "per_page": 5, "total_pages": 4}


def test_a_category_filters_exactly(client: Client) -> None:
    categories = client.get("/tools/categories").json()["data"]
    assert len(categories) > 10
    for category in categories:
        body = client.get(f"/tools?per_page=100&category={category['slug']}").json()
        assert body["meta"]["total"] == category["count"]
        assert {tool["category"] for tool in body["data"]} == {category["slug"]}


def test_a_tier_filters_exactly(client: Client) -> None:
    totals = 0
    for tier in ("free", "starter", "pro", "enterprise"):
        body = client.get(f"/tools?per_page=100&tier={tier}").json()
        assert {tool["tier"] for tool in body["data"]} <= {tier}
        totals += body["meta"]["total"]
    assert totals == client.get("/tools").json()["meta"]["total"]


@pytest.mark.parametrize("query", ["category=nonsense", "tier=professional", "tier=FREE", "page=0", "per_page=101"])
def test_a_wrong_filter_is_named(client: Client, query: str) -> None:
    refuse(client.get(f"/tools?{query}"), 400, query.partition("=")[0])


@pytest.mark.parametrize("words", ["subnet mask of a network", "How many hosts has 10.0.0.0/22?", "subnett netmask"])
def test_search_finds_by_meaning_and_tolerates_errors(client: Client, words: str) -> None:
    body = client.get("/tools", params={"search": words}).json()
    assert "network_calculate_subnet" in [tool["name"] for tool in body["data"][:3]]


def test_search_and_q_mean_the_same_and_search_wins(client: Client) -> None:
    subnet = client.get("/tools", params={"search": "subnet netmask"}).json()
    assert client.get("/tools", params={"q": "subnet netmask"}).json() == subnet
    assert client.get("/tools", params={"search": "subnet netmask", "q": "roman numerals"}).json() == subnet
    assert client.get("/tools", params={"search": "", "q": "subnet netmask"}).json() == subnet
    assert client.get("/tools", params={"q": "roman numerals"}).json() != subnet


def test_a_search_can_be_filtered(client: Client) -> None:
    body = client.get("/tools", params={"search": "calculate", "category": "finance"}).json()
    assert {tool["category"] for tool in body["data"]} <= {"finance"}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=600))
def test_any_search_is_answered(client: Client, text: str) -> None:
    response = client.get("/tools", params={"search": text})
    wrong = len(text) > 500 or "\x00" in text
    assert response.status_code == (400 if wrong else 200), (text, response.text)


def test_a_plan_must_include_the_tier(server: Server, new_user: NewUser) -> None:
    free, rich = new_user(server, "free").client(), new_user(server, "enterprise").client()
    beyond = [
        tool for tier in ("starter", "pro", "enterprise") for tool in rich.get(f"/tools?tier={tier}").json()["data"]
    ]
    for tool in beyond[:5]:
        needed = {"pro": "professional"}.get(tool["tier"], tool["tier"])
        refuse(free.post(f"/tools/{tool['name']}/execute", {"args": {}}), 403, needed)
        refuse(free.post("/chat", {"message": "Hello", "tools": [tool["name"]]}), 403, needed)
    assert data(free.post(f"{SUBNET}/execute", {"args": {"cidr": "10.0.0.0/8"}}))


def test_a_search_tells_how_well_each_tool_fits_and_a_list_does_not(client: Client) -> None:
    found = data(client.get("/tools?search=convert csv to json"))
    scores = [tool["score"] for tool in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0
    assert {tool["score"] for tool in data(client.get("/tools"))} == {None}
    assert data(client.get("/tools?search=price of bitcoin")) == []


def test_a_tool_tells_its_result_and_its_effects(client: Client) -> None:
    tool = data(client.get("/tools/note_delete"))
    assert tool["effects"] == {"reads": True, "changes": True, "destroys": True, "goes_out": False}
    assert {"id", "deleted"} <= tool["output_schema"]["properties"].keys()
    roman = data(client.get("/tools/number_convert_roman"))
    assert roman["effects"] == {"reads": False, "changes": False, "destroys": False, "goes_out": False}
