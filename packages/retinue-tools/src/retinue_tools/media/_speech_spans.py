"""Detection of speech in a recording from voice probabilities, and division into sections."""

from collections.abc import Sequence

FRAME_S = 0.032
"""Duration of a frame, for which a model returns a voice probability."""
_ON, _OFF = 0.5, 0.35
"""Probability at which speech starts, and below which it ends."""
_LEAST_FRAMES = 3
"""Shorter sounds are clicks."""

Span = tuple[int, int]
"""First frame, and the one after the last."""


def spans(probabilities: Sequence[float], pause_s: float) -> list[Span]:
    """Return the spans of speech, separated by pauses of at least this many seconds."""
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
    """Divide speech into sections of at most this many seconds, with no pause longer than `gap_s` in them.

    They are split at pauses, or if there are none, at the lowest voice probability.
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
