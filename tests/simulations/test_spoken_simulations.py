"""Simulations with sound: a scripted model speaks with the included voice, and is understood by the recognition."""

import asyncio
from collections import Counter
from queue import Queue
from threading import Event
from typing import Any

import numpy as np
import pytest

from retinue.simulations.misheard import misheard_words
from retinue.simulations.prompts import judge_message
from retinue.simulations.tables import Line
from retinue.voice.environment import VoiceEnvironment
from retinue.voice.worker.noise import add_noise
from tests.conftest import NewUser, StartServer
from tests.simulations.test_simulations import (
    SCENARIO,
    Cast,
    conversations,
    end,
    ended_with,
    make_agent,
    person,
    simulate,
)
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually
from tests.voice.speech_server import SpeechServerStandIn, sound

Json = dict[str, Any]
OPENING = "A table for four people, please."


@pytest.fixture
def cast(model: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """The three parts, on the model that live keys use."""
    parts = Cast()
    monkeypatch.setattr(model, "own_answer", parts.answer)
    return parts


@pytest.fixture(scope="session")
def speech(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The voice environment. `make test` installs it beforehand."""
    asyncio.run(VoiceEnvironment.beside(tmp_path_factory.mktemp("voice")).install())


def spoken(client: Client, agent: int, **fields: Any) -> Json:
    """Create a simulation with sound as soon as the server has speech."""
    body = {"agent_id": agent, "mode": "sound", "scenarios": [{**SCENARIO, "opening": OPENING}], **fields}

    def create() -> Json | None:
        answer = client.post("/simulations", body)
        if answer.status_code == 503:
            refuse(answer, 503, "Voice is not ready on this server")
            return None
        made: Json = data(answer, 201)
        return made

    return eventually(create, within=300, every=0.5)


def requests_to(cast: Cast, part: str) -> list[list[Json]]:
    """Return the messages of the requests to a part, with the system prompt first."""
    return [request["messages"] for request, whose in zip(cast.requests, cast.asked, strict=True) if whose == part]


@pytest.mark.usefixtures("speech")
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_each_side_knows_only_the_words_that_it_understood(
    database: str, start_server: StartServer, new_user: NewUser, cast: Cast
) -> None:
    server = start_server(database)
    client = new_user(server).client()
    agent = make_agent(client, voice={"language": "en"})
    cast.agent = lambda turn: Answer(["**Yes**, on which day?", "..."][turn - 1])
    cast.person = lambda turn: Answer(
        person("On Friday evening.") if turn == 1 else person("Thank you, goodbye.", "goal_reached")
    )
    simulation = spoken(client, agent)
    server.restart(RETINUE_CRASH_AT="simulations.advanced:2")
    server.has_died()
    server.start(RETINUE_CRASH_AT="")
    done = end(client, simulation)
    assert (done["mode"], done["counts"]["completed"]) == ("sound", 1)
    (talk,) = conversations(client, done)
    first, reply, second, silent, last = talk["transcript"]
    assert [line["text"] for line in talk["transcript"]] == [
        OPENING, "**Yes**, on which day?", "On Friday evening.", "...", "Thank you, goodbye.",
    ]  # fmt: skip
    assert not {"table", "four", "people"} & {*misheard_words(OPENING, first["heard"].replace("4", "four"))}
    assert "Friday" in second["heard"]
    assert "which day" in reply["heard"]
    assert (silent["heard"], last["heard"]) == ("", None)
    system, *said = requests_to(cast, "agent")[-1]
    assert "You speak on a telephone call." in system["content"]
    assert [one["content"] for one in said if one["role"] == "user"] == [first["heard"], second["heard"]]
    system, *said = requests_to(cast, "play a person")[-1]
    assert "calls an assistant by telephone" in system["content"]
    assert [one["content"] for one in said if one["role"] == "user"][1:] == [
        reply["heard"], "(The assistant says nothing that can be understood.)",
    ]  # fmt: skip
    assert server.cli("check") == "All is well.\n"


@pytest.mark.usefixtures("speech")
def test_words_that_cannot_be_spoken_or_understood_end_the_conversation(
    start_server: StartServer, new_user: NewUser, cast: Cast
) -> None:
    client = new_user(start_server()).client()
    agent = make_agent(client)
    mute = end(client, spoken(client, agent, scenarios=[{**SCENARIO, "opening": "..."}]))
    (talk,) = conversations(client, data(client.get("/simulations"))[0])
    assert (talk["status"], talk["transcript"][0]["heard"]) == ("failed", "")
    assert talk["error"] == "The agent understood none of the person's words."
    hoarse = make_agent(client, voice={"voice": "nobody"}, voice_engine="kokoro")
    end(client, spoken(client, hoarse))
    (talk,) = conversations(client, data(client.get("/simulations"))[0])
    assert (talk["status"], "nobody" in talk["error"]) == ("failed", True)
    without = make_agent(client, voice_engine="openai")
    body = {"agent_id": without, "mode": "sound", "scenarios": [SCENARIO]}
    refuse(client.post("/simulations", body), 503, "RETINUE_SPEECH_URL")
    data(client.put(f"/agents/{agent}", {"voice": {"speed": 1.2}}))
    spare = spoken(client, agent, repeat=3)
    assert spare["agent_version"] != mute["agent_version"]
    assert data(client.post(f"/simulations/{spare['id']}/cancel"))["counts"]["completed"] == 0


@pytest.mark.slow
@pytest.mark.usefixtures("speech")
def test_one_of_two_nodes_speaks_each_step_and_the_other_goes_on_after_its_death(
    start_server: StartServer, new_user: NewUser, cast: Cast
) -> None:
    reached, go_on = Event(), Event()

    def speak(text: str) -> bytes:
        if text == "This is reply 2.":
            reached.set()
            go_on.wait(60)
        return sound("pcm")

    cast.agent = lambda turn: Answer(f"This is reply {turn}.")
    cast.person = lambda turn: Answer(person(f"Message {turn}, please."))
    with SpeechServerStandIn(speak) as voice, SpeechServerStandIn("pcm") as ears:
        env = {"RETINUE_SPEECH_URL": voice.options["url"], "RETINUE_TRANSCRIPTION_URL": ears.options["url"]}
        first = start_server("postgresql", **env, RETINUE_SPEECH_KEY="first")
        shared = first.env["RETINUE_DATABASE_URL"]
        second = start_server(RETINUE_DATABASE_URL=shared, **env, RETINUE_SPEECH_KEY="second")
        here = new_user(first).client()
        there = Client(second, here.key)
        agent = make_agent(here, voice_engine="openai")
        for client in (here, there):
            end(client, spoken(client, agent, max_turns=1))
        voice.requests.clear()
        ears.requests.clear()
        simulation = spoken(here, agent, max_turns=3)
        assert reached.wait(60)
        speaker = voice.requests[-1]["authorization"].removeprefix("Bearer ")
        killed, left, client = (first, second, there) if speaker == "first" else (second, first, here)
        killed.kill()
        go_on.set()
        (talk,) = conversations(client, end(client, simulation))
    assert (talk["status"], talk["turns"]) == ("completed", 3)
    said = Counter(request["body"]["input"] for request in voice.requests)
    assert said == {"This is reply 1.": 1, "This is reply 2.": 2, "This is reply 3.": 1}
    sounds = [request["body"].partition(b"RIFF")[2].rpartition(b"\r\n--")[0] for request in ears.requests]
    assert len(sounds) == len(set(sounds)) == 3
    assert left.cli("check") == "All is well.\n"
    there.close()


@pytest.mark.slow
@pytest.mark.usefixtures("speech")
def test_words_that_end_the_server_three_times_are_given_up(
    start_server: StartServer, new_user: NewUser, cast: Cast
) -> None:
    asked: Queue[str] = Queue()
    go_on = Event()

    def speak(text: str) -> bytes:
        asked.put(text)
        go_on.wait(120)
        return sound("pcm")

    with SpeechServerStandIn(speak) as voice:
        server = start_server(RETINUE_SPEECH_URL=voice.options["url"])
        client = new_user(server).client()
        simulation = spoken(client, make_agent(client, voice_engine="openai"))
        for _ in range(3):
            assert asked.get(timeout=60) == "Booked for Friday, reply 1."
            server.kill()
            server.start()
        (talk,) = conversations(client, end(client, simulation))
        go_on.set()
    assert (talk["status"], talk["error"]) == ("failed", "It was abandoned after its process ended 3 times.")
    assert asked.empty()


def quietest(request: Json) -> float:
    """Return the level of the quietest 20 ms of a recording that was sent to the transcription server."""
    samples = np.frombuffer(request["body"].partition(b"RIFF")[2].rpartition(b"\r\n--")[0][40:], "<i2")
    frames = samples[: len(samples) // 160 * 160].astype(float).reshape(-1, 160)
    return float(np.sqrt((frames**2).mean(axis=1)).min())


@pytest.mark.usefixtures("speech")
def test_a_person_speaks_amid_noise(start_server: StartServer, new_user: NewUser, cast: Cast) -> None:
    with SpeechServerStandIn("pcm") as ears:
        client = new_user(start_server(RETINUE_TRANSCRIPTION_URL=ears.options["url"])).client()
        agent = make_agent(client)
        levels = []
        for noise in ("none", "office", "street"):
            before = len(ears.requests)
            one = {**SCENARIO, "opening": OPENING, "noise": noise}
            simulation = end(client, spoken(client, agent, scenarios=[one]))
            (talk,) = conversations(client, simulation)
            assert (talk["status"], talk["transcript"][0]["heard"]) == ("completed", "heard")
            assert simulation["scenarios"][0]["noise"] == noise
            levels.append(quietest(ears.requests[before]))
    assert levels[0] < levels[1] < levels[2]
    refuse(client.post("/simulations", {"agent_id": agent, "scenarios": [{**SCENARIO, "noise": "sea"}]}), 400, "noise")


@pytest.mark.parametrize(("kind", "snr_db"), [("street", 10), ("office", 15)])
def test_noise_has_the_stated_ratio_to_the_voice(kind: str, snr_db: float) -> None:
    voice = np.rint(8000 * np.sin(np.arange(16_000) * 0.3)).astype(np.int16)
    mixed = add_noise(np.concatenate([voice, np.zeros(8000, np.int16)]), 8000, kind)
    added = mixed - np.concatenate([voice, np.zeros(8000)])
    assert 10 * np.log10(np.mean(voice.astype(float) ** 2) / np.mean(added**2)) == pytest.approx(snr_db, abs=0.1)
    assert np.array_equal(mixed, add_noise(np.concatenate([voice, np.zeros(8000, np.int16)]), 8000, kind))


def test_without_speech_there_is_only_text(start_server: StartServer, new_user: NewUser, cast: Cast) -> None:
    client = new_user(start_server(RETINUE_VOICE_LIBRARIES="off")).client()
    agent = make_agent(client)
    body = {"agent_id": agent, "mode": "sound", "scenarios": [SCENARIO]}
    refuse(client.post("/simulations", body), 503, "RETINUE_VOICE_LIBRARIES")
    refuse(client.post("/simulations", {**body, "mode": "video"}), 400, "mode")
    assert simulate(client, agent)["mode"] == "text"
    assert ended_with(client, agent)["transcript"][0]["heard"] is None


def test_the_judge_sees_misheard_words() -> None:
    line: Line = {
        "role": "person", "text": "I am Kowalski.", "heard": "I am cold whiskey.", "run_id": 1, "tools_used": [],
        "first_text_ms": None, "reply_ms": None,
    }  # fmt: skip
    said = judge_message([line, {**line, "heard": "I am Kowalski"}])
    assert said.splitlines()[1:-1] == [
        "person: I am Kowalski. [understood: I am cold whiskey.]", "person: I am Kowalski.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "heard", "words"),
    [
        ("For two, please!", "for two please", []),
        ("My name is Kowalski.", "My name is Cole Whiskey.", ["kowalski"]),
        ("Please bring me apples.", "", ["please", "bring", "me", "apples"]),
        ("Yes.", "Yes. Indeed.", []),
    ],
)
def test_misheard_words(said: str, heard: str, words: list[str]) -> None:
    assert misheard_words(said, heard) == words
