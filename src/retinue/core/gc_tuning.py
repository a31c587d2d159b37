"""The search for cycles of dead objects, for a process that lives on what it loads at its start.

By default modules, routes and tools are walked through again and again, in pauses of milliseconds: a tenth of the CPU
time of a run, and as much of a start.
"""

import gc

_YOUNG = 10_000
"""How many more objects have to be made than freed before cycles are looked for; Python's default is 700."""


def look_rarely() -> None:
    """Look for cycles when many objects have been made only. Memory that is not in cycles is freed at once as ever."""
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])


def keep_what_is_there() -> None:
    """Never walk through the objects that are there now: they stay to the end."""
    gc.collect()
    gc.freeze()
