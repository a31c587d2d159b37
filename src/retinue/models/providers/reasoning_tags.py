"""Separates reasoning that a model writes into its text, such as `<think>…</think>`, while the text arrives."""

import re
from collections.abc import Callable, Sequence

from retinue.models.base import ReasoningDelta, TextDelta

_CLOSING_OF = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "<|channel|>analysis<|message|>": "<|end|>",
}
_DROPPED = ("<|start|>assistant", "<|channel|>final<|message|>")
_OPENING = (*_CLOSING_OF, *_DROPPED)
_UNOPENED = "</think>"
_ENDS_REASONING = re.compile(rf"{_UNOPENED}[\r\n]")

Part = TextDelta | ReasoningDelta


class UnmarkedReasoning(Exception):
    """The text so far was reasoning: its closing tag has come, but there was no opening tag."""


class ReasoningTags:
    """Splits the text of one reply. Reasoning is recognized at the beginning and right after other reasoning.

    `begins_in_reasoning` says that this model omits the first opening tag. Then the text is held back until the
    closing tag or the end, because a reply without a closing tag may have no reasoning.
    """

    def __init__(self, begins_in_reasoning: bool = False) -> None:
        self._pending = ""
        self._closing = ""
        self._opened = False
        self.text_characters = 0
        self.feed: Callable[[str], Sequence[Part]] = self._unknown if begins_in_reasoning else self._begin
        """Adds text, and returns the parts that it completes. Raises `UnmarkedReasoning`."""

    def expect_text(self) -> Sequence[Part]:
        """Stop waiting for a closing tag: the provider sends reasoning separately."""
        if self.feed == self._unknown:
            self.feed = self._begin
            pending, self._pending = self._pending, ""
            return self._begin(pending)
        return ()

    def end(self, cut: bool) -> Sequence[Part]:
        """Return what is held back. `cut` says that the reply ended at the limit of its tokens.

        Raises `UnmarkedReasoning`.
        """
        pending, self._pending = self._pending, ""
        if not pending:
            return ()
        if pending == _UNOPENED and self.feed == self._plain:
            raise UnmarkedReasoning
        is_reasoning = self.feed == self._reason or (self.feed == self._unknown and cut)
        return (ReasoningDelta(pending),) if is_reasoning else self._text(pending)

    def _text(self, text: str) -> Sequence[Part]:
        self.text_characters += len(text)
        return (TextDelta(text),) if text else ()

    def _begin(self, text: str) -> Sequence[Part]:
        self._pending += text
        start = self._pending.lstrip()
        if start[:1] in ("<", "["):
            for tag in _OPENING:
                if start.startswith(tag):
                    return self._open(tag, start[len(tag) :])
            if any(tag.startswith(start) for tag in _OPENING):
                return ()
        elif not start:
            return ()
        text, self._pending = start if self._opened else self._pending, ""
        self.feed = self._plain
        return self._plain(text)

    def _open(self, tag: str, rest: str) -> Sequence[Part]:
        self._pending, self._opened = "", True
        if tag in _DROPPED:
            return self._begin(rest)
        self._closing, self.feed = _CLOSING_OF[tag], self._reason
        return self._reason(rest)

    def _reason(self, text: str) -> Sequence[Part]:
        text = self._pending + text
        before, found, after = text.partition(self._closing)
        if found:
            self._pending, self.feed = "", self._begin
            return (*_reasoning_parts(before), *self._begin(after))
        pending_length = _overlap(text, self._closing)
        self._pending = text[len(text) - pending_length :]
        return _reasoning_parts(text[: len(text) - pending_length])

    def _plain(self, text: str) -> Sequence[Part]:
        if not self._pending and ("<" not in text or self._opened):
            self.text_characters += len(text)
            return (TextDelta(text),) if text else ()
        text = self._pending + text
        if _ENDS_REASONING.search(text):
            raise UnmarkedReasoning
        pending_length = len(_UNOPENED) if text.endswith(_UNOPENED) else _overlap(text, _UNOPENED)
        self._pending = text[len(text) - pending_length :]
        return self._text(text[: len(text) - pending_length])

    def _unknown(self, text: str) -> Sequence[Part]:
        seen = max(len(self._pending) - len(_UNOPENED), 0)
        self._pending += text
        start = self._pending.lstrip() if seen < max(map(len, _OPENING)) else ""
        opening = next((tag for tag in _CLOSING_OF if start.startswith(tag)), None)
        if opening:
            return self._open(opening, start[len(opening) :])
        at = self._pending.find(_UNOPENED, seen)
        if at < 0:
            return ()
        before, after = self._pending[:at], self._pending[at + len(_UNOPENED) :]
        self._pending, self._opened, self.feed = "", True, self._begin
        return (*_reasoning_parts(before), *self._begin(after))


def _reasoning_parts(text: str) -> Sequence[Part]:
    return (ReasoningDelta(text),) if text else ()


def _overlap(text: str, tag: str) -> int:
    """Return how many characters at the end of `text` may begin `tag`."""
    return next((n for n in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:n])), 0)
