"""`retinue voice install` makes the environment."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from retinue.core.errors import Unavailable
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from retinue.voice.media.service import MediaService
from retinue.voice.options import VoiceOptions
from retinue.voice.trunks import Trunks
from tests.support.server import COMMAND
from tests.support.waiting import until
from tests.voice.conftest import SpeechProcess


def test_an_environment_that_is_there_is_left_alone(speech: SpeechProcess, tmp_path: Path) -> None:
    home = {**os.environ, "RETINUE_HOME": str(tmp_path)}
    made = subprocess.run([COMMAND, "voice", "install"], env=home, capture_output=True, text=True, check=True)
    assert made.stdout == f"{VoiceEnvironment.beside(tmp_path).folder} is ready.\n"


def test_environments_are_apart(tmp_path: Path) -> None:
    folders = {environment.beside(tmp_path).folder for environment in (VoiceEnvironment, PiperEnvironment)}
    assert len(folders) == 2
    assert Path(sys.prefix) not in folders


async def test_piper_can_be_used_once_it_is_installed_beside_a_running_server(
    speech: SpeechProcess, piper: None, tmp_path: Path
) -> None:
    installed = PiperEnvironment.beside(tmp_path)
    environments = VoiceEnvironment.beside(tmp_path), PiperEnvironment(tmp_path / "piper", installed.requirements)
    media = MediaService(VoiceOptions(), Trunks({}), *environments, tmp_path / "recordings")
    media.want()
    async with asyncio.timeout(100):
        running = asyncio.create_task(media.run())
        await until(lambda: media.status == "ready")
        with pytest.raises(Unavailable, match="install --piper"):
            media.check_engine("piper")
        with media.messages_of(("room", 2)):
            (tmp_path / "piper").symlink_to(installed.folder)
            with pytest.raises(Unavailable, match="rooms in progress"):
                media.check_engine("piper")
        await until(lambda: media.status != "ready")
        await until(lambda: media.status == "ready")
        media.check_engine("piper")
        with media.messages_of(("room", 1)) as messages:
            for order in ({"do": "open", "account": 1, "engine": "piper"}, {"do": "say", "turn": 1, "text": "One."}):
                media.send({"room": 1, **order})
            media.send({"room": 1, "do": "finish", "turn": 1})
            assert (await messages.get())["is"] == "spoken"
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
