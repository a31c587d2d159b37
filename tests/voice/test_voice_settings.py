"""The voice settings of agents."""

from typing import Any

import pytest
from pydantic import ValidationError

from retinue.agents.schemas import AgentCreate, AgentUpdate
from retinue.agents.voice_settings import VoiceSettings
from retinue.core.http.validation_messages import describe_fields
from retinue.portal.agents.voice_form import fields_of_voice, voice_of_form
from retinue.portal.forms import Form, InvalidForm
from retinue.voice.calls.analysis import analysis_schema
from retinue.voice.calls.manner import LANGUAGE_NAMES, PHRASES
from retinue.voice.speech.end_of_turn import contains_phrase
from tests.support.client import Client, data

FULL: dict[str, Any] = {
    "voice": "jm_kumo",
    "speed": 1.2,
    "language": "de",
    "end_of_turn": {"min_seconds": 0.4, "max_seconds": 3.0},
    "interruptible": False,
    "end_phrases": ["auf wiederhören"],
    "transfers": [
        {"name": "sales", "to": "+441632960123", "description": "Questions about prices"},
        {"name": "desk_2", "to": "sip:desk@example.com"},
    ],
    "hours": {
        "timezone": "Europe/Berlin",
        "windows": [
            {"days": ["mon", "tue", "wed", "thu", "fri"], "start": "09:00", "end": "17:00"},
            {"days": ["sat", "sun"], "start": "10:00", "end": "24:00"},
        ],
        "say": "Wir haben geschlossen.",
        "transfer": "sales",
    },
    "fillers": ["Ich sehe nach."],
    "filler_after_seconds": 0.5,
    "max_seconds": 600,
    "consent": "This call is recorded.",
    "voicemail_message": "Please call us back.",
    "summary": True,
    "extract": {"type": "object", "properties": {"order": {"type": "integer"}}},
    "success": "The order is cancelled.",
}


HOURS = FULL["hours"]


@pytest.mark.parametrize(
    ("voice", "reason"),
    [
        ({"speed": 9}, "voice.speed must be at most 2.0"),
        ({"language": "xx"}, "voice.language must be one of en, de"),
        ({"transfers": [{"name": "Sales!", "to": "+441632960123"}]}, "lower-case letters"),
        ({"transfers": [{"name": "sales", "to": "01632960123"}]}, "E.164"),
        ({"transfers": [{"name": "a", "to": "+441"}, {"name": "a", "to": "+442"}]}, "several destinations named a"),
        ({"end_of_turn": {"min_seconds": 3, "max_seconds": 1}}, "min_seconds above its max_seconds"),
        ({"extract": {"type": "array"}}, 'add "type": "object"'),
        ({"extract": {"type": "nonsense"}}, "not a valid JSON Schema"),
        ({"voicemail_message": " "}, "voice.voicemail_message"),
        ({"hours": {}}, "voice.hours.timezone, voice.hours.windows, voice.hours.say"),
        ({"hours": {**HOURS, "timezone": "Berlin"}}, "IANA time zone, such as Europe/Berlin"),
        ({"hours": {**HOURS, "windows": []}}, "voice.hours.windows"),
        ({"hours": {**HOURS, "windows": [{"start": "17:00", "end": "09:00"}]}}, "start must be before end"),
        ({"hours": {**HOURS, "windows": [{"start": "9", "end": "17:00"}]}}, "a time such as 09:00 or 17:30"),
        ({"hours": {**HOURS, "windows": [{"days": ["monday"], "start": "09:00", "end": "17:00"}]}}, "'mon', 'tue'"),
        ({"hours": {**HOURS, "say": " "}}, "voice.hours.say"),
        ({"hours": HOURS}, "the transfer of hours must be the name of a destination"),
        (
            {"hours": HOURS, "transfers": [{"name": "desk", "to": "+441632960123"}]},
            "add one of that name to transfers",
        ),
        ({"pitch": 1}, "voice.pitch is not a known field"),
    ],
)
def test_invalid_settings_are_refused_with_a_reason(voice: dict[str, Any], reason: str) -> None:
    for model in (AgentCreate, AgentUpdate):
        with pytest.raises(ValidationError) as refused:
            model.model_validate({"agent_name": "Bell", "agent_role": "leader", "voice": voice})
        assert reason in describe_fields(refused.value)


def test_settings_are_stored_and_reset(client: Client) -> None:
    agent = data(client.post("/agents", {"agent_name": "Bell", "agent_role": "leader", "voice": FULL}), 201)
    assert agent["voice"] == FULL
    path = f"/agents/{agent['id']}"
    assert data(client.put(path, {**agent, "agent_name": "Iris"}))["voice"] == FULL
    assert data(client.put(path, {"voice": None}))["voice"] is None


def test_the_form_keeps_every_setting() -> None:
    assert voice_of_form(Form.of(fields_of_voice(FULL))) == FULL
    assert voice_of_form(Form.of(fields_of_voice(None))) is None
    with pytest.raises(InvalidForm) as refused:
        voice_of_form(Form.of({"voice_transfers": "sales 0123"}))
    assert "voice_transfers" in refused.value.fields
    with pytest.raises(InvalidForm) as refused:
        voice_of_form(
            Form.of({"voice_hours": "mon-fri 9-17", "voice_hours_say": "Closed.", "voice_hours_timezone": "UTC"})
        )
    assert "voice_hours" in refused.value.fields


def test_every_language_has_its_sentences() -> None:
    for language in LANGUAGE_NAMES:
        assert VoiceSettings(language=language).language == language
        assert "{name}" in PHRASES[language].hello


def test_definitions_of_extracted_fields_stay_reachable() -> None:
    shared = {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"type": "string"}}}
    schema = analysis_schema(VoiceSettings(extract=shared, success="It is done."))
    assert schema["$defs"] == shared["$defs"]
    assert list(schema["properties"]) == ["extracted", "reason", "success"], "the reason comes before the verdict"


@pytest.mark.parametrize(
    ("text", "found"),
    [("Well, that is all, thanks.", True), ("THAT IS ALL!", True), ("That is almost all.", False), ("", False)],
)
def test_a_phrase_is_found_by_its_words(text: str, found: bool) -> None:
    assert contains_phrase(text, ["nothing else", "That is all"]) is found
