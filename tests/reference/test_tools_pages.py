"""The pages of the tool catalogue are small, self-contained and accessible, and their examples work when pasted."""

import json
import re
import subprocess

import pytest
import requests

from retinue.tools.authoring.tool import CATEGORIES
from retinue.tools.catalogue.catalogue import Catalogue
from tests.conftest import ONE_DATABASE, User
from tests.reference.html_page import Page
from tests.support.server import Server

pytestmark = pytest.mark.either_database

PAGES = ["", "/text", "/workspace", "?search=days+between+two+dates", "/finance/loan_compute_payment"]
MOST_BYTES = 60_000


def get(server: Server, path: str, **headers: str) -> requests.Response:
    return requests.get(f"{server.url}/docs/tools{path}", headers=headers, timeout=60)


def page(server: Server, path: str) -> Page:
    response = get(server, path)
    assert response.status_code == 200
    assert len(response.content) < MOST_BYTES
    return Page(response.text)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.load()


@pytest.mark.parametrize("path", [*PAGES, ".js"])
def test_a_cached_response_is_not_sent_again(server: Server, path: str) -> None:
    tag = get(server, path).headers["ETag"]
    again = get(server, path, **{"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", PAGES)
def test_nothing_comes_from_elsewhere_and_no_script_stands_in_the_page(server: Server, path: str) -> None:
    policy = get(server, path).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    shown = page(server, path)
    assert all(element.attributes.get("href", "/").startswith(("#", "/")) for element in shown.all("a", "link"))
    scripts = shown.all("script")
    names = [re.sub(r"\?v=[0-9a-f]{16}$", "", script.attributes["src"]) for script in scripts]
    theme, search, *own = names
    assert theme.endswith("/theme.js")
    assert search == "/docs/search.js"
    assert own in (["/docs/tools.js"], ["/docs/languages.js", "/docs/tools.js"])
    assert not any(script.text for script in scripts)
    assert not [name for e in shown.elements for name in e.attributes if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("path", PAGES)
def test_they_can_be_read_without_seeing_them(server: Server, path: str) -> None:
    shown = page(server, path)
    assert len(shown.all("main")) == len(shown.all("h1")) == 1
    assert all(element.text.strip() for element in shown.all("a", "h1", "h2", "button", "figcaption"))
    labelled = {element.attributes["for"] for element in shown.all("label")}
    assert {element.attributes["id"] for element in shown.all("input", "textarea")} == labelled
    ids = [element.attributes["id"] for element in shown.elements if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    assert {e.attributes["aria-labelledby"] for e in shown.all("section", "article")} <= set(ids)
    assert all(element.attributes["scope"] in {"col", "row"} for element in shown.all("th"))


@ONE_DATABASE
def test_every_tool_is_on_the_page_of_its_category(server: Server, catalogue: Catalogue) -> None:
    index = {element.attributes["href"] for element in page(server, "").all("a")}
    for slug in CATEGORIES:
        assert f"/docs/tools/{slug}" in index
        linked = {element.attributes["href"] for element in page(server, f"/{slug}").all("a")}
        assert {
            f"/docs/tools/{slug}/{tool.name}" for tool in catalogue if tool.category == slug and not tool.superseded_by
        } <= linked


@ONE_DATABASE
def test_every_tool_has_a_page_with_all_there_is_to_know(server: Server, catalogue: Catalogue) -> None:
    for tool in list(catalogue)[::29]:
        shown = page(server, f"/{tool.category}/{tool.name}")
        (main,) = shown.all("main")
        names = {element.text for element in shown.all("code") if element.attributes.get("class") == "name"}
        assert {*tool.input_schema["properties"], *tool.result_schema["properties"]} <= names
        assert f"Tier {tool.tier}" in main.text
        assert f"At most {tool.timeout_s:.0f} s" in main.text
        assert all(question in main.text for question in tool.use_when)
        (args,) = shown.all("textarea")
        assert json.loads(args.text).keys() >= set(tool.input_schema["required"])
        assert ("deletes or overwrites" in main.text) == tool.destructive


def test_the_key_never_gets_into_an_address(server: Server) -> None:
    shown = page(server, "/finance/loan_compute_payment")
    (key,) = [element for element in shown.all("input") if element.attributes["id"] == "key"]
    assert key.attributes["type"] == "password"
    assert "name" not in key.attributes
    assert shown.all("form") == []
    script = get(server, ".js").text
    assert "sessionStorage" in script
    assert "localStorage" not in script
    assert "cookie" not in script


def test_a_search_in_plain_words_finds_the_tool_without_a_script(server: Server) -> None:
    shown = page(server, "?search=days+between+two+dates")
    found = [e.attributes["href"] for e in shown.all("a") if e.attributes["href"].count("/") == 4]
    assert found[0] == "/docs/tools/datetime/date_compute_difference"
    assert "Nothing was found" in page(server, "?search=%2A").all("main")[0].text
    nasty = get(server, "?search=%3Cscript%3Ealert(1)%3C/script%3E")
    assert "<script>alert" not in nasty.text


@pytest.mark.parametrize("path", ["/poetry", "/text/no_such_tool", "/text/loan_compute_payment"])
def test_unknown_paths_return_the_standard_error(server: Server, path: str) -> None:
    response = get(server, path)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "resource_not_found"


def test_an_example_works_when_it_is_pasted(server: Server, user: User) -> None:
    command = dict(page(server, "/finance/loan_compute_payment").examples())["Request"]
    assert f"{server.url}/api/v1/tools/loan_compute_payment/execute" in command
    env = {"RETINUE_KEY": user.client().key or "", "PATH": "/usr/bin:/bin"}
    ended = subprocess.run(["bash", "-c", command], env=env, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(ended.stdout)["data"]["tool"] == "loan_compute_payment"
