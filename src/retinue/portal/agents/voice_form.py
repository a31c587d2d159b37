"""The section of the agent's form for telephone calls."""

import json
from collections.abc import Mapping, Sequence

from retinue.agents.daily_windows import DAYS
from retinue.agents.voice_settings import VoiceSettings
from retinue.language.translation import gettext_noop
from retinue.portal.agents.form_values import decimal_number, json_object
from retinue.portal.forms import Form, InvalidForm, form_number, parse

LANGUAGE_CHOICES = {
    "": gettext_noop("English, the default"),
    "en": gettext_noop("English"),
    "de": gettext_noop("German"),
    "fr": gettext_noop("French"),
    "es": gettext_noop("Spanish"),
    "it": gettext_noop("Italian"),
    "pt": gettext_noop("Portuguese"),
}


def voice_of_form(form: Form) -> dict[str, object] | None:
    """Parse the section; None if nothing is chosen. Raises `InvalidForm`."""
    turn = {name: decimal_number(form.text(f"voice_{name}")) for name in ("min_seconds", "max_wait")}
    fields: dict[str, object] = {
        "voice": form.optional("voice_voice"),
        "speed": decimal_number(form.text("voice_speed")),
        "language": form.optional("voice_language"),
        "end_of_turn": _without_none({"min_seconds": turn["min_seconds"], "max_seconds": turn["max_wait"]}) or None,
        "interruptible": False if "voice_uninterruptible" in form else None,
        "end_phrases": _lines(form, "voice_end_phrases"),
        "transfers": [_transfer(line) for line in _lines(form, "voice_transfers") or ()] or None,
        "hours": _hours(form),
        "fillers": _lines(form, "voice_fillers"),
        "filler_after_seconds": decimal_number(form.text("voice_filler_after_seconds")),
        "max_seconds": form_number(form.text("voice_max_seconds")),
        "consent": form.optional("voice_consent"),
        "voicemail_message": form.optional("voice_voicemail_message"),
        "summary": True if "voice_summary" in form else None,
        "extract": json_object(form, "voice_extract"),
        "success": form.optional("voice_success"),
    }
    try:
        return parse(VoiceSettings, _without_none(fields)).model_dump(exclude_none=True) or None
    except InvalidForm as error:
        names = {"end_of_turn": "voice_max_wait"}
        problems = {names.get(name, f"voice_{name}"): text for name, text in error.fields.items()}
        raise InvalidForm(f"voice: {error.message}", problems) from error


def fields_of_voice(voice: Mapping[str, object] | None) -> dict[str, object]:
    """Return the values of the section's inputs."""
    settings = VoiceSettings.model_validate(voice or {})
    simple = (
        "voice", "speed", "language", "filler_after_seconds", "max_seconds", "consent", "voicemail_message", "summary",
        "success",
    )  # fmt: skip
    turn, hours = settings.end_of_turn, settings.hours
    return {
        **{f"voice_{name}": getattr(settings, name) for name in simple},
        "voice_min_seconds": turn.min_seconds if turn else None,
        "voice_max_wait": turn.max_seconds if turn else None,
        "voice_uninterruptible": settings.interruptible is False,
        "voice_end_phrases": "\n".join(settings.end_phrases or ()),
        "voice_transfers": "\n".join(
            " ".join(filter(None, (one.name, one.to, one.description))) for one in settings.transfers or ()
        ),
        "voice_hours": "\n".join(f"{_days_text(one.days)} {one.start} {one.end}" for one in hours.windows)
        if hours
        else "",
        "voice_hours_timezone": hours.timezone if hours else None,
        "voice_hours_say": hours.say if hours else None,
        "voice_hours_transfer": hours.transfer if hours else None,
        "voice_fillers": "\n".join(settings.fillers or ()),
        "voice_extract": json.dumps(settings.extract, indent=2, ensure_ascii=False) if settings.extract else None,
    }


def _lines(form: Form, name: str) -> list[str] | None:
    return [line.strip() for line in form.text(name).splitlines() if line.strip()] or None


def _transfer(line: str) -> dict[str, str]:
    """Parse a line such as `sales +441632960123 Questions about prices`."""
    return dict(zip(("name", "to", "description"), line.split(maxsplit=2), strict=False))


def _hours(form: Form) -> dict[str, object] | None:
    windows = [_window(line) for line in _lines(form, "voice_hours") or ()]
    closed = {name: form.optional(f"voice_hours_{name}") for name in ("say", "transfer")}
    if not windows and not any(closed.values()):
        return None
    return _without_none({"windows": windows, "timezone": form.optional("voice_hours_timezone"), **closed})


def _window(line: str) -> dict[str, object]:
    """Parse a line such as `mon-fri 09:00 17:00` or `sat,sun 10:00 12:30`."""
    days, *times = line.lower().split(maxsplit=2)
    return {"days": _days(days), **dict(zip(("start", "end"), times, strict=False))}


def _days(text: str) -> list[str]:
    first, _, last = text.partition("-")
    if first in DAYS and last in DAYS:
        return list(DAYS[DAYS.index(first) : DAYS.index(last) + 1])
    return text.split(",")


def _days_text(days: Sequence[str]) -> str:
    is_range = len(days) > 2 and ",".join(days) in ",".join(DAYS)
    return f"{days[0]}-{days[-1]}" if is_range else ",".join(days)


def _without_none(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}
