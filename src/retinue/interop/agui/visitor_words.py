"""Words errors for visitors in their language, which the gate reads from `Accept-Language`.

Front ends with an API key or an OAuth token get the English messages of the API.
"""

from retinue.core.errors import RetinueError
from retinue.language.error_words import error_words
from retinue.language.translation import SOURCE, current_language


def visitor_words(text: str) -> str:
    """Return the message of an error in the language of the request. Without a translation, it stays as it is."""
    return text if current_language.get() == SOURCE else error_words(text)


def error_body(error: RetinueError) -> dict[str, dict[str, object]]:
    """Return the body of an error response."""
    body = error.envelope()
    body["error"]["message"] = visitor_words(error.message)
    return body
