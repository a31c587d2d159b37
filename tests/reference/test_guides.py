"""The guides as pages: complete, in the reference's design, self-contained, and without broken links."""

from importlib.resources import files
from itertools import pairwise

import pytest
import requests

from retinue.reference import markdown
from retinue.reference.guide import ADDRESS, NAMES, guides
from tests.conftest import ONE_DATABASE
from tests.reference.html_page import Page, read
from tests.support.api_document import api_document
from tests.support.client import fetch, refuse
from tests.support.server import Server

pytestmark = pytest.mark.either_database


def page_of(server: Server, path: str) -> Page:
    """Return a page. Fails if it does not exist."""
    response = fetch(server, path)
    assert (response.status_code, response.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    return read(response.text)


def ids(page: Page) -> list[str]:
    """Return all ids in a page that links may target."""
    return [element.attributes["id"] for element in page.elements if "id" in element.attributes]


def test_every_file_is_a_guide() -> None:
    there = {file.name.removesuffix(".md") for file in files("retinue.reference").joinpath("guides").iterdir()}
    assert set(guides()) == set(NAMES) == there


@ONE_DATABASE
def test_links_lead_somewhere(server: Server) -> None:
    pages = {f"/docs/guides/{name}": page_of(server, f"/docs/guides/{name}") for name in NAMES}
    resources = [f"/docs/api/{tag['name']}" for tag in api_document()["tags"]]
    pages |= {path: page_of(server, path) for path in ["/docs", "/docs/api/events", *resources]}
    anchors = {path: ids(page) for path, page in pages.items()}
    for path, page in pages.items():
        assert len(anchors[path]) == len(set(anchors[path]))
        links = {element.attributes["href"] for element in page.all("a")}
        for link in links:
            target, _, anchor = link.partition("#")
            if target.startswith("/api/"):
                assert fetch(server, target).status_code == 200
                continue
            assert not anchor or anchor in anchors[target or path], f"{path}: {link}"
        assert {f"/docs/guides/{name}" for name in NAMES} <= links


@pytest.mark.parametrize("name", NAMES)
def test_a_guide_can_be_read_by_everyone(name: str, server: Server) -> None:
    page = page_of(server, f"/docs/guides/{name}")
    assert [element.text for element in page.all("title")] == [f"{guides()[name].title} · Retinue"]
    assert len(page.all("main")) == len(page.all("h1")) == 1
    current = [element.attributes["href"] for element in page.elements if "aria-current" in element.attributes]
    assert current == [f"/docs/guides/{name}"] * 2
    regions = [element for element in page.elements if element.attributes.get("role") == "region"]
    assert all(element.attributes["aria-label"] for element in [*regions, *page.all("nav", "pre")])
    assert all(element.attributes["scope"] == "col" for element in page.all("th"))
    levels = [int(element.tag[1]) for element in page.all("h1", "h2", "h3", "h4")]
    main = levels[levels.index(1) :]
    assert all(below - above <= 1 for above, below in pairwise(main))


@pytest.mark.parametrize("name", NAMES)
def test_a_guide_needs_nothing_from_elsewhere(name: str, server: Server) -> None:
    response = fetch(server, f"/docs/guides/{name}")
    page = Page(response.text)
    assert response.headers["Content-Security-Policy"] == fetch(server, "/docs").headers["Content-Security-Policy"]
    assert [element.attributes["rel"] for element in page.all("link")] == ["icon", "stylesheet", "stylesheet"]
    assert page.all("img", "style", "iframe") == []
    scripts = [element.attributes["src"].partition("?v=")[0] for element in page.all("script")]
    theme, *own = scripts
    assert theme.endswith("/theme.js")
    assert own == ["/docs/search.js", "/docs/examples.js"]
    assert not [name for e in page.elements for name in e.attributes if name.startswith("on") or name == "style"]
    assert "<!--" not in response.text
    tag = response.headers["ETag"]
    again = requests.get(response.url, headers={"If-None-Match": tag}, timeout=120)
    assert (again.status_code, again.content) == (304, b"")


def test_examples_name_the_address_that_was_asked(server: Server) -> None:
    page = page_of(server, "/docs/guides/chat-and-streaming")
    codes = "".join(element.text for element in page.all("pre"))
    assert ADDRESS not in codes
    assert codes.count(f"{server.url}/api/v1") == 3


def test_the_first_guide_is_where_one_begins(server: Server) -> None:
    response = requests.get(f"{server.url}/docs/guides", timeout=120, allow_redirects=False)
    assert (response.status_code, response.headers["Location"]) == (303, "/docs/guides/quickstart")


def test_an_unknown_guide_is_the_standard_error(server: Server) -> None:
    refuse(fetch(server, "/docs/guides/missing"), 404, "no guide missing", "quickstart")


def test_code_is_shown_with_its_file_and_comments_are_not() -> None:
    text = "# A\n\n<!-- file: a.py -->\n```python\nif 1 < 2: pass\n```\n\n<!-- illustration: b -->\n```bash\nls\n```\n"
    shown = markdown.html(markdown.parse(text))
    page = Page(shown)
    assert [element.text for element in page.all("figcaption")] == ["a.py", "Shell"]
    assert [element.text for element in page.all("pre")] == ["if 1 < 2: pass\n", "ls\n"]
    assert "illustration" not in shown


def test_html_in_a_guide_is_text() -> None:
    page = Page(
        markdown.html(markdown.parse("<script>a</script>\n\nsome <b onclick=x>bold</b>\n\n[x](javascript:a)\n"))
    )
    assert page.all("script", "b", "a") == []


def test_numbers_stand_to_the_right() -> None:
    page = Page(markdown.html(markdown.parse("# T\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n")))
    assert [cell.attributes.get("class") for cell in page.all("th", "td")] == [None, "num", None, "num"]
    assert all("style" not in element.attributes for element in page.elements)
