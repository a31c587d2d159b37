"""Collects the keys that the other side of a call presses for a tool, and keeps secret ones from the model."""

import asyncio
import re

BETWEEN_S = 4.0
"""Seconds after a key in which the next one must follow."""


class DigitCollector:
    """Takes keys while a tool waits for them."""

    def __init__(self) -> None:
        self._keys: asyncio.Queue[str] | None = None

    @property
    def collecting(self) -> bool:
        """True while a tool waits for keys."""
        return self._keys is not None

    def take(self, key: str) -> bool:
        """Take a key. Returns False if no tool waits for one."""
        if self._keys is None:
            return False
        self._keys.put_nowait(key)
        return True

    def open(self) -> None:
        """Begin to take keys, before a prompt is spoken: many people type while they listen."""
        self._keys = asyncio.Queue()

    def close(self) -> None:
        """Take no more keys."""
        self._keys = None

    async def collect(self, length: int | None, terminator: str, first_s: float) -> str:
        """Return the keys up to `length` or the terminator, or until the next one does not come in time."""
        assert self._keys is not None  # noqa: S101 - `open` comes first
        keys = ""
        while length is None or len(keys) < length:
            try:
                async with asyncio.timeout(BETWEEN_S if keys else first_s):
                    key = await self._keys.get()
            except TimeoutError:
                break
            if key == terminator:
                break
            keys += key
        return keys


class SecretDigits:
    """Secret inputs of a call, which the model only knows by their placeholders. They are never stored."""

    def __init__(self) -> None:
        self._secrets: dict[str, str] = {}

    def add(self, digits: str) -> str:
        """Keep an input. Returns its placeholder."""
        placeholder = f"<secret-digits-{len(self._secrets) + 1}>"
        self._secrets[placeholder] = digits
        return placeholder

    def reveal(self, text: str) -> str:
        """Return a text with inputs in place of their placeholders."""
        for placeholder, digits in self._secrets.items():
            text = text.replace(placeholder, digits)
        return text

    def conceal(self, text: str) -> str:
        """Return a text with placeholders in place of inputs."""
        for placeholder, digits in self._secrets.items():
            text = re.sub(rf"(?<![0-9]){re.escape(digits)}(?![0-9])", placeholder, text)
        return text
