"""Measure the response time of telephone calls, from the end of a question to the first sound of the answer.

`.venv/bin/python -m bench.calls [TURNS] [local]`. A scripted telephone on this machine asks questions. The model
answers at once, so this measures only the platform: turn detection, transcription, the run, speech and the line. With
`local` the included model of 0.5 billion parameters answers.
"""

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import requests

from retinue.voice.environment import VoiceEnvironment
from retinue.voice.media.self_call import free_sip_port
from tests.support.client import Client
from tests.support.model_server import Answer, ModelServer, running_model_server
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.voice.telephone import Telephone, finish, reach, start_call, turns_of

QUESTIONS = (
    "What is the capital of France?",
    "How many days has the month of March?",
    "Tell me the way to the station, please.",
    "When does the shop close today?",
    "I would like to change my appointment to Tuesday.",
)
ANSWER = "I can tell you that at once. Please wait for the rest of it."
INTERRUPTION = "Stop it now please, I have another question."
TURNS_A_CALL = 5


def main(turns: int, local: bool) -> None:
    """Measure and print."""
    with running_model_server(ModelServer) as model, tempfile.TemporaryDirectory() as folder:
        model.obsession = Answer(text=ANSWER)
        server = Server(Path(folder), settings(model, local)).start()
        phone = Telephone(VoiceEnvironment.beside(Path(folder)).python, free_sip_port())
        try:
            eventually(lambda: _is_ready(server, local), within=300)
            client = Client(server, server.first_key)
            spoken = [turn for _ in range(-(-turns // TURNS_A_CALL)) for turn in _talk(client, phone)]
            cut = [_interrupt(client, phone) for _ in range(-(-turns // TURNS_A_CALL))]
        finally:
            phone.close()
            server.close()
    _show("end of the question to first sound", [turn["first_audio_ms"] for turn in spoken])
    _show("end of the question to first text", [turn["first_text_ms"] for turn in spoken])
    _show("interruption to silence", [figure for figure in cut if figure is not None])


def _is_ready(server: Server, local: bool) -> bool:
    state = requests.get(f"{server.url}/readyz", timeout=10).json()
    return bool(state["voice"] == "ready" and (not local or state["model"]["state"] == "ready"))


def settings(model: ModelServer, local: bool = False) -> dict[str, str]:
    """Return the environment of a server that may call this machine."""
    hosted = {"RETINUE_MODEL_URL": model.url, "RETINUE_MODEL_NAME": "stand-in"}
    return {
        **({"RETINUE_LOCAL_MODEL": "0.5b"} if local else hosted),
        "RETINUE_SIP": f"127.0.0.1:{free_sip_port()}",
        "RETINUE_SIP_DESTINATIONS": "sip:*@127.0.0.1:*",
        "RETINUE_ALLOWED_NETWORKS": "127.0.0.0/8",
        "RETINUE_CALL_SILENCE": "60",
    }


def _talk(client: Client, phone: Telephone) -> list[dict[str, Any]]:
    """Return the timings of the agent's answers in one call."""
    phone.tell("expect", "answer")
    call_id = start_call(client, phone.uri, greeting="")
    reach(client, call_id, "in_progress")
    for question in QUESTIONS:
        phone.tell("say", question)
        phone.tell("hear", 1.0)
    phone.tell("hangup")
    finish(client, call_id)
    timings = [turn["timing"] for turn in turns_of(client, call_id) if turn["speaker"] == "agent"]
    return [timing for timing in timings if "first_audio_ms" in timing]


def _interrupt(client: Client, phone: Telephone) -> int | None:
    """Return the milliseconds from the start of an interruption to silence, or None."""
    phone.tell("expect", "answer")
    call_id = start_call(client, phone.uri, greeting="")
    reach(client, call_id, "in_progress")
    phone.tell("say", QUESTIONS[0])
    phone.tell("interrupt", INTERRUPTION)
    phone.tell("hear", 1.0)
    phone.tell("hangup")
    finish(client, call_id)
    return next((turn["timing"].get("barge_in_ms") for turn in turns_of(client, call_id) if turn["interrupted"]), None)


def _show(name: str, figures: list[int]) -> None:
    ordered = sorted(figures)
    if not ordered:
        return print(f"{name}: nothing measured")
    p95 = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    return print(f"{name}: p50 {statistics.median(ordered):.0f} ms, p95 {p95} ms, n = {len(ordered)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30, "local" in sys.argv)
