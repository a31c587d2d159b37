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
from tests.conftest import NewServer, NewUser
from tests.support.client import Client
from tests.support.model_server import ModelServer, running_model_server
from tests.support.server import Server
from tests.voice.telephone import Telephone, free_port, voice_is_ready

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


@pytest.fixture(scope="session")
def phone_port() -> int:
    """Where the telephone listens."""
    return free_port()


@pytest.fixture(scope="session")
def sip_port() -> int:
    """Where the server listens for calls."""
    return free_port()


@pytest.fixture(scope="session")
def sip_server(
    new_server: NewServer,
    own_model: ModelServer,
    tmp_path_factory: pytest.TempPathFactory,
    sip_port: int,
    phone_port: int,
) -> Iterator[Server]:
    """A server with SIP, and a trunk that leads to the telephone."""
    trunks = tmp_path_factory.mktemp("sip") / "trunks.toml"
    trunks.write_text(
        f'[here]\nhost = "127.0.0.1:{phone_port}"\nuser = "retinue"\ncaller_id = "+441632960000"\nprefixes = ["+44"]\n'
        'codecs = ["pcmu"]\n'
    )
    made = new_server(
        RETINUE_MODEL_URL=own_model.url,
        RETINUE_SIP=f"127.0.0.1:{sip_port}",
        RETINUE_SIP_DESTINATIONS="sip:*@127.0.0.1:*,sip:*@10.0.0.1:*,+44*,+1*",
        RETINUE_SIP_TRUNKS_FILE=str(trunks),
        RETINUE_ALLOWED_NETWORKS="127.0.0.0/8",
        RETINUE_CALL_SILENCE="8",
        RETINUE_RING_SECONDS="4",
        RETINUE_CALLS_PER_KEY="2",
    )
    made.start()
    yield made
    made.close()
    assert made.restart().cli("check") == "All is well.\n"
    made.close()


@pytest.fixture(scope="session")
def phone(speech: SpeechProcess, phone_port: int) -> Iterator[Telephone]:
    """The telephone. `speech` has seen to the voice environment."""
    made = Telephone(VoiceEnvironment.beside(Path()).python, phone_port)
    yield made
    made.close()


@pytest.fixture
def caller(sip_server: Server, new_user: NewUser, model: ModelServer, phone: Telephone) -> Client:
    """A client of a server whose voice is ready, with a telephone that answers."""
    client: Client = new_user(sip_server, plan="professional").client()
    voice_is_ready(sip_server)
    phone.tell("expect", "answer")
    return client
