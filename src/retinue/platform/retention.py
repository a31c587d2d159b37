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
from retinue.core.work.retention import Expiring
from retinue.oauth.expiry import remove_codes, remove_grants, remove_tokens
from retinue.oauth.registration import UNUSED_LIFE, remove_unused
from retinue.request_log.service import remove_requests
from retinue.runs.approvals.expiry import remove_approvals
from retinue.schedules.expiry import remove_schedule_runs
from retinue.settings import Settings
from retinue.usage.ledger import merge_old
from retinue.webhooks.expiry import remove_deliveries, remove_events


def expiring_records(settings: Settings) -> tuple[Expiring, ...]:
    """Return the kinds of expiring records with their retention periods."""
    history = timedelta(days=settings.history_days)
    return (
        Expiring("deliveries", history, remove_deliveries),
        Expiring("events", history, remove_events),
        Expiring("approvals", history, remove_approvals),
        Expiring("schedule runs", history, remove_schedule_runs),
        Expiring("audit entries", timedelta(days=settings.audit_days), remove_entries),
        Expiring("requests", timedelta(days=settings.request_log_days), remove_requests),
        Expiring("idempotency keys", KEPT, remove_keys),
        Expiring("usage", timedelta(days=40), merge_old),
        Expiring("sessions", timedelta(days=90), remove_sessions),
        Expiring("sign-in links", timedelta(days=1), remove_links),
        Expiring("OAuth tokens", timedelta(hours=1), remove_tokens),
        Expiring("OAuth codes", timedelta(hours=1), remove_codes),
        Expiring("OAuth grants", timedelta(days=1), remove_grants),
        Expiring("unused OAuth apps", UNUSED_LIFE, remove_unused),
        *(_old_work(timedelta(days=settings.runs_days)) if settings.runs_days else ()),
    )


def _old_work(kept: timedelta) -> tuple[Expiring, ...]:
    return (
        Expiring("conversations", kept, remove_conversations),
        Expiring("deployments", kept, remove_deployments),
        Expiring("runs", kept, remove_runs),
        Expiring("calls", kept, remove_calls),
        Expiring("rooms", kept, remove_rooms),
    )
