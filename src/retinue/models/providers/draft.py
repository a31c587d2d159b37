"""Builds request bodies, and leaves out optional parameters that a provider has refused."""

import re
from collections.abc import Mapping

from retinue.models.providers.errors import RefusedResponse

_TOO_MUCH = re.compile(r"too large|too high|at most|maximum|less than|out of range|exceed", re.IGNORECASE)


class RequestDraft:
    """A request body and the optional features that it uses. `refused` are the features to leave out."""

    def __init__(self, body: dict[str, object], refused: frozenset[str]) -> None:
        self.body = body
        self._refused = refused
        self._words: dict[str, tuple[str, ...]] = {}

    def add(self, feature: str, target: dict[str, object], fields: Mapping[str, object], *words: str) -> bool:
        """Put `fields` into `target`, a part of the body, unless the provider refused `feature`.

        A refusal that mentions one of `words` (by default the names of the fields) means this feature.
        """
        if feature in self._refused:
            return False
        target.update(fields)
        self._words[feature] = words or tuple(fields)
        return True

    def use(self, feature: str, *words: str) -> bool:
        """Note that the body uses `feature`, unless the provider refused it."""
        return self.add(feature, {}, {}, *words)

    def blame(self, refusal: RefusedResponse) -> str | None:
        """Return the feature that a refusal complains about, or None."""
        if refusal.status not in (400, 422) or refusal.overflow:
            return None
        for text in (refusal.parameter, refusal.message):
            for feature, words in self._words.items():
                # A limit that is too high is not a parameter that the provider does not know.
                if feature.startswith("max_") and _TOO_MUCH.search(refusal.message):
                    continue
                if any(_mentions(text, word) for word in words):
                    return feature
        return None


def _mentions(text: str, word: str) -> bool:
    return re.search(rf"(?<![a-z0-9_]){re.escape(word)}(?![a-z0-9_])", text, re.IGNORECASE) is not None
