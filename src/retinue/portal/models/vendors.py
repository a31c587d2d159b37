"""The providers to pick from: their protocol, their address, and where to get a key."""

from collections.abc import Mapping
from dataclasses import dataclass

from retinue.language.translation import gettext_noop
from retinue.providers.kinds import BASE_URLS, Kind


@dataclass(frozen=True, slots=True)
class Vendor:
    """A provider to pick. `keys` is the host of the page where one gets a key; empty if none is needed."""

    title: str
    about: str
    kind: Kind
    base_url: str
    keys: str = ""


VENDORS: Mapping[str, Vendor] = {
    "openai": Vendor(
        "OpenAI",
        gettext_noop("Through the Responses API."),
        "openai-responses",
        BASE_URLS["openai-responses"],
        "platform.openai.com",
    ),
    "anthropic": Vendor(
        "Anthropic",
        gettext_noop("Claude, through the Messages API."),
        "anthropic",
        BASE_URLS["anthropic"],
        "console.anthropic.com",
    ),
    "gemini": Vendor(
        "Google Gemini", gettext_noop("Through generateContent."), "gemini", BASE_URLS["gemini"], "aistudio.google.com"
    ),
    "mistral": Vendor(
        "Mistral", gettext_noop("Models of Mistral AI."), "openai", "https://api.mistral.ai/v1", "console.mistral.ai"
    ),
    "deepseek": Vendor(
        "DeepSeek",
        gettext_noop("Models of DeepSeek."),
        "openai",
        "https://api.deepseek.com/v1",
        "platform.deepseek.com",
    ),
    "openrouter": Vendor(
        "OpenRouter",
        gettext_noop("Models of many vendors with one key."),
        "openai",
        "https://openrouter.ai/api/v1",
        "openrouter.ai",
    ),
    "xai": Vendor("xAI", gettext_noop("Grok."), "openai", "https://api.x.ai/v1", "console.x.ai"),
    "groq": Vendor(
        "Groq",
        gettext_noop("Open models, served fast."),
        "openai",
        "https://api.groq.com/openai/v1",
        "console.groq.com",
    ),
    "ollama": Vendor("Ollama", gettext_noop("Models on a machine of your own."), "openai", "http://127.0.0.1:11434/v1"),
    "other": Vendor(gettext_noop("Other"), gettext_noop("Any server with one of the four protocols."), "openai", ""),
}

KINDS: Mapping[Kind, str] = {
    "openai": gettext_noop("Chat Completions (OpenAI-compatible)"),
    "openai-responses": "Responses (OpenAI)",
    "anthropic": "Messages (Anthropic)",
    "gemini": "generateContent (Gemini)",
}
