"""The audit log as CSV contains every entry, and no cell that a spreadsheet interprets as a formula."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.http.csv_cells import csv_lines
from tests.support.client import Client, data, refuse


def read(text: str) -> list[dict[str, str]]:
    """Return the rows as dictionaries."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("asked", [{"params": {"format": "csv"}}, {"headers": {"Accept": "text/csv"}}])
def test_it_matches_the_list(client: Client, asked: dict[str, dict[str, str]]) -> None:
    for number in range(3):
        data(client.post("/webhooks", {"url": f"https://example.com/{number}"}), 201)
    response = client.get("/audit", **asked)
    assert response.headers["Content-Type"].startswith("text/csv")
    assert response.headers["Content-Disposition"] == 'attachment; filename="audit.csv"'
    listed = data(client.get("/audit?per_page=100"))
    assert read(response.text) == [
        {name: "" if value is None else str(value) for name, value in entry.items()} for entry in listed
    ]


@pytest.mark.parametrize(
    ("accept", "is_csv"),
    [
        *((kind, True) for kind in ("text/csv", "Text/CSV; charset=utf-8", "text/csv, */*")),
        *((kind, False) for kind in ("text/html", "text/plain", "text/css", "*/*", "application/json, text/csv")),
    ],
)
def test_the_first_type_that_is_accepted_counts(client: Client, accept: str, is_csv: bool) -> None:
    answer = client.get("/audit", headers={"Accept": accept})
    assert answer.headers["Content-Type"].startswith("text/csv" if is_csv else "application/json")


def test_it_has_every_entry_and_obeys_the_filters(client: Client) -> None:
    for _ in range(3):
        data(client.put("/account", {"name": "Ada"}))
    data(client.post("/webhooks", {"url": "https://example.com/hook"}), 201)
    lines = read(client.get("/audit?format=csv&per_page=1&action=account.updated").text)
    assert [line["action"] for line in lines] == ["account.updated"] * 3
    listed = client.get("/audit?format=json", headers={"Accept": "text/csv"})
    assert data(listed)[0]["action"] == "webhook.created"
    refuse(client.get("/audit?format=xml"), 400, "format")


def test_an_id_of_a_request_is_no_formula(client: Client) -> None:
    data(client.put("/account", {"name": "Ada"}, headers={"X-Request-ID": '=HYPERLINK("http://x")'}))
    (line,) = read(client.get("/audit?format=csv&action=account.updated").text)
    assert line["request_id"] == '\'=HYPERLINK("http://x")'


def test_it_is_its_users_alone(client: Client, stranger: Client, nobody: Client) -> None:
    data(client.post("/webhooks", {"url": "https://example.com/hook"}), 201)
    assert "webhook.created" not in stranger.get("/audit?format=csv").text
    refuse(nobody.get("/audit?format=csv"), 401)


@given(st.lists(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])), min_size=1, max_size=5))
def test_cells_come_back_and_none_is_a_formula(cells: list[str]) -> None:
    (line,) = csv.reader(io.StringIO(csv_lines([cells]), newline="")) if any(cells) or len(cells) > 1 else [[""]]
    for cell, kept in zip(cells, line, strict=True):
        assert kept in (cell, f"'{cell}")
        assert not kept.startswith(("=", "+", "-", "@", "\t", "\r"))
