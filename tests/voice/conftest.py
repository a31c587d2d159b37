"""The voice environment for the tests, and a process in it."""

import asyncio
import base64
import json
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.work.notifier import Notifier
from retinue.voice.calls.switchboard import Switchboard
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from retinue.voice.options import VoiceOptions
from retinue.voice.speech.options import EngineMissing, SpeechFailed
from tests.conftest import NewServer, NewUser
from tests.support.client import Client
from tests.support.model_server import ModelServer, running_model_server
from tests.support.server import Server
from tests.voice.dialling import Media, NewSwitchboard, Outbound, add_account
from tests.voice.ports import free_sip_port
from tests.voice.sip_peer import SipPeer, Stack
from tests.voice.sipp import Sipp, receive, reply
from tests.voice.speech_server import SpeechServerStandIn
from tests.voice.telephone import Telephone, prefer, voice_is_ready

HERE = Path(__file__).parent
ERRORS = {error.__name__: error for error in (EngineMissing, SpeechFailed)}


class SpeechProcess:
    """Runs functions of `speech_process.py` in the voice environment."""

    def __init__(self, python: Path) -> None:
        source = json.dumps([str(HERE.parents[1] / "src")])
        command = [str(python), "-I", str(HERE / "speech_process.py"), source]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        prefer(self.process.pid)
        self._turn = Lock()

    def ask(self, name: str, **values: Any) -> Any:
        """Call a function there. Raises the error of the speech package that it raises."""
        assert self.process.stdin
        assert self.process.stdout
        with self._turn:
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
    return free_sip_port()


@pytest.fixture(scope="session")
def sip_port() -> int:
    """Where the server listens for calls."""
    return free_sip_port()


@pytest.fixture(scope="session")
def provider_port() -> int:
    """Where a provider may listen that asks for proof."""
    return free_sip_port()


@pytest.fixture(scope="session")
def encrypted_port() -> int:
    """Where a provider may listen whose sound must be encrypted."""
    return free_sip_port()


@pytest.fixture(scope="session")
def registrar() -> Iterator[Sipp]:
    """A registrar that asks for proof. It runs where SIPp is installed."""
    challenge = 'WWW-Authenticate: Digest realm="provider.example", nonce="d4e5f6", algorithm=MD5'
    accept = ["[last_Contact:]", "Expires: 600"]
    steps = [receive("REGISTER"), reply("401 Unauthorized", challenge), receive("REGISTER"), reply("200 OK", *accept)]
    registrar = Sipp(*steps, calls=0)
    with registrar if shutil.which("sipp") else nullcontext():
        yield registrar


@pytest.fixture(scope="session")
def speech_server(speech: SpeechProcess) -> Iterator[SpeechServerStandIn]:
    """What stands behind the engine `openai`: a server with a voice."""

    def speak(text: str) -> bytes:
        return base64.b64decode(speech.ask("sound", text=text, rate=24_000))

    speak("Load the voice now: the first request must not wait for it.")
    with SpeechServerStandIn(speak) as server:
        yield server


@pytest.fixture(scope="session")
def piper(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Piper is installed. `make test` does that beforehand."""
    asyncio.run(PiperEnvironment.beside(tmp_path_factory.mktemp("piper")).install())


TRUNKS = """
[here]
host = "127.0.0.1:{here}"
user = "retinue"
caller_id = "+441632960000"
prefixes = ["+44"]
codecs = ["pcmu"]

[provider]
host = "127.0.0.1:{provider}"
user = "account"
password = "open sesame"
caller_id = "+441632960001"
prefixes = ["+4420"]

[distant]
host = "192.0.2.1"
user = "retinue"
prefixes = ["+4450"]
networks = ["192.0.2.0/24"]
inbound = {{ "+441632960500" = 1 }}

[encrypted]
host = "127.0.0.1:{encrypted}"
user = "retinue"
srtp = true
prefixes = ["+4430"]

[registered]
host = "127.0.0.1:{registrar}"
user = "desk"
password = "swordfish"
register = true
prefixes = ["+4440"]
"""


@pytest.fixture(scope="session")
def trunks(phone_port: int, provider_port: int, encrypted_port: int, registrar: Sipp) -> str:
    """The file of trunks."""
    return TRUNKS.format(here=phone_port, provider=provider_port, encrypted=encrypted_port, registrar=registrar.port)


@pytest.fixture(scope="session")
def sip_server(
    new_server: NewServer,
    own_model: ModelServer,
    tmp_path_factory: pytest.TempPathFactory,
    sip_port: int,
    trunks: str,
    speech_server: SpeechServerStandIn,
    piper: None,
) -> Iterator[Server]:
    """A server with SIP, and trunks that lead to the telephone and to SIPp."""
    file = tmp_path_factory.mktemp("sip") / "trunks.toml"
    file.write_text(trunks)
    made = new_server(
        RETINUE_MODEL_URL=own_model.url,
        RETINUE_SIP=f"127.0.0.1:{sip_port}",
        RETINUE_SIP_DESTINATIONS="sip:*@127.0.0.1:*,sip:*@10.0.0.1:*,+44*,+1*",
        RETINUE_SIP_TRUNKS_FILE=str(file),
        RETINUE_ALLOWED_NETWORKS="127.0.0.0/8",
        RETINUE_CALL_SILENCE="60",
        RETINUE_RING_SECONDS="4",
        RETINUE_CALLS_PER_KEY="2",
        RETINUE_SPEECH_URL=speech_server.options["url"],
        RETINUE_SPEECH_KEY=speech_server.options["key"],
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


@pytest.fixture
async def new_switchboard(database: Database) -> AsyncIterator[NewSwitchboard]:
    """Make a switchboard with these limits, whose calls do not end."""
    await database.transact(add_account)
    made: list[Switchboard] = []
    unused: Any = None

    async def replies_of(_: Row) -> Any:
        await asyncio.Event().wait()

    def make(**limits: Any) -> Switchboard:
        outbound: Any = Outbound(VoiceOptions(**limits))
        media: Any = Media()
        made.append(Switchboard(database, Notifier(), "node", media, outbound, unused, unused, replies_of))
        return made[-1]

    yield make
    for switchboard in made:
        for task in switchboard._tasks.values():
            task.cancel()
        await asyncio.gather(*switchboard._tasks.values(), return_exceptions=True)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The stack, in the voice environment. `make test` installs it beforehand."""
    asyncio.run(VoiceEnvironment.beside(tmp_path_factory.mktemp("voice")).install())
    with Stack() as made:
        yield made


@pytest.fixture
def peer(stack: Stack) -> Iterator[SipPeer]:
    """A telephone."""
    with SipPeer(stack.port) as made:
        yield made
