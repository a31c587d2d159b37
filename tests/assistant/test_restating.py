"""Questions as statements, confirmations, and responses of APIs."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.knowledge.embedding import similarities
from retinue.language.page_words import in_page_words
from retinue_assistant.conversation_turn import ToolAttempt
from retinue_assistant.guides import answer
from retinue_assistant.reply_prompts import failure, reads_page
from retinue_assistant.restating import restate
from retinue_assistant.results import render_result

SHARE = {"part": 722.5, "whole": 4250, "percent": 17, "rest": 3527.5, "rest_percent": 83}
QUESTION = st.text("abcdei how many what is are the of 0123456789.,%?!-+$", max_size=60)


def reply(request: str, result: object, tool: str = "tool", **sent: object) -> str:
    return render_result(ToolAttempt(tool, orjson.dumps(sent).decode(), orjson.dumps(result).decode()), request)


@pytest.mark.parametrize(
    ("request_", "result", "wanted"),
    [
        ("What is 17% of 4,250?", SHARE, "17% of 4,250 is 722.5."),
        ("Please calculate 17% of 4,250", SHARE, "17% of 4,250 is 722.5."),
        ("15 is what percent of 60?", {"part": 15, "whole": 60, "percent": 25}, "15 is 25 % of 60."),
        ("What is the square root of 81?", {"value": 9.0}, "The square root of 81 is 9."),
        ("Convert 5 km to miles", {"value": 3.1, "unit": "mi"}, "5 km is 3.1 mi."),
        ("How many days are in May?", {"days": 31}, "There are 31 days in May."),
        ("How many days are 3 weeks?", {"days": 21}, "3 weeks are 21 days."),
        ("how many ounces is a pound", {"ounces": 16}, "A pound is 16 ounces."),
        (
            "How many hosts fit into the network 172.16.8.0/21?",
            {"version": 4, "network": "172.16.8.0/21", "usable_hosts": 2046},
            "2046 hosts fit into the network 172.16.8.0/21.",
        ),
        ("What's the code of GB82 WEST?", {"code": "GB82WEST"}, "The code is GB82WEST."),
        ("What's 3/4 plus 2/3?", {"value": "1.4166666666666666667"}, "3/4 plus 2/3 is 1.416666667."),
        ("What is pi to 20 digits?", {"value": "3.1415926535897932385"}, "Pi to 20 digits is 3.1415926535897932385."),
        ("Convert 6 ft 2 in to meters", {"value": 1.8796, "symbol": "m", "unit": "meter"}, "6 ft 2 in is 1.8796 m."),
        ("How much is 150 lbs in kg?", {"value": 68.0388555, "unit": "kg"}, "150 lbs is 68.0389 kg."),
        ("What is 20 days from now?", {"date": "2026-12-20"}, "20 days from now is 20 December 2026."),
        # What only the person who asks can say is not repeated.
        ("What is my share of 10?", {"share": 5}, "The share is 5."),
        ("What is the sum? And that of 3?", {"sum": 5}, "The sum is 5."),
        # A value that the question does not name may not be the one it asks for.
        ("What is the interval around 14?", {"low": 11, "high": 17}, "The low is 11. The high is 17."),
    ],
)
def test_a_question_and_its_value_become_a_sentence(request_: str, result: object, wanted: str) -> None:
    assert reply(request_, result) == wanted


@given(QUESTION)
def test_a_statement_has_the_value_and_asks_nothing(question: str) -> None:
    said = restate(question, "hosts", "722.5", names_all=True)
    assert not said or ("722.5" in said and "?" not in said and said.endswith("."))


@pytest.mark.parametrize(
    ("tool", "sent", "result", "wanted"),
    [
        ("email_send_smtp", {}, {"recipients": ["a@b.example"], "refused": []}, "Sent to a@b.example."),
        (
            "email_send_smtp",
            {},
            {"recipients": ["a@b.example", "c@b.example"], "refused": ["d@b.example"]},
            "Sent to a@b.example and c@b.example. Not accepted: d@b.example.",
        ),
        ("notify_ntfy", {"topic": "alerts"}, {"status": 200, "answer": "{}"}, "Sent to alerts."),
        ("note_delete", {"note": "Fruit"}, {"id": "fruit", "deleted": True}, "Deleted \u201cFruit\u201d."),
    ],
)
def test_a_deed_is_confirmed(tool: str, sent: dict[str, object], result: object, wanted: str) -> None:
    assert reply("Do it", result, tool, **sent) == wanted


def test_the_body_of_a_response_is_the_answer() -> None:
    def response(body: object, status: int = 200) -> dict[str, object]:
        return {"status": status, "headers": {"etag": "x"}, "body": body, "truncated": False}

    order = {"id": "4182", "status": "sent", "created_at": "2026-11-01T00:00:00Z"}
    assert reply("What is the status of order 4182?", response(order), id="4182") == (
        "The status of order 4182 is sent."
    )
    rows = [{"id": 1, "status": "late"}, {"id": 2, "status": "sent"}]
    assert reply("Which are late?", response(rows)).endswith("| 1 | late |")
    assert reply("Which orders are there?", response(rows)).endswith("| 2 | sent |")
    refused = reply("Order 9?", response({"detail": "No order 9."}, 404))
    assert refused == "The API did not answer this: it found nothing (No order 9)."
    assert reply("Order 9?", response("", 204)) == "Done."


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (
            "Arguments of email_send: connection must match the pattern ^[a-z]{1,40}$, as in work; text is missing.",
            "I could not work out the connection and the text from your message. Please add this, and ask again. "
            "Your connections and their names are under [Connections](/connections).",
        ),
        ("number is odd", "That did not work: number is odd"),
    ],
)
def test_a_failure_names_the_missing_argument_and_no_pattern(error: str, wanted: str) -> None:
    assert failure(error, "") == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("See GET /api/v1/agents.", "See the page Agents."),
        ("No file. GET /api/v1/files lists yours.", "No file. The page Files lists yours."),
        ("create one with POST /api/v1/connections.", "create one on the page Connections."),
        ("the key (PUT /api/v1/providers/{id} changes it)", "the key (the page Models changes it)"),
        ("of the kind http (POST /api/v1/connections), and", "of the kind http (on the page Connections), and"),
        ("x must match the pattern ^[a-z].$; y is missing.", "x must be written in another form; y is missing."),
        ("There is no agent 7.", "There is no agent 7."),
    ],
)
def test_errors_of_the_api_name_pages(text: str, wanted: str) -> None:
    assert in_page_words(text) == wanted


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("How do I connect OpenAI?", "/models"),
        ("How can I give my colleague access?", "/users"),
        ("How do I get rid of an agent?", "/agents"),
        ("Wie verbinde ich OpenAI?", "/keys"),
        ("How do I let the agent remember customers?", "/memory"),
        ("Can I connect it to VS Code?", "/mcp"),
        ("How do I add a task to my list?", "/records"),
        ("How do I make an agent answer from my documents?", "/knowledge"),
        ("What is a fleet?", "/fleets"),
        ("Where do I see failed runs?", "/runs"),
        ("How can I add a user?", "/users"),
        ("how do i run an agent every morning", "/schedules"),
        ("How do I back up this server?", "retinue backup"),
    ],
)
async def test_questions_about_retinue_are_answered_from_its_guide(question: str, page: str) -> None:
    said = await answer(question, similarities)
    assert page in said
    assert "](/docs/guides/how-to#" in said


@pytest.mark.parametrize(
    "question",
    [
        "How do I cook pasta?",
        "How do I find a travel agent in Rome?",
        "What is an agent of change?",
        "What is 17% of 4,250?",
        "Who invented the telephone?",
        "How do I write a function in Python?",
        "Can I return shoes?",
    ],
)
async def test_other_questions_are_not(question: str) -> None:
    assert await answer(question, similarities) == ""


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("Summarise https://en.wikipedia.org/wiki/Python", True),
        ("https://example.com/a", True),
        ("Can you read the page www.example.com/a and list three facts?", True),
        ("Which port has https://example.com:8080/?", False),
        ("Encode https://example.com/a b", False),
    ],
)
def test_a_request_for_a_page(message: str, wanted: bool) -> None:
    assert reads_page(message) is wanted
