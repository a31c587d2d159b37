"""The kinds of providers: the protocol, and where it is served by default."""

from collections.abc import Mapping
from typing import Literal

Kind = Literal["openai", "openai-responses", "anthropic", "gemini"]

BASE_URLS: Mapping[Kind, str] = {
    "openai": "https://api.openai.com/v1",
    "openai-responses": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
}
"""The default of `base_url`: everything before `/chat/completions`, `/responses`, `/messages` or `/models`."""

DEFAULT_PROVIDER = "default"
"""The name of the shared provider that the operator configured with RETINUE_MODEL_URL."""
