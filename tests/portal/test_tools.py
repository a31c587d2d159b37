"""The pages of tools: searching, forms made of schemas, results."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import ValidationFailed
from retinue.portal.forms import Form
from retinue.portal.templating import name_words, value_words
from retinue.portal.tools.fields import arguments_of, fields_of
from retinue.portal.tools.results import parts_of
from tests.conftest import NewUser
from tests.portal.conftest import UNFIT_JSON
from tests.portal.reader import Reader, reader_of, redirect, title
from tests.support.catalogue import CATALOGUE
from tests.support.server import Server

pytestmark = pytest.mark.either_database


def test_tools_are_found_by_words_category_and_tier(reader: Reader) -> None:
    assert title(reader.get("/tools")) == "Tools"
    found = reader.get("/tools", params={"q": "what is x percent of y"}).text
    assert "percent_solve_share" in found
    part = reader.ask("GET", "/tools?q=percent&category=finance", {"HX-Request": "true"}).text
    assert "<html" not in part
    assert "percent_solve_share" in part
    assert (
        "No tool does this" in reader.get("/tools", params={"q": "percent", "category": "graphs", "tier": "free"}).text
    )
    nonsense = reader.get("/tools", params={"q": "x" * 3000, "category": "nope", "tier": "nope", "page": "nope"})
    assert nonsense.status_code == 200


def test_the_pages_of_a_list_go_on(reader: Reader) -> None:
    first = reader.get("/tools").text
    second = reader.get("/tools", params={"page": "2"}).text
    assert 'rel="next"' in first
    assert 'rel="prev"' in second
    assert re.search(r"26.50 of", second)
    last = redirect(reader.get("/tools", params={"page": "999999999"}))
    assert 'rel="next"' not in reader.get(last).text


def test_a_tool_is_tried_by_its_form(reader: Reader) -> None:
    page = reader.get("/tools/percent_solve_share").text
    assert 'name="part"' in page
    assert "<h1>Find the part, the whole or the percentage from the other two</h1>" in page
    answer = reader.post("/tools/percent_solve_share/try", {"part": "17", "whole": "4250", "percent": ""})
    assert answer.status_code == 200
    assert "17 is 0.4 % of 4250." in answer.text
    assert '<dt title="rest_percent">Rest percent</dt><dd>99.6</dd>' in answer.text
    assert "curl -sS" in answer.text
    german = reader.post(
        "/tools/percent_solve_share/try", {"part": "17", "whole": "4250"}, headers={"Accept-Language": "de"}
    )
    assert "17 sind 0,4 % von 4250." in german.text
    part = reader.post("/tools/percent_solve_share/try", {"part": "17"}, headers={"HX-Request": "true"})
    assert part.status_code == 400
    assert 'role="alert"' in part.text
    wrong = reader.post("/tools/percent_solve_share/try", {"part": "seventeen", "whole": "2"})
    assert wrong.status_code == 400
    assert "part" in wrong.text


def test_tools_that_there_are_not_are_not_found(reader: Reader) -> None:
    assert title(reader.get("/tools/no_such_tool")) == "Error 404"
    assert reader.post("/tools/no_such_tool/try", {"a": "1"}).status_code == 404


def test_a_tool_beyond_the_plan_is_refused_with_a_way_on(server: Server, new_user: NewUser) -> None:
    reader = reader_of(new_user(server, "free"))
    assert "Your plan does not include this tool" in reader.get("/tools/aead_encrypt_text").text
    answer = reader.post("/tools/aead_encrypt_text/try", {"text": "x"})
    assert answer.status_code == 403
    assert "requires the plan" in answer.text
    reader.close()


def plain_example(tool: Any) -> dict[str, Any] | None:
    """The arguments of an example that needs nothing else."""
    more = ("files", "site", "servers", "connections", "before")
    return next((one["args"] for one in tool.examples if "result" in one and not any(one.get(n) for n in more)), None)


def as_typed(value: Any) -> Any:
    """A value with the line ends of a browser's text field."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else value


def test_the_form_of_every_tool_means_the_example_that_fills_it() -> None:
    checked = 0
    for tool in CATALOGUE:
        example = plain_example(tool)
        if example is None:
            continue
        arguments = arguments_of(tool, Form([(field.name, field.value) for field in fields_of(tool)]))
        wanted = {name: as_typed(value) for name, value in example.items() if value not in ("", [], None)}
        given = {name: value for name, value in arguments.items() if name in wanted}
        if any(
            isinstance(value, list) and any(not one or "\n" in str(one) for one in value) for value in wanted.values()
        ):
            continue
        assert given == wanted, tool.name
        checked += 1
    assert checked > 900


@given(st.dictionaries(st.sampled_from(["part", "whole", "percent", "other"]), st.text(max_size=30)))
def test_whatever_is_typed_becomes_arguments_or_a_refusal(typed: dict[str, str]) -> None:
    arguments = arguments_of(CATALOGUE.get("percent_solve_share"), Form(typed.items()))
    assert arguments.keys() <= {"part", "whole", "percent"}


@given(st.text(max_size=40))
def test_json_that_is_none_is_refused_by_its_name(typed: str) -> None:
    tool = next(
        tool for tool in CATALOGUE if any(field.kind == "json" and field.item != "any" for field in fields_of(tool))
    )
    name = next(field.name for field in fields_of(tool) if field.kind == "json" and field.item != "any")
    try:
        wanted = json.loads(typed) if typed.strip() else None
    except ValueError:
        with pytest.raises(ValidationFailed, match=name):
            arguments_of(tool, Form([(name, typed)]))
    else:
        if typed.strip() and not any(word in typed for word in ("NaN", "Infinity")) and len(typed) < 20:
            assert arguments_of(tool, Form([(name, typed)])).get(name) == wanted


@pytest.mark.parametrize(("typed", "problem"), UNFIT_JSON)
def test_json_that_the_api_refuses_is_refused_by_its_name(typed: str, problem: str) -> None:
    tool = CATALOGUE.get("accounting_check_trial_balance")
    with pytest.raises(ValidationFailed, match=f"postings: .*{problem}"):
        arguments_of(tool, Form([("postings", typed)]))


@pytest.mark.parametrize(
    ("name", "label"), [("base_url", "Base URL"), ("to", "To"), ("html", "HTML"), ("userName", "UserName"), ("_", "_")]
)
def test_names_become_labels(name: str, label: str) -> None:
    assert name_words(name) == label


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, ""),
        (True, "Yes"),
        (25.0, "25"),
        (0.5, "0.5"),
        (["a", 1], "a, 1"),
        ({"due_date": "today", "urgent": False}, "Due date: today\nUrgent: No"),
        ({"text": "One\nAmount: 2"}, '{\n  "text": "One\\nAmount: 2"\n}'),
        ([{"a": 1}], '[\n  {\n    "a": 1\n  }\n]'),
    ],
)
def test_values_are_shown_in_words(value: object, words: str) -> None:
    assert value_words(value) == words


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=6))
def test_every_result_can_be_shown(result: dict[str, Any]) -> None:
    parts = parts_of(result)
    names = [*parts.facts, *parts.texts, *parts.tables, *parts.lists]
    assert len(names) == len(set(names))
    assert set(names) <= result.keys()
    assert all(len(row) == len(table.columns) for table in parts.tables.values() for row in table.rows)
