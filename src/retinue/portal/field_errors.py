"""Placing what a service refuses beside the field that it is about."""

from collections.abc import Iterable

from retinue.core.errors import RetinueError, ValidationFailed
from retinue.portal.forms import InvalidForm


def place_error(error: RetinueError, names: Iterable[str], otherwise: str = "") -> RetinueError:
    """The error as an `InvalidForm` of the field that its message begins with, else of the field `otherwise`.

    An error that is already placed, and one that is about no input, such as `RateLimited`, stays as it is.
    """
    if isinstance(error, InvalidForm) or not isinstance(error, ValidationFailed):
        return error
    found = next((name for name in names if error.message.startswith((f"{name} ", f"{name}:"))), otherwise)
    return InvalidForm(error.message, {found: error.message}) if found else error
