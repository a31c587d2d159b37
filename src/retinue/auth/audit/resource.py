"""The audit log."""

from datetime import timedelta
from typing import TYPE_CHECKING

from retinue.auth.audit.deletion import OWNED
from retinue.auth.audit.router import api
from retinue.auth.audit.service import AuditLog, remove_entries
from retinue.auth.services import Services
from retinue.core.work.retention import RetentionRule
from retinue.platform.resource_declaration import Resource

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    services.provide(AuditLog, lambda caller: AuditLog(caller, platform.database))


resource = Resource(
    name="audit",
    apis=(api,),
    provide=_provide,
    owned=OWNED,
    retention=lambda settings: [RetentionRule("audit entries", timedelta(days=settings.audit_days), remove_entries)],
)
