"""SQL statements for deletions and exports."""

import sqlalchemy as sa

from retinue.account_data.tables import OPEN, jobs
from retinue.auth.tables import accounts, users
from retinue.core.database.owned import BATCH
from retinue.core.database.portable_sql import unix_now
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.work.leases import LEASE_S, Leases
from retinue.files.tables import files
from retinue.fleets.tables import OPEN as DEPLOYMENT_OPEN
from retinue.fleets.tables import deployments

_USER = sa.bindparam("user", type_=BigInt)
_ACCOUNT = sa.bindparam("account", type_=BigInt)
_MOMENT = sa.bindparam("moment", type_=Instant)
_CLAIMED = (jobs.c.id == sa.bindparam("job", type_=BigInt), jobs.c.epoch == sa.bindparam("under", type_=BigInt), OPEN)

LEASES = Leases(jobs, open_work=OPEN, claimed={"status": "running"})
HOLD = Statement(sa.update(jobs).where(*_CLAIMED).values(lease_until=unix_now() + LEASE_S))
REST = Statement(
    sa.update(jobs)
    .where(*_CLAIMED)
    .values(lease_owner=None, lease_until=unix_now() + sa.bindparam("seconds", type_=sa.Double))
)
"""Releases a job so that jobs that wait longer get their turn first."""

END = Statement(
    sa.update(jobs)
    .where(*_CLAIMED)
    .values(
        status=sa.bindparam("outcome", type_=sa.String),
        file_id=sa.bindparam("file", type_=sa.String),
        error=sa.bindparam("reason", type_=sa.Text),
        ended_at=_MOMENT,
        lease_owner=None,
        lease_until=0.0,
    )
)
ADD = Statement(sa.insert(jobs).returning(jobs), ["kind", "user_id", "account_id", "status", "created_at"])

_EXPORT = (jobs.c.account_id == _ACCOUNT, jobs.c.kind == "export")
EXPORT = Statement(sa.select(jobs).where(jobs.c.id == sa.bindparam("job", type_=BigInt), *_EXPORT))
LATEST_EXPORT = Statement(sa.select(jobs).where(*_EXPORT).order_by(jobs.c.id.desc()).limit(1))
FORGET = Statement(sa.delete(jobs).where(jobs.c.id == sa.bindparam("job", type_=BigInt), *_EXPORT))
REMOVE_EXPORTS = Statement(sa.delete(jobs).where(jobs.c.user_id == _USER, jobs.c.kind == "export"))
FILES = Statement(
    sa.select(files.c.id, files.c.public_id, files.c.name)
    .where(files.c.account_id == _ACCOUNT, files.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(files.c.id)
    .limit(BATCH)
)

ANONYMISE_USER = Statement(
    sa.update(users)
    .where(users.c.id == _USER)
    .values(
        email=sa.bindparam("placeholder", type_=sa.String),
        name="",
        operator=False,
        password_hash=None,
        totp_secret=None,
        totp_pending=None,
        totp_step=None,
        suspended_at=_MOMENT,
        deleted_at=_MOMENT,
    )
)
USER = Statement(
    sa.select(users.c.id, users.c.email, users.c.name, users.c.plan, users.c.created_at).where(users.c.id == _USER)
)
ACCOUNTS = Statement(sa.select(accounts.c.id, accounts.c.sandbox).where(accounts.c.user_id == _USER))
LOCK_ACCOUNTS = Statement(sa.select(accounts.c.id).where(accounts.c.user_id == _USER).with_for_update())
"""Locks the accounts. Buffered writes need a shared lock, so they are either visible here or not written."""

REMOVE_USER = Statement(sa.delete(users).where(users.c.id == _USER))

OPEN_DEPLOYMENTS = Statement(
    sa.select(deployments.c.id).where(deployments.c.account_id == _ACCOUNT, DEPLOYMENT_OPEN).limit(10)
)
