"""Speech there and back: what one engine says another one hears, in any format that ffmpeg reads."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from retinue.core.errors import RetinueError
from retinue.tools.verification.example_runner import LocalExecutor
from retinue_tools.media._ffmpeg import FFMPEG
from retinue_tools.text._subtitle_cues import read_cues
from tests.support.sampling import EXHAUSTIVE
from tests.tools.executors import ON_ONE_LOOP, open_executor, tools_of

TEXT = "We had lunch in the garden. Then the rain began and everybody ran into the house."
pytestmark = ON_ONE_LOOP
MODULES = ("media.speech_say", "media.speech_transcription", "media.speech_search", "media.audio_files")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalExecutor]:
    """Runs the tools in the environment that the server uses."""
    async with open_executor(tools_of(*MODULES), tmp_path_factory.mktemp("executor")) as opened:
        yield opened


def words(text: str) -> list[str]:
    """A text without capitals and punctuation, which cannot be heard."""
    return re.findall(r"[a-z]+", text.lower())


@EXHAUSTIVE
@pytest.mark.slow
async def test_transcribed_words_have_times(executor: LocalExecutor) -> None:
    said = await executor.execute("speech_say_text", {"text": TEXT, "pause_s": 1.5})
    heard = await executor.execute("speech_transcribe_audio", {"file": said["file"]})
    assert words(heard["text"]) == words(TEXT)
    for segment, sentence in zip(heard["segments"], said["sentences"], strict=True):
        assert segment["start_s"] == pytest.approx(sentence["start_s"], abs=0.5)
        assert segment["end_s"] == pytest.approx(sentence["end_s"], abs=0.5)
    later = await executor.execute(
        "speech_transcribe_audio", {"file": said["file"], "start_s": said["sentences"][1]["start_s"] - 0.5}
    )
    assert words(later["text"]) == words(said["sentences"][1]["text"])
    assert later["segments"][0]["start_s"] == pytest.approx(heard["segments"][1]["start_s"], abs=0.2)
    activity = await executor.execute("speech_find_pauses", {"file": said["file"], "least_pause_s": 1})
    assert [round(pause["duration_s"]) for pause in activity["pauses"]] == [2]
    found = await executor.execute("speech_find_passages", {"file": said["file"], "phrase": "the rain"})
    assert [passage["text"] for passage in found["passages"]] == ["the rain"]
    assert found["passages"][0]["start_s"] == pytest.approx(heard["segments"][1]["start_s"] + 0.3, abs=0.4)


@pytest.mark.slow
@pytest.mark.needs_program(*FFMPEG)
async def test_an_mp3_is_heard(executor: LocalExecutor) -> None:
    said = await executor.execute("speech_say_text", {"text": TEXT})
    made = await executor.execute("audio_convert_format", {"file": said["file"], "target_format": "mp3"})
    subtitles = await executor.execute("speech_make_subtitles", {"file": made["file"], "line_length": 30})
    cues = read_cues(subtitles["subtitles"])
    assert words(" ".join(cue.text for cue in cues)) == words(TEXT)
    lines = [line for cue in cues for line in cue.text.split("\n")]
    assert len(lines) > len(cues) == 2
    assert max(map(len, lines)) <= 30


@pytest.mark.needs_program(*FFMPEG)
async def test_a_file_that_is_no_recording_is_refused(executor: LocalExecutor) -> None:
    file = await executor.lend("notes.txt", b"no sound")
    with pytest.raises(RetinueError, match="not readable audio or video"):
        await executor.execute("speech_transcribe_audio", {"file": file})
