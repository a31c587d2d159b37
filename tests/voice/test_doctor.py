"""`retinue doctor voice`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from retinue.cli.doctor_voice import missing_settings
from retinue.voice.media.self_call import SENTENCE, SelfCall, engines_to_try
from retinue.voice.options import AudioServer, VoiceOptions
from tests.voice.conftest import SpeechProcess


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (VoiceOptions(), ["RETINUE_SIP"]),
        (VoiceOptions(sip="0.0.0.0:5060"), ["RETINUE_SIP_DESTINATIONS", "RETINUE_SIP_TRUNKS_FILE"]),
        (VoiceOptions(sip="0.0.0.0:5060", destinations=("+44*",), trunks_file=Path("a")), []),
    ],
)
def test_the_settings_that_are_missing_are_named(options: VoiceOptions, named: list[str]) -> None:
    lines = list(missing_settings(options))
    assert len(lines) == len(named)
    assert all(name in line for name, line in zip(named, lines, strict=True))


def test_engines_that_are_not_set_up_are_not_tried() -> None:
    assert engines_to_try(VoiceOptions(), has_piper=False) == ["hibari", "kokoro"]
    server = AudioServer("http://127.0.0.1", "", "tts-1")
    assert engines_to_try(VoiceOptions(speech_server=server), has_piper=True)[2:] == ["piper", "openai"]


@pytest.mark.parametrize(
    ("heard", "understood"),
    [(SENTENCE, True), ("please bring me vive apples", True), ("Apples.", False), ("", False)],
)
def test_a_sentence_is_understood_by_most_of_its_words(heard: str, *, understood: bool) -> None:
    assert SelfCall(heard, 0).understood is understood


@pytest.mark.realtime
def test_the_machine_calls_itself(speech: SpeechProcess, tmp_path: Path) -> None:
    del speech  # It has installed the libraries.
    command = [sys.executable, "-m", "retinue", "doctor", "voice"]
    environment = {**os.environ, "RETINUE_HOME": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ok    hibari: a call was answered" in done.stdout
    assert "ok    kokoro: a call was answered" in done.stdout
