"""`retinue voice install` makes the environment."""

import os
import subprocess
import sys
from pathlib import Path

from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from tests.support.server import COMMAND
from tests.voice.conftest import SpeechProcess


def test_an_environment_that_is_there_is_left_alone(speech: SpeechProcess, tmp_path: Path) -> None:
    home = {**os.environ, "RETINUE_HOME": str(tmp_path)}
    made = subprocess.run([COMMAND, "voice", "install"], env=home, capture_output=True, text=True, check=True)
    assert made.stdout == f"{VoiceEnvironment.beside(tmp_path).folder} is ready.\n"


def test_environments_are_apart(tmp_path: Path) -> None:
    folders = {environment.beside(tmp_path).folder for environment in (VoiceEnvironment, PiperEnvironment)}
    assert len(folders) == 2
    assert Path(sys.prefix) not in folders
