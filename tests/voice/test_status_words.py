"""The state of voice is worded in the language of the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from retinue.language.translation import current_language
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from retinue.voice.media.service import MediaService
from retinue.voice.media.status_words import status_words
from retinue.voice.options import VoiceOptions
from retinue.voice.trunks import Trunks


@pytest.fixture
def german() -> Iterator[None]:
    """The language of the page."""
    token = current_language.set("de")
    yield
    current_language.reset(token)


@pytest.mark.usefixtures("german")
def test_each_state_of_voice_has_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    voice = VoiceEnvironment(tmp_path / "voice", VoiceEnvironment.beside(tmp_path).requirements)
    media = MediaService(VoiceOptions(), Trunks({}), voice, PiperEnvironment.beside(tmp_path), tmp_path)
    seen = [status_words(media.status)]
    media.want()
    seen.append(status_words(media.status))
    voice._note(12, 35, "")
    seen.append(status_words(media.status))
    voice.reason = "no network"
    seen.append(status_words(media.status))
    monkeypatch.setattr(VoiceEnvironment, "ready", True)
    seen.append(status_words(media.status))
    media._reason = "exit status 1"
    seen += [status_words(media.status), status_words("ready")]
    assert seen == [
        "ausgeschaltet",
        "wird installiert",
        "wird installiert, 12 von 35 Paketen",
        "nicht installiert: no network",
        "startet",
        "startet: exit status 1",
        "bereit",
    ]
