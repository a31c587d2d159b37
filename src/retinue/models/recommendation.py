"""Recommends a local model for a machine: measured for the two known models, estimated by size for other files."""

from typing import Literal, NamedTuple

from retinue.models.known_weights import LARGE_MEMORY

_SMALL_MEMORY = 1_800_000_000
"""Bytes of memory that the server needs with the smallest model, its tools included."""
_BESIDE = 2_000_000_000
"""Bytes that the server, its tools and the request contexts need besides the weights."""
_FAST_BYTES_A_CORE = 400_000_000
"""Largest file per core, in bytes, that answers within seconds (measured: 1.1 GB on four cores)."""
_LARGE_CORES = 4


Speed = Literal["fast", "moderate", "slow"]

_SLOW_FACTOR = 3
"""How much more than `_FAST_BYTES_A_CORE` a slow model reads for each token."""


class Recommendation(NamedTuple):
    """The recommended weights and the reason. `name` is empty if the machine has too little memory for any."""

    name: str
    reason: str
    largest_file: int
    """Estimated size in bytes of the largest GGUF file that fits and answers within seconds."""


def advice(memory: int, cores: int) -> Recommendation:
    """Recommend weights for a machine with `memory` bytes and `cores` cores."""
    largest = max(min(memory - _BESIDE, cores * _FAST_BYTES_A_CORE), 0)
    if memory < _SMALL_MEMORY:
        return Recommendation("", "The memory is too small for a local model. Set RETINUE_MODEL_URL to an endpoint.", 0)
    if memory >= LARGE_MEMORY and cores >= _LARGE_CORES:
        return Recommendation(
            "1.5b", "The memory and the cores are sufficient for the better of the two known models.", largest
        )
    lacking = "memory" if memory < LARGE_MEMORY else "cores"
    return Recommendation("0.5b", f"It has too few {lacking} to run 1.5b as quickly.", largest)


def speed(read_per_token: int, cores: int) -> Speed:
    """Estimate how quickly a model replies that reads so many bytes of weights for each token.

    A short reply takes seconds if it is fast, up to a minute if it is moderate, and minutes if it is slow.
    """
    if read_per_token <= cores * _FAST_BYTES_A_CORE:
        return "fast"
    return "moderate" if read_per_token <= _SLOW_FACTOR * cores * _FAST_BYTES_A_CORE else "slow"
