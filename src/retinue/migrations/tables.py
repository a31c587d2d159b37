"""Imports all tables of the platform, which completes the metadata."""

from retinue.account_data.tables import jobs
from retinue.agents.tables import agents
from retinue.auth.audit.tables import audit_entries
from retinue.auth.tables import accounts, api_keys, recovery_codes, sessions, sign_in_links, users
from retinue.chat.tables import conversations
from retinue.connections.tables import connections
from retinue.core.database.counters import counters
from retinue.core.database.schema import metadata
from retinue.core.idempotency.table import requests
from retinue.core.work.events import events
from retinue.core.work.retention import expiries
from retinue.files.tables import files
from retinue.fleets.tables import deployments, fleets, parts
from retinue.knowledge.tables import collections, documents, passages
from retinue.knowledge.tables import sources as knowledge_sources
from retinue.knowledge.tables import words as knowledge_words
from retinue.marketplace.tables import installations, items, keys, ratings
from retinue.memory.tables import facts
from retinue.memory.tables import jobs as memory_jobs
from retinue.oauth.tables import apps, codes, grants, tokens
from retinue.providers.tables import local_activations, model_defaults, providers
from retinue.request_log.tables import api_requests
from retinue.runs.tables import approvals, messages, runs
from retinue.schedules.tables import schedule_runs, schedule_watch, schedules
from retinue.sharing.tables import publishable_keys, threads
from retinue.skills.tables import skills
from retinue.tools.imports.authorization.tables import authorizations
from retinue.tools.imports.tables import imported_tools, sources
from retinue.usage.tables import budget_uses, ledger, usage_days, usage_marks, usage_thresholds
from retinue.voice.calls.tables import call_turns, calls
from retinue.voice.rooms.tables import room_events, room_participants, rooms
from retinue.webhooks.tables import deliveries, endpoints
from retinue.workspace.tables import records, vectors, words

__all__ = [
    "accounts",
    "agents",
    "api_keys",
    "api_requests",
    "approvals",
    "apps",
    "audit_entries",
    "authorizations",
    "budget_uses",
    "call_turns",
    "calls",
    "codes",
    "collections",
    "connections",
    "conversations",
    "counters",
    "deliveries",
    "deployments",
    "documents",
    "endpoints",
    "events",
    "expiries",
    "facts",
    "files",
    "fleets",
    "grants",
    "imported_tools",
    "installations",
    "items",
    "jobs",
    "keys",
    "knowledge_sources",
    "knowledge_words",
    "ledger",
    "local_activations",
    "memory_jobs",
    "messages",
    "metadata",
    "model_defaults",
    "parts",
    "passages",
    "providers",
    "publishable_keys",
    "ratings",
    "records",
    "recovery_codes",
    "requests",
    "room_events",
    "room_participants",
    "rooms",
    "runs",
    "schedule_runs",
    "schedule_watch",
    "schedules",
    "sessions",
    "sign_in_links",
    "skills",
    "sources",
    "threads",
    "tokens",
    "usage_days",
    "usage_marks",
    "usage_thresholds",
    "users",
    "vectors",
    "words",
]
