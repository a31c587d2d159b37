"""Forms for providers and their models."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from retinue.auth.plans import PlanName
from retinue.core.database.statements import Row
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, InvalidForm, form_number, parse
from retinue.providers.schemas import HostedModelSettings, PriceSettings, ProviderCreate, ProviderUpdate

PLANS = get_args(PlanName)
"""The plans with which a provider can be shared."""

INPUT_WORDS = {
    "text": gettext_noop("text"),
    "image": gettext_noop("image"),
    "pdf": "pdf",
    "audio": gettext_noop("audio"),
}
"""What models read, in words."""

_PRICES = ("input", "cached_input", "output")
_YES_NO = {"yes": True, "no": False}
_REMOVE = "none"


def creation_of(form: Form, *, operator: bool) -> ProviderCreate:
    """Parse the form of a new provider. Raises `InvalidForm`."""
    fields = {name: form.text(name) for name in ("name", "kind", "base_url", "key") if form.text(name)}
    return parse(ProviderCreate, {**fields, **_read_advanced(form, (), operator=operator)})


def changes_of(form: Form, provider: Row, *, operator: bool) -> ProviderUpdate:
    """Parse the changes to a provider. An empty key, and empty headers, remain unchanged. Raises `InvalidForm`."""
    fields: dict[str, object] = {"base_url": form.text("base_url") or None, "enabled": "enabled" in form}
    if key := form.text("key"):
        fields["key"] = key
    return parse(ProviderUpdate, {**fields, **_read_advanced(form, provider.models or (), operator=operator)})


def form_of(provider: Row) -> Form:
    """Return a form filled in with a provider. Secrets are never shown."""
    names = ("base_url", "enabled", "shared", "plans", "concurrency")
    models = "\n".join(entry["id"] for entry in provider.models or ())
    return Form.of({**{name: getattr(provider, name) for name in names}, "models": models})


def stored_names(secrets: Sequence[str], kind: str) -> list[str]:
    """Return the names of the stored headers or query parameters."""
    return [name.partition(".")[2] for name in secrets if name.startswith(f"{kind}.")]


def _read_advanced(form: Form, entries: Sequence[Mapping[str, object]], *, operator: bool) -> dict[str, object]:
    """Return the advanced settings that the form has. Models that were listed before keep their entries."""
    if "models" not in form:
        return {}
    existing = {entry["id"]: entry for entry in entries}
    names = dict.fromkeys(form.text("models").split())
    fields: dict[str, object] = {
        "models": [existing.get(name, {"id": name}) for name in names] or None,
        "concurrency": form_number(form.text("concurrency")),
    }
    for name in ("headers", "query"):
        if text := form.text(name):
            fields[name] = None if text == _REMOVE else _pairs(name, text)
    if operator:
        fields |= {"shared": "shared" in form, "plans": form.list("plans") or None}
    return fields


def _pairs(field: str, text: str) -> dict[str, str]:
    """Parse lines such as `name: value`. Raises `InvalidForm`."""
    pairs: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.split("\n"))):
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            # The line may contain a secret, so the message does not repeat it.
            raise InvalidForm(
                _("{field}: write each line as name: value").format(field=field),
                {field: _("Write each line as name: value.")},
            )
        pairs[name.strip()] = value.strip()
    return pairs


def entry_of(form: Form) -> dict[str, object]:
    """Parse what the form says of one model. Raises `InvalidForm`."""
    prices = {part: form.optional(f"price_{part}") for part in _PRICES}
    fields = {
        "id": form.text("id"),
        "context_tokens": form_number(form.text("context_tokens")),
        "max_output_tokens": form_number(form.text("max_output_tokens")),
        "input": form.list("input") or None,
        "tools": _YES_NO.get(form.text("tools")),
        "reasoning": _YES_NO.get(form.text("reasoning")),
        "price": _price(prices) if any(prices.values()) else None,
    }
    return parse(HostedModelSettings, fields).model_dump()


def _price(prices: Mapping[str, str | None]) -> dict[str, object]:
    filled = {part: price for part, price in prices.items() if price is not None}
    try:
        return parse(PriceSettings, filled).model_dump()
    except InvalidForm as error:
        fields = {f"price_{part}": _("Write an amount in USD, such as 1.25.") for part in error.fields}
        raise InvalidForm(_("price: write amounts in USD, such as 1.25, for reading and writing."), fields) from error


def form_of_model(entry: Mapping[str, Any]) -> Form:
    """Return a form filled in with what was set of a model."""
    price = entry.get("price") or {}
    names = ("context_tokens", "max_output_tokens", "input")
    chosen = {name: entry[name] for name in ("tools", "reasoning") if entry.get(name) is not None}
    answers = {name: "yes" if value else "no" for name, value in chosen.items()}
    values = {name: entry.get(name) for name in names}
    return Form.of({**values, **answers, **{f"price_{part}": price.get(part) for part in _PRICES}})
