"""The operator's commands, and their execution in a process without a server."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from retinue.account_data.service import Deletions
from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.check.faults import find_faults
from retinue.control.backup import back_up
from retinue.control.client import CommandArgs
from retinue.control.server_load import describe_load
from retinue.core.database.interface import Database
from retinue.core.runtime.data_dir import DataDir
from retinue.files.store import FileStore
from retinue.platform.resources import OWNED, REVOKE, RULES, repair


@dataclass(frozen=True)
class Operator:
    """The objects that the operator's commands use. `address` is the URL of the server for its users."""

    address: str
    users: Users
    deletions: Deletions
    database: Database
    store: FileStore


Command = Callable[[Operator, CommandArgs], Awaitable[object]]


async def _create_user(on: Operator, args: CommandArgs) -> object:
    user = await on.users.create(args["email"], args.get("plan"))
    return {"email": user.email, "plan": user.plan}


async def _list_users(on: Operator, args: CommandArgs) -> object:
    return [
        {"email": user.email, "plan": user.plan, "suspended": user.suspended_at is not None}
        for user in await on.users.all()
    ]


async def _link_user(on: Operator, args: CommandArgs) -> object:
    return await on.users.link(args["email"])


async def _show_address(on: Operator, args: CommandArgs) -> object:
    return on.address


async def _reset_user(on: Operator, args: CommandArgs) -> object:
    return await on.users.link(args["email"], "reset", args.get("second_factor", False))


async def _change_plan(on: Operator, args: CommandArgs) -> None:
    await on.users.change_plan(args["email"], args["plan"] or "")


async def _suspend_user(on: Operator, args: CommandArgs) -> None:
    await on.users.suspend(args["email"])


async def _restore_user(on: Operator, args: CommandArgs) -> None:
    await on.users.suspend(args["email"], suspended=False)


async def _revoke_user(on: Operator, args: CommandArgs) -> None:
    await on.users.revoke(args["email"])


async def _promote_user(on: Operator, args: CommandArgs) -> None:
    await on.users.promote(args["email"])


async def _demote_user(on: Operator, args: CommandArgs) -> None:
    await on.users.demote(args["email"])


async def _delete_user(on: Operator, args: CommandArgs) -> None:
    await on.deletions.of_email(args["email"])


async def _create_key(on: Operator, args: CommandArgs) -> object:
    networks, days = args.get("networks", ()), args.get("expires_in_days")
    return str(await on.users.create_key(args["email"], args["scopes"], args["test"], args["name"], networks, days))


async def _rotate_key(on: Operator, args: CommandArgs) -> object:
    return str(await on.users.rotate_key(args["prefix"], args["overlap_days"]))


async def _list_keys(on: Operator, args: CommandArgs) -> object:
    return [row._asdict() for row in await on.users.keys(args["email"])]


async def _revoke_key(on: Operator, args: CommandArgs) -> None:
    await on.users.revoke_key(args["prefix"])


async def _check(on: Operator, args: CommandArgs) -> object:
    if args.get("repair"):
        await repair(on.database)
    return await find_faults(on.database, on.store, RULES)


async def _back_up(on: Operator, args: CommandArgs) -> object:
    return await back_up(on.database, on.store, DataDir(Path(args["home"])), DataDir(Path(args["folder"])))


async def _describe_load(on: Operator, args: CommandArgs) -> object:
    return await describe_load(on.database)


COMMANDS: Mapping[str, Command] = {
    "address": _show_address,
    "users.create": _create_user,
    "users.list": _list_users,
    "users.link": _link_user,
    "users.reset": _reset_user,
    "users.plan": _change_plan,
    "users.suspend": _suspend_user,
    "users.restore": _restore_user,
    "users.revoke": _revoke_user,
    "users.promote": _promote_user,
    "users.demote": _demote_user,
    "users.delete": _delete_user,
    "keys.create": _create_key,
    "keys.list": _list_keys,
    "keys.revoke": _revoke_key,
    "keys.rotate": _rotate_key,
    "check": _check,
    "backup": _back_up,
    "overview": _describe_load,
}


async def carry_out(
    address: str,
    home: DataDir,
    open_database: Callable[[], Awaitable[Database]],
    store: FileStore,
    plans: Plans,
    command: str,
    args: CommandArgs,
) -> object:
    """Execute a command in this process. Raises `DataDirBusy` if another process has the data folder."""
    home.acquire()
    try:
        database = await open_database()
        try:
            users, deletions = Users(database, plans, REVOKE), Deletions(database, REVOKE, OWNED)
            result = await COMMANDS[command](Operator(address, users, deletions, database, store), args)
            return orjson.loads(orjson.dumps(result, default=str))
        finally:
            await database.close()
    finally:
        home.release()
