"""Sets the language in which a request is answered, and reads what the answer needs, off the event loop."""

from functools import cache
from typing import TYPE_CHECKING

from retinue.core.runtime.executors import run_on_compute_thread
from retinue.language.formats import load_locales
from retinue.language.translation import SOURCE, current_language, load_catalogues, set_language

if TYPE_CHECKING:
    from starlette.requests import Request


async def use_language_of(request: "Request") -> None:
    """Set the language of a request. The first one in another language than English takes some tenths of a second."""
    set_language(request)
    if current_language.get() != SOURCE and not _load.cache_info().currsize:
        await run_on_compute_thread(_load)


@cache
def _load() -> None:
    """Read the catalogues and the locale data."""
    load_catalogues()
    load_locales()
