"""The client of the server that places texts: what the first blocks of a model make of them."""

import aiohttp
import orjson

from retinue.core.errors import Unavailable

_MOST_CHARACTERS = 700
"""What a request is about is told at its beginning; long data would only take time."""
_TIMEOUT = aiohttp.ClientTimeout(total=10.0)


class Encoder:
    """Speaks with llama.cpp's server at `address`."""

    def __init__(self, address: str, key: str, session: aiohttp.ClientSession) -> None:
        self._url = f"{address}/v1/embeddings"
        self._headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        self._session = session

    async def place(self, text: str) -> list[float]:
        """Where a text lies. Raises `Unavailable`."""
        asked = orjson.dumps({"input": shown(text)})
        try:
            async with self._session.post(self._url, data=asked, headers=self._headers, timeout=_TIMEOUT) as response:
                response.raise_for_status()
                found: list[float] = orjson.loads(await response.read())["data"][0]["embedding"]
                return found
        except (aiohttp.ClientError, TimeoutError, ValueError, LookupError, TypeError) as error:
            raise Unavailable("The local model did not place a text. Try again in 10 seconds.") from error


def shown(text: str) -> str:
    """What is shown of a text to the model."""
    return text[:_MOST_CHARACTERS]
