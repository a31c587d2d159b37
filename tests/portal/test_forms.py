"""Reading forms and pages of lists: whatever is sent, the answer is a form or a refusal."""

import string
from unittest.mock import Mock
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from retinue.agents.schemas import AgentCreate
from retinue.core.errors import ValidationFailed
from retinue.portal.forms import Form, InvalidForm, parse, parse_form
from retinue.portal.page import Visit
from retinue.portal.paging import PageMissing, paging_of

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=50)


@given(st.lists(st.tuples(st.text(string.ascii_lowercase, min_size=1, max_size=5), TEXT), max_size=20))
def test_encoded_messages_are_decoded(pairs: list[tuple[str, str]]) -> None:
    form = parse_form(urlencode(pairs))
    for name in {name for name, _ in pairs}:
        values = [value for other, value in pairs if other == name]
        assert name in form
        assert form.raw(name) == values[0]
        assert form.list(name) == list(dict.fromkeys(value for value in values if value))


@given(st.text(max_size=300))
def test_any_text_is_a_form(text: str) -> None:
    form = parse_form(text)
    assert form.text("absent") == ""
    assert form.optional("absent") is None


def test_the_query_of_a_page_is_parsed_once() -> None:
    request, platform = Request({"type": "http", "path": "/", "query_string": b"a=1", "headers": []}), Mock()
    visit = Visit(request, platform)
    assert visit.query.text("a") == "1"
    assert visit.query is visit.query


def test_a_form_has_its_limits() -> None:
    with pytest.raises(ValidationFailed, match="fields"):
        parse_form("a=1&" * 3000)


def test_a_record_fills_a_form() -> None:
    form = Form.of({"name": "Ada", "skills": ["a", "b"], "task": None, "on": True, "off": False, "count": 3})
    assert (form.text("name"), form.list("skills"), form.raw("count")) == ("Ada", ["a", "b"], "3")
    assert "task" not in form
    assert "on" in form
    assert "off" not in form


def test_a_schema_reports_the_problem_of_each_field() -> None:
    with pytest.raises(InvalidForm) as caught:
        parse(AgentCreate, {"agent_name": "", "agent_role": "king"})
    assert caught.value.fields["agent_name"] == "Must not be empty."
    assert caught.value.fields["agent_role"].startswith("Must be one of")
    assert caught.value.status == 400


@given(st.text(max_size=30), st.integers(0, 10**6))
def test_every_query_is_some_page(text: str, total: int) -> None:
    try:
        paging = paging_of(text).of(total)
    except PageMissing as missing:
        paging = paging_of(str(missing.last)).of(total)
    assert paging.part.page >= 1
    assert 0 <= paging.first <= total
    assert 0 <= paging.last <= total
    assert paging.pages >= 1
    assert paging_of("7").part.page == 7
