"""Mixes the audio of a room: everybody hears all the others but not themselves (N-1)."""

from collections import deque

import numpy as np

from retinue.voice.speech.pcm import Pcm

RATE = 48_000
FRAME = RATE // 50
"""Samples per 20 ms."""

_PREFILL = 3 * FRAME
"""Jitter buffer: mixing starts when 60 ms are buffered, also after the buffer ran empty."""

_MOST = 10 * FRAME
"""Most samples in the buffer (200 ms). Older audio is dropped, so that the delay stays small."""


class MixerInput:
    """The audio buffer of one participant."""

    def __init__(self) -> None:
        self._blocks: deque[Pcm] = deque()
        self._flowing = False
        self.samples = 0

    def push(self, samples: Pcm) -> None:
        """Add audio at 48 kHz."""
        self._blocks.append(samples)
        self.samples += len(samples)
        while self.samples > _MOST:
            self.samples -= len(self._blocks.popleft())

    def take(self) -> Pcm | None:
        """Return the next 20 ms; None if the buffer has too little."""
        if self.samples < (FRAME if self._flowing else _PREFILL):
            self._flowing = False
            return None
        self._flowing = True
        frame = np.concatenate(self._blocks) if len(self._blocks) > 1 else self._blocks[0]
        self._blocks.clear()
        if len(frame) > FRAME:
            self._blocks.append(frame[FRAME:])
        self.samples -= FRAME
        return frame[:FRAME]

    def clear(self) -> None:
        """Drop unmixed audio."""
        self._blocks.clear()
        self.samples, self._flowing = 0, False


def mix(frames: dict[int, Pcm | None]) -> dict[int, Pcm]:
    """Return for each participant the sum of all other frames, clipped to 16 bits."""
    total = np.zeros(FRAME, np.int32)
    for frame in frames.values():
        if frame is not None:
            total += frame
    return {
        key: np.clip(total if frame is None else total - frame, -32_768, 32_767).astype(np.int16)
        for key, frame in frames.items()
    }
