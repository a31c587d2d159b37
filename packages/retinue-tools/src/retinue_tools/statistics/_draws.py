"""The source of random draws: the system's, or a repeatable one."""

import random
from typing import Annotated

from retinue.sdk import About

DrawSeed = Annotated[
    int | None, About("Seed that makes the draw repeatable; without it, each draw is new", 42, minimum=0, maximum=2**31)
]


def generator_for(seed: int | None) -> random.Random:
    """Return a repeatable generator for a seed, and the system's secure one without a seed."""
    return random.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311  asked to be repeatable
