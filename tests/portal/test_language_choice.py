"""The language of pages: the browser's, or the one that a person chose in the settings or on the sign-in page."""

from urllib.parse import quote

import requests

from retinue.language.translation import LANGUAGE_COOKIE
from scripts.translations import catalogue_of
from tests.portal.reader import Reader, redirect

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


def is_in(language: str, page: requests.Response) -> bool:
    return page.status_code == 200 and f'<html lang="{language}">' in page.text


def in_german(message: str) -> str:
    """The German text of a message, or the message while it is not translated."""
    found = catalogue_of("de", "portal").get(message)
    return str(found.string) if found and found.string else message


def test_pages_are_in_the_language_of_the_browser(passer_by: Reader, reader: Reader) -> None:
    assert is_in("en", passer_by.get("/sign-in"))
    assert is_in("de", passer_by.get("/sign-in", headers=GERMAN))
    assert is_in("en", passer_by.get("/sign-in", headers={"Accept-Language": "fi, de;q=0"}))
    assert is_in("de", reader.get("/overview", headers=GERMAN))


def test_the_chosen_language_comes_before_that_of_the_browser(reader: Reader) -> None:
    chosen = reader.post("/settings/language", {"language": "fr"}, headers=GERMAN)
    assert redirect(chosen) == "/settings"
    cookie = next(line for line in chosen.raw.headers.getlist("Set-Cookie") if line.startswith(f"{LANGUAGE_COOKIE}=fr"))
    assert "Max-Age=31536000" in cookie
    assert "HttpOnly" in cookie
    page = reader.get("/settings", headers=GERMAN)
    assert is_in("fr", page)
    assert '<option value="fr" lang="fr" selected>Français</option>' in page.text
    assert redirect(reader.post("/settings/language", {"language": ""})) == "/settings"
    assert LANGUAGE_COOKIE not in reader.session.cookies
    assert is_in("de", reader.get("/settings", headers=GERMAN))


def test_an_unknown_language_is_refused_at_its_field(reader: Reader) -> None:
    answer = reader.post("/settings/language", {"language": "xx"})
    assert answer.status_code == 400
    assert 'id="problem-language"' in answer.text
    assert LANGUAGE_COOKIE not in reader.session.cookies
    reader.session.cookies.set(LANGUAGE_COOKIE, "xx")
    assert is_in("en", reader.get("/settings"))


def test_the_sign_in_page_changes_its_language_and_keeps_where_to_go(passer_by: Reader) -> None:
    goal = "/agents?page=2&sort=name"
    page = passer_by.get("/sign-in", params={"next": goal})
    assert f'href="/sign-in?language=de&amp;next={quote(goal)}"' in page.text
    there = redirect(passer_by.get("/sign-in", params={"language": "de", "next": goal}))
    page = passer_by.get(there)
    assert is_in("de", page)
    assert 'name="next" value="/agents?page=2&amp;sort=name"' in page.text
    outside = passer_by.get("/sign-in", params={"language": "es", "next": "https://example.com/"})
    assert redirect(outside) == "/sign-in?next=/overview"
    assert is_in("es", passer_by.get("/sign-in"))
    assert is_in("es", passer_by.get("/sign-in", params={"language": "xx"}))


def test_the_palette_finds_pages_in_english_and_in_the_language_of_the_page(reader: Reader) -> None:
    reader.post("/settings/language", {"language": "de"})
    for label in ("API keys", "Sign out"):
        for search in (label, in_german(label)):
            found = reader.get("/palette", params={"q": search}).text
            assert f"<span>{in_german(label)}</span>" in found
    assert f"<span>{in_german('Usage')}</span>" in reader.get("/palette", params={"q": "kontingent"}).text
    assert f"<span>{in_german('Usage')}</span>" in reader.get("/palette", params={"q": "quota"}).text
