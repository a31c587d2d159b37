"""Lists the records that are removed or merged by age, with their retention periods."""

from datetime import timedelta

from retinue.account_data.expiry import (
    remove_calls,
    remove_conversations,
    remove_deployments,
    remove_rooms,
    remove_runs,
)
from retinue.auth.audit.service import remove_entries
from retinue.auth.sessions.tokens import remove_sessions
from retinue.auth.sign_in.links import remove_links
from retinue.core.idempotency.keys import KEPT, remove_keys
from retinue.core.work.retention import RetentionRule
from retinue.oauth.expiry import remove_codes, remove_grants, remove_tokens
from retinue.oauth.registration import UNUSED_LIFE, remove_unused
from retinue.request_log.service import remove_requests
from retinue.runs.approvals.expiry import remove_approvals
from retinue.schedules.expiry import remove_schedule_runs
from retinue.settings import Settings
from retinue.usage.ledger import merge_old
from retinue.webhooks.expiry import remove_deliveries, remove_events


def expiring_records(settings: Settings) -> tuple[RetentionRule, ...]:
    """Return the kinds of expiring records with their retention periods."""
    history = timedelta(days=settings.history_days)
    return (
        RetentionRule("deliveries", history, remove_deliveries),
        RetentionRule("events", history, remove_events),
        RetentionRule("approvals", history, remove_approvals),
        RetentionRule("schedule runs", history, remove_schedule_runs),
        RetentionRule("audit entries", timedelta(days=settings.audit_days), remove_entries),
        RetentionRule("requests", timedelta(days=settings.request_log_days), remove_requests),
        RetentionRule("idempotency keys", KEPT, remove_keys),
        RetentionRule("usage", timedelta(days=40), merge_old),
        RetentionRule("sessions", timedelta(days=90), remove_sessions),
        RetentionRule("sign-in links", timedelta(days=1), remove_links),
        RetentionRule("OAuth tokens", timedelta(hours=1), remove_tokens),
        RetentionRule("OAuth codes", timedelta(hours=1), remove_codes),
        RetentionRule("OAuth grants", timedelta(days=1), remove_grants),
        RetentionRule("unused OAuth apps", UNUSED_LIFE, remove_unused),
        *(_old_work(timedelta(days=settings.runs_days)) if settings.runs_days else ()),
    )


def _old_work(kept: timedelta) -> tuple[RetentionRule, ...]:
    return (
        RetentionRule("conversations", kept, remove_conversations),
        RetentionRule("deployments", kept, remove_deployments),
        RetentionRule("runs", kept, remove_runs),
        RetentionRule("calls", kept, remove_calls),
        RetentionRule("rooms", kept, remove_rooms),
    )
