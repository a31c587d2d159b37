"""The pages in Chromium: 0 violations by axe in both themes, no page wider than a phone, no error on the console."""

from collections.abc import Iterator

import pytest

from retinue.language.translation import LANGUAGE_COOKIE, LANGUAGES, current_language, gettext
from tests.conftest import ONE_DATABASE
from tests.portal.chromium import DESKTOP, PHONE, Visitor
from tests.portal.conftest import PAGES, Arrive
from tests.portal.reader import Reader
from tests.support.sampling import sample
from tests.support.server import Server

pytestmark = pytest.mark.needs_program("chromium")

OTHER_LANGUAGES = [language for language in LANGUAGES if language != "en"]
PARTS = 4
"""The pages are checked in so many tests, none of which takes long on a busy machine."""


def check_in_both_themes(visitor: Visitor, path: str) -> None:
    """Load the page once: a change of the theme changes its colours alone."""
    page = visitor.open(path)
    page.emulate_media(color_scheme="light")
    visitor.check_accessibility()
    page.emulate_media(color_scheme="dark")
    visitor.check_colours()


def check_page(visitor: Visitor, path: str) -> None:
    """Check a page in both themes, and on a phone without loading it again."""
    check_in_both_themes(visitor, path)
    visitor.resize(PHONE)
    visitor.check_width()
    visitor.resize(DESKTOP)


@ONE_DATABASE
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.long
@pytest.mark.timeout(120)
def test_pages_are_accessible_and_fit_a_phone(reader: Reader, arrive: Arrive, part: int) -> None:
    visitor = arrive(reader)
    for path in PAGES[part::PARTS]:
        check_page(visitor, path)


@pytest.fixture(params=sample(OTHER_LANGUAGES, len(OTHER_LANGUAGES)))
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    """A language of the interface, in which `gettext` then words what a reader sees."""
    token = current_language.set(request.param)
    yield request.param
    current_language.reset(token)


@ONE_DATABASE
def test_pages_fit_a_phone_in_other_languages(reader: Reader, arrive: Arrive, server: Server, language: str) -> None:
    """Their words are longer than English ones."""
    visitor = arrive(reader, size=PHONE)
    visitor.page.context.add_cookies([{"name": LANGUAGE_COOKIE, "value": language, "url": server.url}])
    for path in PAGES:
        page = visitor.open(path)
        visitor.check_width()
    assert page.locator("html").get_attribute("lang") == language
    page.get_by_role("button", name=gettext("Open the menu")).click()
    page.get_by_role("link", name=gettext("Overview"), exact=True).wait_for()
    visitor.check_accessibility()
    page.keyboard.press("Escape")
    page.get_by_role("link", name=gettext("Overview"), exact=True).wait_for(state="hidden")


@ONE_DATABASE
@pytest.mark.parametrize("path", ["/sign-in", "/sign-in/link?token=link_x"])
def test_the_sign_in_is_accessible(passer_by: Reader, arrive: Arrive, path: str) -> None:
    check_page(arrive(passer_by), path)


@ONE_DATABASE
def test_the_first_load_is_small(passer_by: Reader, arrive: Arrive) -> None:
    visitor = arrive(passer_by)
    sizes: list[int] = []
    visitor.page.on("response", lambda response: sizes.append(len(response.body())))
    visitor.open("/sign-in")
    visitor.page.wait_for_load_state("networkidle")
    assert len(sizes) > 5
    assert sum(sizes) < 250_000
