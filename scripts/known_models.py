"""Writes the table of known hosted models from the data that the package litellm ships.

Run it before a release: `uv pip install --no-deps --target DIR litellm`, then `python -m scripts.known_models DIR`.
"""

import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[1] / "src/retinue/models/known_models.json"
SERVICES = {
    "openai": "",
    "anthropic": "",
    "gemini": "gemini/",
    "mistral": "mistral/",
    "deepseek": "deepseek/",
    "xai": "xai/",
    "groq": "groq/",
    "azure": "azure/",
    "moonshot": "moonshot/",
    "dashscope": "dashscope/",
    "together_ai": "together_ai/",
    "fireworks_ai": "fireworks_ai/",
    "cerebras": "cerebras/",
    "zai": "zai/",
}
"""The services to keep, with the prefix of their models' names."""

_INPUTS = {"supports_vision": "i", "supports_pdf_input": "p", "supports_audio_input": "a"}
_ABILITIES = _INPUTS | {"supports_function_calling": "t", "supports_reasoning": "r"}
_PRICES = ("input_cost_per_token", "cache_read_input_token_cost", "output_cost_per_token")


def main(folder: Path) -> None:
    """Write the table."""
    known = json.loads((folder / "litellm/model_prices_and_context_window_backup.json").read_text())
    table: dict[str, dict[str, Any]] = {service: {} for service in SERVICES}
    for name, entry in known.items():
        service = entry.get("litellm_provider")
        if service in SERVICES and entry.get("mode") in ("chat", "responses") and entry.get("max_input_tokens"):
            table[service].setdefault(name.removeprefix(SERVICES[service]), _row(entry))
    rows = (f' "{service}": {{\n{_lines(models)}\n }}' for service, models in table.items())
    TABLE.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def _row(entry: dict[str, Any]) -> list[Any]:
    abilities = "".join(letter for name, letter in _ABILITIES.items() if entry.get(name))
    return [entry["max_input_tokens"], entry.get("max_output_tokens"), abilities, *map(_price, map(entry.get, _PRICES))]


def _price(per_token: float | None) -> str | None:
    """Return a price per million tokens as a decimal."""
    return None if per_token is None else f"{(Decimal(str(per_token)) * 1_000_000).normalize():f}"


def _lines(models: dict[str, Any]) -> str:
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(models.items()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
