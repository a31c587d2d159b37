"""What the documentation says of files, settings, plans and links is so."""

import re
from functools import cache
from pathlib import Path

import pytest

from retinue.app import operations
from retinue.auth.caller import SCOPES
from retinue.auth.plans import Plans
from retinue.core.errors import RetinueError
from retinue.models.known_weights import INCLUDED, WEIGHTS
from retinue.oauth.meanings import MEANINGS
from retinue.portal.routes import NAVIGATION
from retinue.reference.markdown import anchor_of
from retinue.settings import Settings
from retinue.usage.totals import METRICS
from tests.docs.blocks import DOCUMENTS, GUIDES, ROOT

PORTAL_PAGES = {f"/{entry.name}" for group in NAVIGATION.groups.values() for entry in group.entries} | {"/models/new"}
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.M)
SOURCE = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.py)`")
VARIABLE = re.compile(r"\bRETINUE_[A-Z_]*[A-Z]\b")
CHOSEN = {"RETINUE_KEY", "RETINUE_API_KEY", "RETINUE_URL", "RETINUE_BENCH_POSTGRES", "RETINUE_TESTS_MUST_RUN"}
"""Variables that are no settings of the server."""

SCOPE = re.compile(r"\b[a-z]+:(?:read|write|execute|publish)\b")
ROW = re.compile(r"^\|(.+)\|$", re.M)


def rows(document: Path) -> list[list[str]]:
    """The cells of every row of every table, without code marks."""
    return [[cell.strip().replace("`", "") for cell in row.split("|")] for row in ROW.findall(document.read_text())]


def anchors(document: Path) -> set[str]:
    """What links may name in a document."""
    return {anchor_of(heading) for heading in HEADING.findall(document.read_text())}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_files_lead_somewhere(document: Path) -> None:
    text = document.read_text()
    for link, anchor in LINK.findall(text):
        target = document.parent / link
        assert "://" in link or target.exists() or link in PORTAL_PAGES, link
        assert not anchor or anchor in anchors(target), f"{link}#{anchor}"
    for name in SOURCE.findall(text):
        folders = ["src/retinue", "", "packages/retinue-assistant", "packages/retinue-assistant/src"]
        places = [ROOT / folder / name for folder in folders]
        assert any(place.exists() for place in places), name


@cache
def settings() -> set[str]:
    """The variable of every setting."""
    fields = Settings.model_fields.items()
    return {name.upper() if field.validation_alias else f"RETINUE_{name.upper()}" for name, field in fields}


@cache
def lengths() -> set[str]:
    """The variables by which the tests themselves are lengthened."""
    sources = (file.read_text() for file in (ROOT / "tests").rglob("*.py"))
    return {name for source in sources for name in VARIABLE.findall(source) if name.startswith("RETINUE_TEST_")}


def test_every_setting_is_documented_and_no_other() -> None:
    cells = [name for row in rows(GUIDES / "operating.md") for name in row[0].split(", ")]
    assert {name for name in cells if re.fullmatch(r"[A-Z_]+", name)} == settings()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_setting_that_is_named_exists(document: Path) -> None:
    assert set(VARIABLE.findall(document.read_text())) <= settings() | lengths() | CHOSEN


def test_every_scope_is_documented_and_no_other() -> None:
    cells = [row[0] for row in rows(GUIDES / "accounts-and-keys.md")]
    assert {cell for cell in cells if cell == "*" or SCOPE.fullmatch(cell)} == SCOPES


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_scope_that_is_named_exists(document: Path) -> None:
    assert set(SCOPE.findall(document.read_text())) <= SCOPES


@pytest.mark.parametrize("scope", sorted(SCOPES - {"*"}))
def test_every_scope_is_needed_by_an_operation_and_explained_to_people(scope: str) -> None:
    assert scope in {operation.scope for operation in operations()}
    assert MEANINGS[scope]


def test_every_metric_is_documented() -> None:
    documented = {row[0] for row in rows(GUIDES / "usage-and-limits.md")}
    assert set(METRICS) <= documented


def test_the_weights_are_as_documented() -> None:
    documented = {row[0]: row[1:] for row in rows(GUIDES / "models.md") if len(row) == 4}
    for name, weights in WEIGHTS.items():
        if name in INCLUDED:
            assert documented[name][1] == f"{weights.size / 1e6:,.0f} MB"
        else:
            needs = [f"{weights.size / 1e9:.1f} GB", f"{weights.memory / 1e9:.1f} GB", weights.licence]
            assert documented[name] == needs


def test_the_plans_are_as_documented() -> None:
    tables = list(rows(GUIDES / "usage-and-limits.md"))
    documented = {row[0]: row[1:] for row in tables if len(row) == 6}
    imports = {row[0]: row[1:] for row in tables if len(row) == 4}
    further = {row[0]: row[1:] for row in tables if len(row) == 7}
    for name, plan in Plans.load().by_name.items():
        assert imports[name] == [f"{value:,}" for value in (plan.imports.sources, plan.imports.tools, plan.imports.mb)]
        limits = [plan.requests.minute, plan.requests.hour, plan.requests.day]
        quotas = [plan.quotas.get("agents_active"), plan.quotas.get("api_calls")]
        assert documented[name] == [f"{value:,}" if value else "no limit" for value in (*limits, *quotas)]
        monthly = [plan.quotas.get(metric) for metric in ("fleets_active", "tools_executed", "voice_minutes")]
        others = [*monthly, plan.quotas.get("storage_mb"), plan.keys, plan.schedules]
        assert further[name] == [f"{value:,}" if value else "no limit" for value in others]


def test_every_error_is_documented() -> None:
    documented = {(row[0], row[1]) for row in rows(GUIDES / "errors.md")}
    for kind in RetinueError.__subclasses__():
        assert (str(kind.status), kind.code) in documented, kind
