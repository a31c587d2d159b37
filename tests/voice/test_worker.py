"""The media worker when something fails: a full disk, a broken call, a broken room."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from retinue.voice.calls.outcomes import outcome_of
from retinue.voice.environment import VoiceEnvironment
from tests.voice.conftest import HERE, SpeechProcess

Results = dict[str, Any]
ENDED = {"is": "ended", "call": 1, "reason": "", "at": 0.0, "hung_up": False}


@pytest.fixture(scope="module")
def worker(speech: SpeechProcess) -> "subprocess.CompletedProcess[str]":
    """`worker_process.py` after its end. `speech` has seen to the voice environment."""
    source = json.dumps([str(HERE.parents[1] / "src"), str(HERE.parents[1])])
    command = [str(VoiceEnvironment.beside(Path()).python), "-I", str(HERE / "worker_process.py"), source]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def results(worker: "subprocess.CompletedProcess[str]") -> Results:
    """The result of each case."""
    found: Results = json.loads(worker.stdout)
    return found


@pytest.mark.parametrize("case", ["full_disk", "short_full_disk"])
def test_a_call_whose_recording_cannot_be_written_continues_and_says_so_once(results: Results, case: str) -> None:
    trouble, ended = results[case]
    assert (trouble["is"], trouble["call"]) == ("trouble", 1)
    assert "No space left on device" in trouble["reason"]
    assert ended == ENDED


def test_a_caller_who_hangs_up_before_the_answer_ends_the_call(results: Results) -> None:
    (ended,) = results["cancelled_call"]
    assert (ended["is"], ended["call"]) == ("ended", 1)
    assert outcome_of(ended["reason"], answered=False, wanted=False, rang_out=False)[0] == "no_answer"


def test_a_call_that_cannot_be_processed_ends_with_a_reason(results: Results) -> None:
    (failed,) = results["broken_call"]
    assert (failed["is"], failed["call"]) == ("failed", 1)
    assert "broken" in failed["reason"]


def test_a_room_that_cannot_be_processed_is_emptied(results: Results) -> None:
    trouble, closed = results["broken_room"]
    assert "broken" in trouble["reason"]
    assert closed == {"is": "closed", "room": 7}


def test_accounts_take_turns_at_transcription(results: Results) -> None:
    assert results["turns_of_accounts"] == [1, 1, 2, 1, 1, 1, 1]


def test_an_account_that_speaks_on_all_its_threads_leaves_some_to_others(results: Results) -> None:
    assert results["busy_speaker_and_another"] == [False, False, False, True]


@pytest.mark.parametrize("text", ["Mm-hm.", "Okay, right.", "ha ha ha", "far"])
def test_the_agent_goes_on_after_a_sound_that_is_no_interruption(results: Results, text: str) -> None:
    assert results["interruptions"][text] == [True, []]


def test_the_agent_repeats_audio_that_was_not_sent(results: Results) -> None:
    assert results["unsent_story"] == {"interrupted": [False, True], "held": [False, True]}


def test_a_caller_who_has_moved_away_is_still_heard(results: Results) -> None:
    assert results["interruptions"]["quiet caller"] == ["I have put the telephone on the table."]


def test_an_interruption_ends_the_agents_speech(results: Results) -> None:
    assert results["interruptions"]["Wait, I have another question."] == [False, ["spoken", "heard"]]


def test_a_short_answer_at_the_end_of_a_question_is_an_answer(results: Results) -> None:
    assert results["last_words"] == ["Yes."]


def test_a_protected_greeting_is_spoken_to_its_end_before_questions_are_answered(results: Results) -> None:
    greeting = results["protected_greeting"]
    assert greeting["during"] == []
    assert greeting["after"] == [["spoken", "A story."], ["heard", "I have a question. About my invoice."]]


def test_the_agent_hangs_up_after_a_farewell(results: Results) -> None:
    assert results["farewells"] == {"Thank you, bye.": 1, "One more question.": 0}


def test_a_pause_ends_a_turn_only_if_the_words_are_complete(results: Results) -> None:
    turns = results["turns_with_pauses"]
    assert turns["open"] == ["I want to cancel my order."]
    assert turns["digits"] == ["4, 2, 7, 1, 8, 5."]
    assert turns["question"] == ["How are you?", "Hello?"]


def test_a_room_reports_once_that_somebodys_audio_arrives(results: Results) -> None:
    assert results["greeted_room"] == [{"is": "arrived", "room": 7, "participant": 1}]


def test_the_end_of_a_call_is_reported_after_any_error(results: Results) -> None:
    assert results["unclosable_call"] == [ENDED]


def test_a_browser_is_answered_without_a_third_party(results: Results) -> None:
    assert results["ice_servers"] == [None, None]


def test_nothing_is_sent_to_the_addresses_in_an_offer(results: Results) -> None:
    assert results["candidates_of_others"] == ["connected", 0, 0]


def test_a_browser_that_never_connects_has_left(results: Results) -> None:
    assert results["absent_browser"] == ["left"]


def test_a_worker_that_processes_no_more_audio_ends(worker: "subprocess.CompletedProcess[str]") -> None:
    assert worker.returncode == 1
    assert "RuntimeError: broken" in worker.stderr
    assert "TimeoutError" not in worker.stderr
