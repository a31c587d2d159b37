"""In German, no page shows an English sentence of the catalogues: neither its own nor that of a record that failed."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pytest

from scripts.translations import METHODS, catalogue_of
from tests.account_data.full_account import FullAccount, fill, settle
from tests.conftest import NewServer, User
from tests.portal.conftest import PAGES
from tests.portal.reader import reader_of
from tests.portal.test_catalogues import PARTS, forms
from tests.portal.test_crawl import UNLINKED, Crawl
from tests.portal.test_languages import VisibleText
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

NOBODY = "http://127.0.0.1:9"
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_START = re.compile(r"[A-Z]|\w+(?:\W+\w+){3}")
_FEWEST_WORDS = 3
"""Shorter texts, such as "Not found", may also be what a user wrote, and so may three words from within a sentence."""


class EnglishSentences:
    """The sentences of the catalogues that read differently in a language, by their first words."""

    def __init__(self, language: str) -> None:
        self._by_start: dict[Sequence[str], set[str]] = defaultdict(set)
        for domain in METHODS:
            for message in catalogue_of(language, domain):
                for source, translation in forms(message) if message.id else ():
                    for part in map(_normalize, PARTS.split(source)):
                        words = _WORD.findall(part)
                        if len(words) >= _FEWEST_WORDS and _START.match(part) and part not in _normalize(translation):
                            self._by_start[tuple(words[:_FEWEST_WORDS])].add(part)

    def find(self, text: str) -> Iterator[str]:
        """Yield the sentences in a text."""
        text = _normalize(text)
        words = _WORD.findall(text)
        starts = {tuple(words[at : at + _FEWEST_WORDS]) for at in range(len(words) - _FEWEST_WORDS + 1)}
        yield from (part for start in starts for part in self._by_start.get(start, ()) if part in text)


def _normalize(text: str) -> str:
    return " ".join(text.split())


def _add_failures(full: FullAccount, model: ModelServer) -> list[str]:
    """Make a run, a deployment, a simulation, a document and a source that fail. Returns their addresses."""
    client = full.live
    answers = {"model": "default/stand-in"}
    careful = {"skills": ["web_extract_links"], "approval": "required", **answers}
    waits = data(client.post("/agents", {"agent_name": "Careful", "agent_role": "leader", **careful}), 201)["id"]
    asked = '[[tool:web_extract_links {"html": "<p>Read</p>"}]]'
    stopped = data(client.post(f"/agents/{waits}/execute", {"message": asked, "background": True}), 202)["id"]
    eventually(lambda: data(client.get("/approvals")))
    data(client.post(f"/runs/{stopped}/cancel", {}))
    model.obsession = Answer(status=400, text=full.marker)
    fleet = data(client.post("/fleets", {"name": full.text()}), 201)["id"]
    made = {"agent_name": full.text("Agent"), "agent_role": "generalist", "fleet_id": fleet, **answers}
    agent = data(client.post("/agents", made), 201)["id"]
    run = data(client.post(f"/agents/{agent}/execute", {"message": full.text("Say"), "background": True}), 202)["id"]
    deployment = data(client.post(f"/fleets/{fleet}/deploy", {"task": full.text("Say")}))["deployment_id"]
    scenario = {name: full.text() for name in ("name", "persona", "goal", "opening")}
    wanted = {"agent_id": agent, "name": full.text(), "scenarios": [scenario], **answers}
    simulation = data(client.post("/simulations", wanted), 201)["id"]
    collection = data(client.post("/knowledge/collections", {"name": full.text("Broken")}), 201)["id"]
    documents = f"/knowledge/collections/{collection}/documents"
    unread = data(client.post(documents, {"url": f"{NOBODY}/page"}), 201)["id"]
    source = {"kind": "website", "url": f"{NOBODY}/"}
    data(client.post(f"/knowledge/collections/{collection}/sources", source), 201)
    for path in (f"/runs/{run}", f"/fleets/{fleet}/deployments/{deployment}", f"{documents}/{unread}"):
        eventually(partial(_is, client, path, "failed"))
    eventually(partial(_is, client, f"/simulations/{simulation}", "completed"))
    model.obsession = None
    return [
        f"/runs/{run}",
        f"/runs/{stopped}",
        f"/fleets/{fleet}/deployments/{deployment}",
        f"/simulations/{simulation}",
        f"/knowledge/collections/{collection}",
        f"{documents}/{unread}",
    ]


def _is(client: Client, path: str, status: str) -> bool:
    return bool(data(client.get(path))["status"] == status)


@pytest.fixture(scope="module")
def pages(new_server: NewServer, model_server: ModelServer) -> Iterator[Mapping[str, str]]:
    """The pages of an account with one of everything and of what fails, in German, by their addresses."""
    server = new_server(RETINUE_ALLOWED_NETWORKS="127.0.0.1/32", RETINUE_VOICE_LIBRARIES="off").start()
    full = fill(User(server, server.new_user()), "zqlanguage", NOBODY)
    settle(full)
    failures = _add_failures(full, model_server)
    reader = reader_of(full.user)
    reader.session.headers["Accept-Language"] = "de"
    yield Crawl(reader).run([*PAGES, *UNLINKED, *failures]).pages
    full.close()
    server.close()


def test_no_page_shows_an_english_sentence_of_the_catalogues(pages: Mapping[str, str]) -> None:
    english = EnglishSentences("de")
    found: dict[str, set[str]] = defaultdict(set)
    for address, text in pages.items():
        page = VisibleText()
        page.feed(text)
        for sentence in english.find("\n".join(page.texts)):
            found[sentence].add(address)
    assert found == {}
