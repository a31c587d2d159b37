"""The rules of webhook deliveries."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.check.statements import children_of
from retinue.core.database.statements import Statement
from retinue.webhooks.tables import deliveries, endpoints

RULES: Mapping[str, Statement] = {
    "an endpoint's count of deliveries is wrong": children_of(
        endpoints, endpoints.c.deliveries_count, deliveries, deliveries.c.endpoint_id
    ),
    "a delivery has ended and is pending, or the reverse": Statement(
        sa.select(deliveries.c.id).where(deliveries.c.ended_at.is_(None) != (deliveries.c.status == "pending"))
    ),
    "a delivery that has ended is still leased": Statement(
        sa.select(deliveries.c.id).where(deliveries.c.ended_at.is_not(None), deliveries.c.lease_owner.is_not(None))
    ),
}
