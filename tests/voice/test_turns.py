"""Turns of a speaker are found in a stream of frames."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.voice.speech.pcm import Pcm
from retinue.voice.speech.turns import SpeechEnd, SpeechStart, TurnDetector, TurnEvent
from tests.voice.conftest import SpeechProcess
from tests.voice.word_errors import normal_words

RATE = 8000
WINDOW = 256
WINDOW_S = 0.032


def loudness(window: Pcm) -> float:
    """A voice is what is loud."""
    return float(np.abs(window).max() > 1000)


def audio(*lengths: int) -> Pcm:
    """Silence, speech, silence and so on, so many windows each."""
    parts = [np.full(length * WINDOW, 5000 if number % 2 else 0) for number, length in enumerate(lengths)]
    return np.concatenate(parts).astype(np.int16) if parts else np.zeros(0, np.int16)


def detect(samples: Pcm, frame: int = 160, **options: float) -> list[TurnEvent]:
    """The events in frames of one size."""
    detector = TurnDetector(RATE, probability=loudness, **options)
    frames = [samples[start : start + frame] for start in range(0, len(samples), frame)]
    return [*(event for part in frames for event in detector.feed(part)), *detector.finish()]


def test_a_turn_includes_the_audio_shortly_before_it() -> None:
    start, end = detect(audio(20, 30, 40))
    assert isinstance(start, SpeechStart)
    assert isinstance(end, SpeechEnd)
    assert start.at_s == pytest.approx(20 * WINDOW_S)
    assert end.at_s == pytest.approx(50 * WINDOW_S)
    preroll = int(np.argmax(end.samples > 0)) / RATE
    assert preroll == pytest.approx(0.3, abs=WINDOW_S)
    assert np.count_nonzero(end.samples) == 30 * WINDOW


def test_a_pause_shorter_than_the_silence_window_ends_nothing() -> None:
    samples = audio(10, 20, 12, 20, 40)
    assert len(detect(samples, silence_s=0.5)) == 2
    assert len(detect(samples, silence_s=0.3)) == 4


def test_a_click_is_no_turn() -> None:
    assert detect(audio(10, 2, 40)) == []


def test_a_long_speech_is_cut_and_nothing_of_it_is_lost() -> None:
    ends = [event for event in detect(audio(5, 1000, 20), longest_s=10.0) if isinstance(event, SpeechEnd)]
    assert len(ends) == 4
    assert all(len(end.samples) <= 10.1 * RATE for end in ends)
    assert sum(np.count_nonzero(end.samples) for end in ends) == 1000 * WINDOW


def test_the_end_of_the_stream_ends_a_turn() -> None:
    start, end = detect(audio(5, 10))
    assert isinstance(start, SpeechStart)
    assert isinstance(end, SpeechEnd)


@given(st.lists(st.integers(1, 40), max_size=8), st.integers(1, 700))
def test_frames_of_any_size_make_the_same_turns(lengths: list[int], frame: int) -> None:
    events, expected = detect(audio(*lengths), frame), detect(audio(*lengths), WINDOW)
    assert [(type(event), event.at_s) for event in events] == [(type(event), event.at_s) for event in expected]
    kinds = [type(event) for event in events]
    assert kinds == [SpeechStart, SpeechEnd] * (len(kinds) // 2)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [8000, 16_000])
def test_turns_of_a_voice_are_found_in_noise(speech: SpeechProcess, rate: int) -> None:
    texts = ["Can you help me with my order, please?", "It arrived two days late."]
    events = speech.ask("take_turns", texts=texts, rate=rate, pause_s=1.2)
    starts, ends = events[0::2], events[1::2]
    assert [normal_words(end["heard"]) for end in ends] == [normal_words(text) for text in texts]
    assert all(start["start_s"] == pytest.approx(start["said_s"], abs=0.2) for start in starts)
