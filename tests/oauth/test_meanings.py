"""The consent page says what each scope opens: every operation of a scope has a word in its sentence."""

import pytest

from retinue.app import operations
from retinue.auth.caller import SCOPES
from retinue.oauth.meanings import MEANINGS

WORDS = {
    "DELETE /agents/{id}": "delete agents",
    "GET /agents": "agents",
    "GET /agents/{id}": "agents",
    "GET /agents/{id}/runs": "runs",
    "POST /agents": "create",
    "PUT /agents/{id}": "change",
    "POST /agents/{id}/deploy": "deploy",
    "POST /agents/{id}/execute": "execute",
    "POST /agents/{id}/stop": "stop",
    "GET /approvals": "approvals",
    "GET /approvals/{id}": "approvals",
    "POST /approvals/{id}": "decide approvals",
    "GET /runs": "runs",
    "GET /runs/{id}": "runs",
    "GET /runs/{id}/events": "runs",
    "POST /runs/{id}/cancel": "stop",
    "POST /runs/{id}/fork": "execute",
    "POST /runs/{id}/messages": "execute",
    "GET /schedules": "schedules",
    "GET /schedules/{id}": "schedules",
    "GET /schedules/{id}/runs": "schedules",
    "POST /schedules": "schedules",
    "PUT /schedules/{id}": "schedules",
    "DELETE /schedules/{id}": "schedules",
    "POST /schedules/{id}/pause": "schedules",
    "POST /schedules/{id}/resume": "schedules",
    "POST /schedules/{id}/run": "execute",
    "GET /chat": "conversations",
    "GET /chat/{conversation_id}": "conversations",
    "POST /chat": "chat as you",
    "DELETE /chat/{conversation_id}": "delete conversations",
    "PATCH /chat/{conversation_id}": "rename",
    "GET /models": "models",
    "GET /models/default": "models",
    "GET /files": "files",
    "GET /files/{id}": "files",
    "GET /files/{id}/content": "download",
    "POST /files": "upload",
    "DELETE /files/{id}": "delete files",
    "GET /knowledge/collections": "collections",
    "GET /knowledge/collections/{id}": "collections",
    "GET /knowledge/collections/{id}/documents": "documents",
    "GET /knowledge/collections/{id}/documents/{document_id}": "documents",
    "GET /knowledge/collections/{id}/documents/{document_id}/passages": "documents",
    "POST /knowledge/collections": "create",
    "PUT /knowledge/collections/{id}": "change",
    "DELETE /knowledge/collections/{id}": "delete collections",
    "POST /knowledge/collections/{id}/documents": "documents",
    "DELETE /knowledge/collections/{id}/documents/{document_id}": "delete collections",
    "POST /knowledge/collections/{id}/documents/{document_id}/refresh": "change",
    "GET /knowledge/collections/{id}/sources": "collections",
    "GET /knowledge/collections/{id}/sources/{source_id}": "collections",
    "POST /knowledge/collections/{id}/sources": "keep them in step",
    "PUT /knowledge/collections/{id}/sources/{source_id}": "keep them in step",
    "DELETE /knowledge/collections/{id}/sources/{source_id}": "delete collections",
    "POST /knowledge/collections/{id}/sources/{source_id}/sync": "keep them in step",
    "POST /knowledge/collections/{id}/search": "search",
    "POST /knowledge/search": "search",
    "GET /skills": "skills",
    "GET /skills/{id}": "skills",
    "GET /skills/{id}/content": "skills",
    "POST /skills": "skills",
    "PUT /skills/{id}": "skills",
    "DELETE /skills/{id}": "skills",
    "GET /memory": "agents remember",
    "GET /memory/{id}": "agents remember",
    "POST /memory": "agents remember",
    "POST /memory/search": "agents remember",
    "PUT /memory/{id}": "agents remember",
    "DELETE /memory/{id}": "agents remember",
    "GET /tools": "tools",
    "GET /tools/categories": "tools",
    "GET /tools/{name}": "tools",
    "POST /tools/{name}/execute": "execute tools",
    "GET /simulations": "simulations",
    "GET /simulations/{id}": "simulations",
    "GET /simulations/{id}/conversations": "simulations",
    "POST /simulations": "simulate",
    "POST /simulations/{id}/cancel": "simulate",
    "DELETE /simulations/{id}": "simulate",
    "GET /fleets": "fleets",
    "GET /fleets/{id}": "fleets",
    "GET /fleets/{id}/deployments": "deployments",
    "GET /fleets/{id}/deployments/{deployment_id}": "deployments",
    "GET /fleets/{id}/deployments/{deployment_id}/events": "deployments",
    "POST /fleets": "create",
    "PUT /fleets/{id}": "change",
    "DELETE /fleets/{id}": "delete",
    "POST /fleets/{id}/deploy": "deploy",
    "POST /fleets/{id}/deployments/{deployment_id}/cancel": "cancel deployments",
    "GET /marketplace": "browse",
    "GET /marketplace/{id}": "browse",
    "GET /marketplace/installed": "installed",
    "GET /marketplace/installed/{id}": "installed",
    "POST /marketplace/{id}/install": "install",
    "DELETE /marketplace/installed/{id}": "uninstall",
    "POST /marketplace/{id}/rating": "rate",
    "POST /marketplace": "publish",
    "PUT /marketplace/{id}": "change",
    "POST /marketplace/{id}/moderate": "withdraw",
    "GET /usage": "usage",
    "GET /usage/history": "usage",
    "GET /usage/export": "export",
    "GET /voice/batches": "batches of calls",
    "GET /voice/batches/{id}": "batches of calls",
    "GET /voice/batches/{id}/plan": "batches of calls",
    "GET /voice/batches/{id}/recipients": "batches of calls",
    "POST /voice/batches": "batches of calls",
    "DELETE /voice/batches/{id}": "delete batches",
    "POST /voice/batches/{id}/cancel": "control",
    "POST /voice/batches/{id}/pause": "control",
    "POST /voice/batches/{id}/resume": "control",
    "POST /voice/batches/{id}/start": "start",
    "GET /voice/do-not-call": "do-not-call list",
    "GET /voice/do-not-call/{id}": "do-not-call list",
    "POST /voice/do-not-call": "change your do-not-call list",
    "DELETE /voice/do-not-call/{id}": "change your do-not-call list",
    "GET /voice/calls": "calls",
    "GET /voice/calls/{id}": "calls",
    "GET /voice/calls/{id}/events": "what was said",
    "GET /voice/calls/{id}/turns": "what was said",
    "POST /voice/calls": "start calls",
    "POST /voice/calls/{id}/dtmf": "control",
    "POST /voice/calls/{id}/hangup": "control",
    "POST /voice/calls/{id}/hold": "control",
    "POST /voice/calls/{id}/resume": "control",
    "POST /voice/calls/{id}/transfer": "control",
    "GET /voice/rooms": "rooms",
    "GET /voice/rooms/{id}": "rooms",
    "GET /voice/rooms/{id}/events": "rooms",
    "GET /voice/rooms/{id}/participants": "who is in",
    "POST /voice/rooms": "create",
    "DELETE /voice/rooms/{id}": "delete rooms",
    "POST /voice/rooms/{id}/join": "join",
    "DELETE /voice/rooms/{id}/participants/{participant_id}": "remove participants",
    "POST /voice/rooms/{id}/participants/{participant_id}/mute": "mute",
    "POST /voice/rooms/{id}/participants/{participant_id}/unmute": "mute",
}
"""A word for each operation. A new operation needs one here, and in the sentence of its scope."""

LISTED = {f"{one.method} {one.path}": one.scope for one in operations() if one.scope != "*"}
TOOLS = ("agents:write", "chat:write", "fleets:write", "tools:execute")
"""The scopes with which tools run."""


def test_every_operation_of_a_limited_scope_has_a_word() -> None:
    assert WORDS.keys() == LISTED.keys()


def test_every_scope_has_a_sentence() -> None:
    assert MEANINGS.keys() == SCOPES


@pytest.mark.parametrize("operation", sorted(LISTED))
def test_the_sentence_of_a_scope_covers_its_operations(operation: str) -> None:
    assert WORDS[operation] in MEANINGS[LISTED[operation]]


@pytest.mark.parametrize("scope", TOOLS)
def test_the_effects_of_tools_are_shown_where_they_run(scope: str) -> None:
    for word in ("tools", "change", "delete", "data", "messages", "connections"):
        assert word in MEANINGS[scope]
