"""Everyday requests in words that the classifier of tools knows."""

from datetime import UTC, date, datetime

import pytest

from retinue_assistant.known_words import (
    as_calendar_entry,
    as_plain_question,
    asks_memories,
    in_known_words,
    write_reminder_time,
)


@pytest.mark.parametrize(
    ("request_", "known"),
    [
        ("Remind me to call the dentist tomorrow", "Add a task: call the dentist tomorrow"),
        ("Remind me tomorrow at 9 to call the dentist.", "Add a task: call the dentist tomorrow at 9"),
        ("Please remind me on Friday about the exam", "Add a task: the exam on Friday"),
        ("My name is Sofia, remember that", "Remember that my name is Sofia"),
        ("The car is in row 12. Please don't forget it!", "Remember that the car is in row 12"),
        ("What do you remember about me?", ""),
        ("Forget my favourite colour", "Remove my favourite colour from your memory"),
        ("Please delete what you know about our car.", "Remove our car from your memory"),
        ("Forget it", ""),
    ],
)
def test_everyday_requests_are_put_into_words_that_the_classifier_knows(request_: str, known: str) -> None:
    assert in_known_words(request_) == known


@pytest.mark.parametrize(
    ("request_", "entry"),
    [
        (
            "Remind me every Monday at 9 to water the plants",
            "'water the plants' into my calendar every Monday from 07T09:00",
        ),
        ("Please remind me to stretch every day at 8:30 pm", "'stretch' into my calendar every Day from 02T20:30"),
        ("remind me each evening to lock the door", "'lock the door' into my calendar every Day from 02T18:00"),
        ("Every Friday at 5 pm remind me to do the till", "'do the till' into my calendar every Friday from 04T17:00"),
        ("each morning please remind me to stretch", "'stretch' into my calendar every Day from 02T09:00"),
        ("remind me every Tuesday about the bins", "'the bins' into my calendar every Tuesday from 08T09:00"),
        ("Remind me tomorrow to call mum", ""),
        ("Remind me every month to pay the rent", ""),
        ("Remind me every Monday at 27 to rest", ""),
    ],
)
def test_a_repeated_reminder_is_a_calendar_event_from_its_next_day(request_: str, entry: str) -> None:
    expected = f"Put {entry}".replace("from ", "from 2026-12-") if entry else ""
    assert as_calendar_entry(request_, date(2026, 12, 1)) == expected


@pytest.mark.parametrize(
    ("request_", "written"),
    [
        ("remind me in 20 minutes to check the oven", "remind me on 2026-11-30 at 00:05 to check the oven"),
        ("Set a reminder in half an hour: call Tom", "Set a reminder on 2026-11-30 at 00:15: call Tom"),
        ("Remind me to call Tom in 2 hours", "Remind me to call Tom on 2026-11-30 at 01:45"),
        ("What time is it in 20 minutes?", "What time is it in 20 minutes?"),
    ],
)
def test_the_time_of_a_reminder_counts_from_now(request_: str, written: str) -> None:
    assert write_reminder_time(request_, datetime(2026, 11, 29, 23, 45, tzinfo=UTC)) == written


@pytest.mark.parametrize(
    ("request_", "question"),
    [
        ("What does my Thursday look like?", "What's on my calendar on Thursday?"),
        ("What does my week look like?", "What's on my calendar this week?"),
        ("What does my hair look like?", ""),
        ("What do I have for dinner?", ""),
        ("How busy am I tomorrow?", "What's on my calendar tomorrow?"),
        ("What do I have planned for next week?", "What's on my calendar next week?"),
        ("What is on today?", "What's on my calendar today?"),
        ("What is on TV?", ""),
        ("What are my tasks?", "List my open tasks"),
        ("what do i still have to do", "List my open tasks"),
        ("What else do I need to do tomorrow?", "List my tasks that are due tomorrow"),
        ("Please summarise my expenses this month", "What were my expenses this month?"),
        (
            "What time is it in Sydney when it is 9am in London?",
            "It is 9am in London. What time is it in Sydney?",
        ),
        ("What time is it in Sydney?", ""),
        ("show me my to-dos for tomorrow", "List my tasks that are due tomorrow"),
        ("show my expenses", "What were my expenses this month?"),
        ("When is my dentist appointment?", "List my appointments from 2026-12-01 to 2027-03-03"),
        ("When is my birthday?", ""),
        ("Did I spend a lot this week?", "How much did I spend this week?"),
        ("Do you know Ben's number?", "What is Ben's number?"),
        ("Do you have Maria Rossi's e-mail address", "What is Maria Rossi's e-mail address?"),
        ("Do you know the capital of Peru?", ""),
    ],
)
def test_everyday_questions_are_put_plainly(request_: str, question: str) -> None:
    assert as_plain_question(request_, date(2026, 12, 1)) == question


@pytest.mark.parametrize(
    ("request_", "asks"),
    [
        ("What do you remember about me?", True),
        ("Was wei\u00dft du \u00fcber mich?", True),
        ("\u00bfQu\u00e9 recuerdas de m\u00ed?", True),
        ("Que sais-tu de moi ?", True),
        ("What do you know about Norway?", False),
        ("What do you remember about my car?", False),
    ],
)
def test_questions_for_all_memories_are_recognized(request_: str, asks: bool) -> None:
    assert asks_memories(request_) is asks
