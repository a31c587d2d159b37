"""Select the results of a search, best first."""

from collections.abc import Sequence

from retinue.tools.selection.text import Hit, TextScores, hit_by_text

_RELEVANT = 0.25
"""Minimum text score of a result, as a share of the best text score."""
_DECIMALS = 3


def results(
    search: str, names: Sequence[str], scores: TextScores, own: Sequence[tuple[str, float]] = ()
) -> list[tuple[str, float]]:
    """Return the names of tools to show, best first, with scores from 0 on.

    `scores` are those of the catalogue's tools in `names`, `own` are the text scores of tools outside the catalogue.
    The results are tools whose words match, and those whose example requests score higher than any of them; none of
    the catalogue if the search means something it lacks, or if no tool matches well. An exact name is always shown, in
    first place.
    """
    exact = "_".join(search.lower().split())
    fits = enumerate(scores.fits if scores.found else ())
    common = [Hit(names[place], scores.found.get(place, 0.0), fit) for place, fit in fits]
    usual = scores.usual if own else 0.0
    others = [hit_by_text(name, score, usual) for name, score in own]
    if scores.means_missing or scores.is_weak:
        common = [hit for hit in common if hit.name == exact]
        others = [hit for hit in others if scores.competes(hit.found)]
    hits = [*common, *_favour(others, common)]
    floor = _RELEVANT * max((hit.found for hit in hits), default=0.0)
    fittest = max((hit.fit for hit in hits if hit.found >= floor), default=0.0)
    matches = [hit for hit in hits if hit.found >= floor or hit.fit > fittest or hit.name == exact]
    matches.sort(key=lambda hit: (hit.name != exact, -hit.fit, -hit.found, hit.name))
    return [(hit.name, round(max(hit.fit, 0.0), _DECIMALS)) for hit in matches]


def _favour(others: list[Hit], common: list[Hit]) -> list[Hit]:
    """Raise the score of tools outside the catalogue whose words match better than any in it to at least the best
    score: they have no example requests.
    """
    found = max((hit.found for hit in common), default=0.0)
    fit = max((hit.fit for hit in common), default=0.0)
    return [hit._replace(fit=max(hit.fit, fit)) if hit.found > found else hit for hit in others]
