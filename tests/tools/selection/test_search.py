"""Ranking of tools for plain questions, among a thousand others."""

import time
from collections import Counter
from itertools import islice
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.language.text_normalization import stem
from retinue.tools.authoring.libraries import SCHOOLBOOK
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.selection.index import Index
from retinue.tools.selection.selector import Query
from tests.support.sampling import EXHAUSTIVE

QUESTIONS = {
    "network_calculate_subnet": [
        "How many addresses can I use in 10.20.0.0/19?",
        "what is the brodcast adress of 10.20.30.40/19",
        "I need the netmask for a /27",
        "subnet calculator",
    ],
    "math_evaluate_expression": ["What is 17 * 23 + 4?", "how much is 18% of 350", "square root of 2209", "calculator"],
    "number_convert_roman": ["What year is MCMLXXXIV?", "write 49 as roman numerals", "romen numeral for 2026"],
    "unit_convert_quantity": [
        "How many miles is 42 km?",
        "what is 350 fahrenheit in celsius",
        "how many pounds are 80 kilograms",
        "convrt 12 onces to grams",
    ],
    "date_compute_difference": [
        "How many days from 2026-03-01 to 2026-12-24?",
        "how old is somebody born 12 May 1985",
        "number of weeks between 3 January and 9 June",
    ],
    "date_add_interval": [
        "what date is 45 days after 2026-11-21",
        "add 3 months to 2026-01-31",
        "deadline in six weeks",
    ],
    "text_convert_case": ["make this text upper case: hello", "convert user_name to camelCase", "captalize each word"],
    "csv_convert_to_json": ["convert this csv to json", "turn a comma separated table into objects", "parse csv"],
    "stats_describe_numbers": [
        "what's the average of 3, 5, 8, 12",
        "standard deviation of 1, 2, 3",
        "median of 7, 3, 9",
    ],
    "loan_compute_payment": [
        "monthly payment for a 200000 mortgage at 5 percent over 25 years",
        "How much would a $15,000 car loan cost me per month at 7%?",
    ],
    "hash_compute_digest": ["sha256 of hello", "md5 checksum of this string", "hmac of this payload with key abc"],
    "geo_measure_distance": ["how far is it from 52.5, 13.4 to 48.8, 2.3", "great circle distance"],
    "uuid_generate_identifiers": ["give me a new uuid", "I need three guids", "generate a random unique id"],
}

HERE = Path(__file__).parents[1]
LABELLED = ["labels.tsv", "labels_apart.tsv", "colloquial.tsv", "everyday_tuning.tsv", "everyday_held_out.tsv"]
NOISE = {"everyday_tuning.tsv": 0, "everyday_held_out.tsv": 1}
"""Maximum number of phrases that no tool serves and that find one nevertheless."""
Labels = list[tuple[str, set[str]]]
PAIRS = [(question, name) for name, questions in QUESTIONS.items() for question in questions]


@pytest.fixture(scope="module")
def crowd(catalogue: Catalogue) -> Catalogue:
    """More than a thousand tools."""
    assert len(catalogue) > 1000
    return catalogue


def found(catalogue: Catalogue, question: str, k: int) -> list[str]:
    """The names of the first `k` tools that a search finds."""
    return [tool.name for tool in catalogue.find(question, None, None, 0, k)[1]]


def test_the_right_tool_is_among_the_first_five(crowd: Catalogue) -> None:
    missed = [question for question, name in PAIRS if name not in found(crowd, question, 5)]
    assert missed == []


def test_the_right_tool_is_mostly_the_first(crowd: Catalogue) -> None:
    first = [found(crowd, question, 1) == [name] for question, name in PAIRS]
    assert sum(first) / len(first) >= 0.85


def labels(file: str) -> Labels:
    """Questions with the tools that answer them, read off the catalogue, not off the search; none is `-`."""
    rows = (line.split("\t") for line in (HERE / file).read_text().splitlines())
    return [(question, {*answers.split(" | ")} - {"-"}) for question, answers in rows]


def recall(catalogue: Catalogue, asked: Labels, k: int) -> float:
    """The share of questions that a tool answers for which such a tool is among the first `k`."""
    found = [not answers.isdisjoint(best(catalogue, question, k)) for question, answers in asked if answers]
    return sum(found) / len(found)


def best(catalogue: Catalogue, question: str, k: int) -> list[str]:
    """The names of the first `k` tools that an agent is offered for a question."""
    return [name for name, _ in catalogue.rank([Query(question)]).tools[:k]]


def test_every_label_is_a_tool_and_every_question_has_labels(crowd: Catalogue) -> None:
    questions = [line.split("\t")[1] for line in (HERE / "questions.tsv").read_text().splitlines()]
    assert [question for question, _ in labels("labels.tsv")] == questions
    named = {name for file in LABELLED for _, names in labels(file) for name in names}
    assert named <= set(crowd.names())


def test_plain_questions_find_a_tool_that_answers_them(crowd: Catalogue) -> None:
    asked = labels("labels.tsv")
    assert recall(crowd, asked, 5) >= 0.95
    assert recall(crowd, asked, 1) >= 0.8


def test_so_do_questions_that_the_search_was_never_tuned_on(crowd: Catalogue) -> None:
    asked = labels("labels_apart.tsv")
    assert recall(crowd, asked, 5) >= 0.9
    assert recall(crowd, asked, 1) >= 0.7


def test_searches_in_everyday_words_find_the_right_tool_or_nothing(crowd: Catalogue) -> None:
    asked = labels("colloquial.tsv")
    found_by = {question: found(crowd, question, 5) for question, _ in asked}
    missed = [question for question, answers in asked if answers and answers.isdisjoint(found_by[question])]
    assert len(missed) <= 0.05 * sum(bool(answers) for _, answers in asked), missed
    assert [question for question, answers in asked if not answers and found_by[question]] == []


@pytest.mark.parametrize("file", ["everyday_tuning.tsv", "everyday_held_out.tsv"])
def test_everyday_phrases_find_the_right_tool_or_nothing(crowd: Catalogue, file: str) -> None:
    """Many requests of both files occur in the catalogue: see docs/tool-selection.md."""
    asked = labels(file)
    wrong = [question for question, answers in asked if answers and answers.isdisjoint(found(crowd, question, 5))]
    assert len(wrong) <= 0.05 * sum(bool(answers) for _, answers in asked), wrong
    noisy = [question for question, answers in asked if not answers and found(crowd, question, 1)]
    assert len(noisy) <= NOISE[file], noisy


def test_no_labelled_search_is_taken_for_one_of_a_missing_tool(crowd: Catalogue) -> None:
    asked = [*labels("labels.tsv"), *labels("labels_apart.tsv"), *((question, {name}) for question, name in PAIRS)]
    assert [question for question, answers in asked if answers and not found(crowd, question, 1)] == []


def test_a_single_word_finds_tools_with_that_tag(crowd: Catalogue) -> None:
    counts = Counter(tag for name in crowd.names() for tag in crowd.get(name).tags)
    common = [tag for tag, count in counts.items() if count >= 5 and tag != SCHOOLBOOK]
    tagged = [any(tag in crowd.get(name).tags for name in found(crowd, tag, 5)) for tag in common]
    assert sum(tagged) / len(tagged) >= 0.95


def test_results_come_with_scores_that_fall(crowd: Catalogue) -> None:
    scores = [score for _, score in crowd.search("convert csv to json", None, None, 0, 20)[1]]
    assert None not in scores
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    assert {score for _, score in crowd.search(None, None, None, 0, 20)[1]} == {None}


def test_a_superseded_tool_answers_to_its_name_but_is_not_listed(crowd: Catalogue) -> None:
    hidden = [tool for tool in crowd if tool.superseded_by]
    assert hidden
    for tool in hidden:
        assert tool.superseded_by in crowd.names()
        assert tool.name not in crowd.names()
        assert crowd.get(tool.name) == tool
        assert tool.name not in found(crowd, tool.name, 5)


@EXHAUSTIVE
@pytest.mark.long
def test_the_purpose_of_a_tool_finds_it(catalogue: Catalogue) -> None:
    listed = [tool for tool in catalogue if not tool.superseded_by]
    found = [(tool.name, best(catalogue, question, 5)) for tool in listed for question in tool.use_when]
    assert sum(name in names for name, names in found) / len(found) >= 0.99
    assert sum(name in names[:2] for name, names in found) / len(found) >= 0.98
    assert sum(name == names[0] for name, names in found if names) / len(found) >= 0.95


def test_a_word_begun_is_completed(crowd: Catalogue) -> None:
    assert "network_calculate_subnet" in [tool.name for tool in crowd.find("subn", None, None, 0, 5)[1]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("addresses", "address"),
        ("litres", "liter"),
        ("summarise", "summarizing"),
        ("colour", "colors"),
        ("cities", "city"),
    ],
)
def test_kindred_spellings_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_an_empty_index_finds_nothing() -> None:
    assert Index.of([]).rank("anything") == []
    assert Index.of([{"": 1.0}]).rank("anything") == []


@given(st.text(max_size=300))
def test_any_text_can_be_searched(crowd: Catalogue, text: str) -> None:
    ranked = crowd.index.rank(text)
    assert all(score > 0 for _, score in ranked)
    assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)


def test_a_very_long_message_is_searched_by_its_beginning(crowd: Catalogue) -> None:
    message = "convert this csv to json " + "word\u0301 " * 50_000
    assert found(crowd, message, 1) == ["csv_convert_to_json"]


@pytest.mark.parametrize("question", ["gcd of 12 and 18", "sentense", "hello", "turn this title into snake case"])
def test_an_index_that_was_stored_ranks_as_before(catalogue: Catalogue, question: str) -> None:
    index = Index.of({tool.name.replace("_", " "): 3.0, tool.description: 1.0} for tool in islice(catalogue, 200))
    restored = Index.restore(orjson.loads(orjson.dumps(index.store())))
    assert restored.rank(question) == index.rank(question)


@pytest.mark.parametrize("part", ["a.", "1.1", "a-", "is ", "a@", "->", "'a", ": ", "1,", "select "])
def test_a_message_that_is_all_marks_holds_nobody_up(crowd: Catalogue, part: str) -> None:
    def take(message: str) -> float:
        begun = time.thread_time()
        crowd.scores.cache_clear()
        crowd.rank([Query(message)])
        return time.thread_time() - begun

    usual = take("convert this csv to json, please. " * 60)
    assert min(take(part * 100_000) for _ in range(3)) < 50 * usual
