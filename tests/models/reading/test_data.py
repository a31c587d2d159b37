"""The data that stand in a request."""

from datetime import date

import orjson
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retinue.models.reading.data import RequestData, data_in, numbers_in


@pytest.mark.parametrize(
    ("request_", "field", "wanted"),
    [
        ("HMAC of 'invoice 1138' with the key \"tangerine\"", "texts", ("invoice 1138", "tangerine")),
        ("it's mine, isn't it? that's \u201cso\u201d", "texts", ("so",)),
        ("url encode this: fish & chips, 50% off?", "texts", ("fish & chips, 50% off?",)),
        ("shout this: We go. And you. What is it?", "texts", ("We go. And you. What is it?", "We go. And you")),
        ("at 16:45 we meet", "texts", ()),
        ("of the network 10.0.0.0/8: how many hosts?", "texts", ()),
        ("she wrote: AHVPZXDPLC. The key is HARBOUR. What is it?", "texts", ("AHVPZXDPLC",)),
        ("morse: .- / -... - what does it say?", "texts", (".- / -... - what does it say?", ".- / -...")),
        ('to csv: [{"name":"Ada"}]', "texts", ('[{"name":"Ada"}]',)),
        ("is card 4929758135502311 fine?", "codes", ("4929758135502311",)),
        ("the colour #C8763F, in 3 words", "codes", ("#C8763F",)),
        ("What day was 20 July 1969?", "dates", ("1969-07-20",)),
        ("from 2026-03-01 to March 5th, 2026", "dates", ("2026-03-01", "2026-03-05")),
        ("the 31st of February 2026 or 1.4.2026", "dates", ("2026-04-01",)),
        ("from 14 July to 8 August 2025", "dates", ("2025-07-14", "2025-08-08")),
        ("between March 3rd and April 9th, 2024", "dates", ("2024-03-03", "2024-04-09")),
        ("3 to 17 May 2025", "dates", ("2025-05-03", "2025-05-17")),
        ("encrypt MEET ME AT NOON by 3", "texts", ("MEET ME AT NOON",)),
        ("the ISO of USD", "texts", ()),
        ("observed 48, 35, 17 and expected 40, 40 and 20.5", "lists", ((48, 35, 17), (40, 40, 20.5))),
        ("a loan of 1,250,000 at 5, 6%", "lists", ()),
        ('{"order":{"items":[{"qty":3}]}}', "literals", ({"order": {"items": [{"qty": 3}]}}, [{"qty": 3}])),
        ("det [[1, 9], [4, -2]] and {not json", "literals", ([[1, 9], [4, -2]],)),
        ("18,500 over 5 years at 6.4%", "numbers", 3),
        ("versions 1.4.1, 2.0.0, and 1.10.0?", "words", (("1.4.1", "2.0.0", "1.10.0"),)),
        ("sort these: pear; fig; apple.", "words", (("pear", "fig", "apple"),)),
        ("pear, fig and brown bread", "words", ()),
        ("well, I go, then", "words", ()),
    ],
)
def test_what_is_found(request_: str, field: str, wanted: object) -> None:
    assert getattr(data_in(request_), field) == wanted


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ("37.77 N, 122.42 W", [37.77, 122.42, -122.42]),
        ("33.9 S and 18.4\u00b0E", [33.9, 18.4, -33.9]),
        ("3.2e-5 of 1,000", [3.2e-5, 1000]),
    ],
)
def test_numbers_are_found_each_once(request_: str, wanted: list[float]) -> None:
    assert numbers_in(request_) == wanted


@pytest.mark.parametrize(
    "hostile", ["[" * 4000, "[]" * 2000, "{[" * 2000, "'" * 4000, "[" * 2000 + "]" * 2000, "[NaN]"]
)
def test_brackets_and_quotes_without_end_are_borne(hostile: str) -> None:
    assert len(data_in(hostile).literals) <= 20


def test_long_numbers_fit_into_json() -> None:
    data = data_in(f"of {'9' * 30}, 2, 3 and [[{'9' * 30}]]")
    assert orjson.loads(orjson.dumps([*data.lists, *data.literals])) == [[1e30, 2, 3], [[1e30]]]


def test_a_very_long_request_tells_nothing() -> None:
    assert data_in(f"this: {'x' * 5000}").texts == ()


@given(st.text())
def test_any_text_is_looked_through(text: str) -> None:
    assert isinstance(data_in(text), RequestData)


@given(
    st.dates(min_value=date(1000, 1, 1)), st.sampled_from(["%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%d.%m.%Y", "%d %b %Y"])
)
def test_a_date_is_found_however_it_is_written(day: date, form: str) -> None:
    assert data_in(f"What is on {day.strftime(form)}?").dates == (day.isoformat(),)


@given(st.lists(st.integers(-999, 999) | st.decimals(-999, 999, places=2), min_size=3))
def test_a_list_of_numbers_is_found(numbers: list[object]) -> None:
    [found] = data_in(f"the mean of {', '.join(map(str, numbers))} please").lists
    assert list(found) == [float(str(number)) for number in numbers]


@given(st.lists(st.dictionaries(st.text(), st.integers(-(2**53), 2**53) | st.text()), min_size=1))
def test_json_is_found(records: list[dict[str, object]]) -> None:
    try:
        text = orjson.dumps(records).decode()
    except TypeError:
        return
    assume(len(text) < 3900)
    assert data_in(f"Turn {text} into a table").literals == (records,)
