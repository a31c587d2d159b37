"""Where in a recording somebody speaks, by how probable a voice is in each moment; and stretches to listen to."""

from collections.abc import Sequence

FRAME_S = 0.032
"""How long a moment is, of which a model tells how probable a voice is."""
_ON, _OFF = 0.5, 0.35
"""How probable a voice is where speech begins, and below what it ends."""
_LEAST_FRAMES = 3
"""What is shorter is a click."""

Span = tuple[int, int]
"""First moment, and the one after the last."""


def spans(probabilities: Sequence[float], pause_s: float) -> list[Span]:
    """Where somebody speaks, with pauses of at least so many seconds between."""
    patience = max(1, round(pause_s / FRAME_S))
    found: list[Span] = []
    start, last = -1, -1
    for place, probability in enumerate([*probabilities, *[0.0] * patience]):
        if probability >= (_ON if start < 0 else _OFF):
            start, last = (place if start < 0 else start), place
        elif start >= 0 and place - last >= patience:
            if last + 1 - start >= _LEAST_FRAMES:
                found.append((start, last + 1))
            start = -1
    return found


def windows(spoken: Sequence[Span], probabilities: Sequence[float], longest_s: float, gap_s: float) -> list[Span]:
    """Speech in stretches of at most so many seconds, with no pause in them longer than `gap_s`.

    They are cut at pauses, and where there are none at the least probable voice.
    """
    longest, gap = int(longest_s / FRAME_S), round(gap_s / FRAME_S)
    found: list[Span] = []
    for start, end in (part for span in spoken for part in _parts(span, probabilities, longest)):
        if found and end - found[-1][0] <= longest and start - found[-1][1] <= gap:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _parts(span: Span, probabilities: Sequence[float], longest: int) -> list[Span]:
    start, end = span
    parts: list[Span] = []
    while end - start > longest:
        places = range(start + longest * 2 // 3, start + longest)
        cut = min(places, key=probabilities.__getitem__)
        parts.append((start, cut))
        start = cut
    return [*parts, (start, end)]
