"""The voice environment for the tests, and a process in it."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retinue.voice.environment import VoiceEnvironment
from retinue.voice.speech.options import EngineMissing, SpeechFailed
from tests.support.model_server import ModelServer, running_model_server

HERE = Path(__file__).parent
ERRORS = {error.__name__: error for error in (EngineMissing, SpeechFailed)}


class SpeechProcess:
    """Runs functions of `speech_process.py` in the voice environment."""

    def __init__(self, python: Path) -> None:
        source = json.dumps([str(HERE.parents[1] / "src")])
        command = [str(python), "-I", str(HERE / "speech_process.py"), source]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, name: str, **values: Any) -> Any:
        """Call a function there. Raises the error of the speech package that it raises."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{json.dumps([name, values])}\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ERRORS[answer["error"]](answer["message"])
        return answer["answer"]


@pytest.fixture(scope="session")
def own_model() -> Iterator[ModelServer]:
    """A model for the calls and rooms alone: runs that other tests left behind would take its queued answers."""
    with running_model_server(ModelServer) as server:
        yield server


@pytest.fixture
def model(own_model: ModelServer) -> Iterator[ModelServer]:
    """The model behind the servers of calls and rooms, with nothing told to it yet."""
    own_model.reset()
    yield own_model
    own_model.reset()


@pytest.fixture(scope="session")
def speech(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SpeechProcess]:
    """A process with warm engines. `make test` installs the environment beforehand."""
    environment = VoiceEnvironment.beside(tmp_path_factory.mktemp("voice"))
    asyncio.run(environment.install())
    made = SpeechProcess(environment.python)
    yield made
    assert made.process.stdin
    made.process.stdin.close()
    assert made.process.wait(30) == 0
