"""Which local model suits a machine: measured for the two known ones, estimated for other files by their size."""

from typing import NamedTuple

from retinue.models.known_weights import LARGE_MEMORY

_SMALL_MEMORY = 1_800_000_000
"""Bytes of memory that the server takes with the smallest model, with room for its tools."""
_BESIDE = 2_000_000_000
"""Bytes that the server, its tools and the windows of requests take beside a file of weights."""
_FAST_BYTES_A_CORE = 400_000_000
"""The largest file for each core with which the first words come within seconds: 1.1 GB on four cores was measured."""
_LARGE_CORES = 4


class Advice(NamedTuple):
    """The name of weights to run, empty where the machine has no room for any, and what speaks for them."""

    name: str
    reason: str
    largest_file: int
    """Bytes of the largest GGUF file that fits and answers within seconds, by estimate."""


def advice(memory: int, cores: int) -> Advice:
    """What to run on a machine with so many bytes of memory and so many cores."""
    largest = max(min(memory - _BESIDE, cores * _FAST_BYTES_A_CORE), 0)
    if memory < _SMALL_MEMORY:
        return Advice("", "The memory is too small for a local model: set RETINUE_MODEL_URL to an endpoint.", 0)
    if memory >= LARGE_MEMORY and cores >= _LARGE_CORES:
        return Advice("1.5b", "It has the memory and the cores for the better of the two known models.", largest)
    lacking = "memory" if memory < LARGE_MEMORY else "cores"
    return Advice("0.5b", f"It has too few {lacking} for 1.5b to answer as quickly.", largest)
