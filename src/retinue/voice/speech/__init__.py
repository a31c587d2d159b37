"""Speech: synthesis, transcription and voice activity, for a media worker that runs in the voice environment.

All functions block, so an asyncio program calls them on a thread. Audio is 16-bit mono PCM in `numpy.int16` arrays.

    options = SpeechOptions()
    engine = open_engine("hibari", options)  # warm after the first call; raises EngineMissing
    for spoken in speak_stream(engine, ["Good mor", "ning. How can ", "I help?"]):
        send(spoken.text, Resampler(engine.sample_rate, 8000).finish(spoken.samples))

    turns = TurnDetector(8000, silence_s=0.5)
    transcriber = open_transcriber(options)
    for frame in twenty_millisecond_frames:
        for event in turns.feed(frame):
            if isinstance(event, SpeechEnd):
                reply_to(transcriber.transcribe(event.samples, 8000))

`SpeechStart` is the moment to stop the agent's speech (barge-in). `SentenceStream` splits a reply into sentences
while it is generated, and `speakable` turns Markdown into words. Modules import NumPy at once, and the libraries of
an engine only when that engine is opened.
"""

from retinue.voice.speech.activity import load_activity_model
from retinue.voice.speech.end_of_turn import contains_phrase, is_backchannel, is_farewell, is_greeting, silence_to_wait
from retinue.voice.speech.engines import SpeechEngine, Spoken, StyledEngine, open_engine, speak_stream
from retinue.voice.speech.options import PLAIN, EngineMissing, SpeechFailed, SpeechOptions, VoiceStyle
from retinue.voice.speech.pcm import Resampler
from retinue.voice.speech.sentences import SentenceStream
from retinue.voice.speech.speakable import speakable
from retinue.voice.speech.transcription import Transcriber, open_transcriber
from retinue.voice.speech.turns import SpeechEnd, SpeechPause, SpeechStart, TurnDetector

__all__ = [
    "PLAIN",
    "EngineMissing",
    "Resampler",
    "SentenceStream",
    "SpeechEnd",
    "SpeechEngine",
    "SpeechFailed",
    "SpeechOptions",
    "SpeechPause",
    "SpeechStart",
    "Spoken",
    "StyledEngine",
    "Transcriber",
    "TurnDetector",
    "VoiceStyle",
    "contains_phrase",
    "is_backchannel",
    "is_farewell",
    "is_greeting",
    "load_activity_model",
    "open_engine",
    "open_transcriber",
    "silence_to_wait",
    "speak_stream",
    "speakable",
]
