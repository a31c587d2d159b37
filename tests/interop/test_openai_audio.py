"""OpenAI's official client speaks and transcribes at /v1/audio, by the tools of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ONE_DATABASE, NewUser
from tests.interop.test_openai import official
from tests.support.client import Client, data
from tests.support.lazy_imports import import_lazily
from tests.support.server import Server

if TYPE_CHECKING:
    import openai
else:
    openai = import_lazily("openai")

SAID = "Please bring the printed report. The meeting starts on Tuesday morning."


def speak(client: Client, form: Any) -> bytes:
    """Return the sound of `SAID`."""
    return official(client).audio.speech.create(
        model="tts-1", voice="alloy", input=SAID, response_format=form
    ).content  # fmt: skip


@ONE_DATABASE
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_speech_is_transcribed(client: Client) -> None:
    sound = speak(client, "wav")
    assert sound.startswith(b"RIFF")
    create = official(client).audio.transcriptions.create
    file = ("said.wav", sound, "audio/wav")
    whole = create(model="whisper-1", file=file, response_format="verbose_json", temperature=0)
    assert whole.text == SAID
    assert [one.text for one in whole.segments or ()] == ["Please bring the printed report.", SAID[33:]]
    assert create(model="whisper-1", file=file, language="en").text == SAID
    cues = create(model="whisper-1", file=file, response_format="srt")
    assert cues.startswith("1\n00:00:00,")
    events = list(create(model="whisper-1", file=file, stream=True))
    assert [event.type for event in events] == ["transcript.text.delta", "transcript.text.done"]
    assert data(client.get("/files")) == []
    assert data(client.get("/usage"))["tools_executed"]["used"] == 5


@ONE_DATABASE
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_speech_has_the_form_that_was_asked_for(client: Client) -> None:
    assert speak(client, "mp3")[:3] in (b"ID3", b"\xff\xfb", b"\xff\xf3")
    plain, wav = speak(client, "pcm"), speak(client, "wav")
    assert wav.endswith(plain)
    assert len(wav) - len(plain) == 44


@ONE_DATABASE
def test_invalid_speech_requests_are_refused(client: Client, server: Server, new_user: NewUser) -> None:
    with pytest.raises(openai.BadRequestError, match="no words"):
        official(client).audio.speech.create(model="tts-1", voice="alloy", input="😀")
    create = official(client).audio.transcriptions.create
    with pytest.raises(openai.BadRequestError, match="only English"):
        create(model="whisper-1", file=("said.wav", b"RIFF"), language="de")
    with pytest.raises(openai.BadRequestError, match="response_format"):
        create(model="whisper-1", file=("said.wav", b"RIFF"), response_format="x")  # type: ignore[call-overload] # is wrong
    free = official(new_user(server, plan="free").client())
    with pytest.raises(openai.PermissionDeniedError, match="plan"):
        free.audio.speech.create(model="tts-1", voice="alloy", input="Hello")
