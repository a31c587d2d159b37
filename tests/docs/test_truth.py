"""What the documentation says of files, settings, plans and links is so."""

import re
from pathlib import Path

import pytest

from retinue.auth.plans import Plans
from retinue.core.errors import RetinueError
from retinue.settings import Settings
from tests.docs.blocks import DOCUMENTS, ROOT

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
SOURCE = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.py)`")
UNUSED = {"RETINUE_ALLOWED_NETWORKS"}
"""Settings of the fixed surface that nothing obeys yet: no part connects to addresses that callers name."""

ROW = re.compile(r"^\|(.+)\|$", re.M)


def rows(document: Path) -> list[list[str]]:
    """The cells of every row of every table, without code marks."""
    return [[cell.strip().replace("`", "") for cell in row.split("|")] for row in ROW.findall(document.read_text())]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_files_lead_somewhere(document: Path) -> None:
    text = document.read_text()
    for link in LINK.findall(text):
        assert "://" in link or (document.parent / link).exists(), link
    for name in SOURCE.findall(text):
        places = [ROOT / "src/retinue" / name, ROOT / name]
        assert any(place.exists() for place in places), name


def test_every_setting_is_documented_and_no_other() -> None:
    cells = [name for row in rows(ROOT / "docs/operating.md") for name in row[0].split(", ")]
    documented = {name for name in cells if re.fullmatch(r"[A-Z_]+", name)}
    settings = {
        name.upper() if field.validation_alias else f"RETINUE_{name.upper()}"
        for name, field in Settings.model_fields.items()
    }
    assert documented == settings - UNUSED


def test_the_plans_are_as_documented() -> None:
    documented = {row[0]: row[1:] for row in rows(ROOT / "docs/api.md")}
    for name, plan in Plans.load().by_name.items():
        limits = [plan.requests.minute, plan.requests.hour, plan.requests.day]
        quotas = [plan.quotas.get("agents_active"), plan.quotas.get("api_calls")]
        assert documented[name] == [f"{value:,}" if value else "no limit" for value in (*limits, *quotas)]


def test_every_error_is_documented() -> None:
    documented = {(row[0], row[1]) for row in rows(ROOT / "docs/api.md")}
    for kind in RetinueError.__subclasses__():
        assert (str(kind.status), kind.code) in documented, kind
