"""Hosts the rooms whose audio this process mixes, and records who joins and leaves."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import AuthRequired, NotFound, Unavailable, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.tasks import cancel_all
from retinue.core.work.leases import RENEW_S
from retinue.core.work.notifier import Notifier
from retinue.usage.ledger import UsageEntry, record
from retinue.voice.media.service import MediaService
from retinue.voice.rooms import statements as sql
from retinue.voice.rooms.driver import RoomDriver, room_topic
from retinue.voice.rooms.feed import RoomFeed
from retinue.voice.rooms.replies import RoomReplies
from retinue.voice.rooms.tables import RoomRow
from retinue.voice.rooms.tokens import REMOVED, RoomTicket

__all__ = ["LocalRooms", "room_topic"]

_log = structlog.get_logger()
_SWEEP_S = 2.0
_LAST_CHANCE_S = 3.0

RepliesOf = Callable[[Row], Awaitable[RoomReplies | None]]
"""Returns the agent's replies for a room and its account; None for a room without an agent."""


CheckMinutes = Callable[[int], Awaitable[None]]
"""Raises `RateLimited` if an account has no voice minutes left."""


class LocalRooms:
    """Hosts rooms. `node` is the id of this process in participant rows."""

    def __init__(
        self,
        database: Database,
        notifier: Notifier,
        node: str,
        media: MediaService,
        touched: set[int],
        replies_of: RepliesOf,
        check_minutes: CheckMinutes,
        ice_servers: Sequence[str],
    ) -> None:
        self.notifier, self.ice_servers = notifier, ice_servers
        self.feed = RoomFeed(database, notifier)
        self._database, self._node, self._media, self._touched = database, node, media, touched
        self._replies_of, self._check_minutes = replies_of, check_minutes
        self._drivers: dict[int, RoomDriver] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def sip_address(self, room: RoomRow) -> str | None:
        """Return the SIP address to call to join a room; None if SIP is off."""
        return f"sip:room-{room.id}-{room.pin}@{self._media.sip}" if self._media.sip else None

    async def join_browser(self, ticket: RoomTicket, offer: str) -> tuple[int, str]:
        """Admit a browser with its SDP offer. Returns the participant's id and the SDP answer."""
        self._media.want()
        self._media.check_ready()
        participant = await self.enter(ticket.room_id, ticket.name, "browser", ticket.id or None)
        try:
            driver = await self._driver(ticket.room_id)
            return participant.id, await driver.connect(participant.id, ticket.name, offer)
        except BaseException:
            await self._release(participant.id)
            raise

    async def join_phone(self, room_id: int, pin: str, caller: str, line: str) -> None:
        """Admit a telephone that called the room. Raises `NotFound` if the PIN is wrong."""
        room = await self._database.lookup(sql.HELD, room=room_id)
        if room is None or room.pin != pin:
            raise NotFound("There is no such room.")
        participant = await self.enter(room_id, caller[:100], "phone")
        try:
            driver = await self._driver(room_id)
        except BaseException:
            await self._release(participant.id)
            raise
        driver.take(participant.id, caller[:100], line)

    async def enter(self, room_id: int, name: str, kind: str, identity: str | None = None) -> Row:
        """Record a new participant. `identity` is the id of a browser's token.

        Raises `AuthRequired` if somebody who joined with this token was removed, `NotFound`, `ValidationFailed` if the
        room is full or closed, `RateLimited` if its account has no voice minutes left, and `Unavailable` if another
        node hosts the room.
        """

        found = await self._database.lookup(sql.HELD, room=room_id)
        if found is None:
            raise NotFound("There is no such room.")
        await self._check_minutes(found.account_id)

        async def write(tx: Tx) -> Row:
            room = await tx.one(sql.LOCK, room=room_id)
            if room is None:
                raise ValidationFailed("The room is closed. Create a new one.")
            if identity and await tx.one(sql.REMOVED, room=room_id, token=identity):
                raise AuthRequired(REMOVED)
            if await tx.one(sql.ELSEWHERE, room=room_id, owner=self._node):
                raise Unavailable("Another server handles this room. Send the request to that server.")
            (inside,) = await tx.all(sql.IN_ROOM, room=room_id)
            if inside.participants >= room.max_participants:
                raise ValidationFailed(f"The room is full ({inside.participants} of {room.max_participants}).")
            fields = {"name": name, "kind": kind, "node": self._node, "joined_at": now()}
            fields |= {"identity": identity, "sid": None}
            (row,) = await tx.all(sql.ENTER, room_id=room_id, account_id=room.account_id, **fields)
            await self.feed.add(tx, room_id, "joined", participant_id=row.id, name=name, kind=kind)
            return row

        return await self._database.transact(write)

    async def leave(self, participant_id: int, gone: Row | None = None) -> None:
        """Record that a participant left, and bill their seconds. `gone` is their row if their node died."""

        async def write(tx: Tx) -> None:
            moment = now()
            row = await tx.one(sql.LEAVE, participant=participant_id, moment=moment, length=0)
            if row is None:
                return
            ended = gone.seen_at if gone else moment.timestamp()
            seconds = max(0, math.ceil(ended - row.joined_at.timestamp()))
            await tx.run(sql.SET_SECONDS, participant=participant_id, length=seconds)
            about = {"participant_id": row.id, "name": row.name, "seconds": seconds}
            await self.feed.add(tx, row.room_id, "left", **about)
            if await tx.one(sql.BILLED, account=row.account_id):
                await record(tx, row.account_id, UsageEntry("voice", count=1, milliseconds=seconds * 1000))
                tx.after_commit(lambda: self._touched.add(row.account_id))

        await self._database.transact(write)

    async def wait_until_closed(self, room_id: int) -> None:
        """Wait until a room hosted here has removed everybody, for a few seconds at most."""
        if task := self._tasks.get(room_id):
            await asyncio.wait([task], timeout=_LAST_CHANCE_S)

    async def run(self) -> None:
        """Record participants of dead nodes as gone, until cancelled; then empty the rooms of this process."""
        try:
            while True:
                try:
                    for row in await self._database.fetch(sql.GONE):
                        await self.leave(row.id, row)
                except DatabaseUnavailable as error:
                    _log.debug("rooms.not_swept", reason=error.message)
                await asyncio.sleep(_SWEEP_S)
        finally:
            await cancel_all(self._tasks.values())

    async def keep_leases(self) -> None:
        """Renew `seen_at` of the participants in this process's rooms, until cancelled."""
        while True:
            await asyncio.sleep(RENEW_S)
            try:
                await self._renew()
            except DatabaseUnavailable as error:
                _log.warning("rooms.not_seen", reason=error.message)

    async def _renew(self) -> None:
        held = [participant for driver in self._drivers.values() for participant in driver.participants]
        if held:
            await self._database.transact(lambda tx: tx.run(sql.SEEN, held=held))

    async def _release(self, participant_id: int) -> None:
        """Record that a participant left. If the database is unavailable, the sweep does that later."""
        try:
            await self.leave(participant_id)
        except DatabaseUnavailable as error:
            _log.warning("rooms.leave_not_recorded", participant=participant_id, reason=error.message)

    async def _driver(self, room_id: int) -> RoomDriver:
        """Return the driver of a room. Start to host the room if it does not run here yet."""
        if driver := self._drivers.get(room_id):
            return driver
        room = await self._database.lookup(sql.HELD, room=room_id)
        if room is None:
            raise NotFound(f"There is no room {room_id}.")
        try:
            replies = await self._replies_of(room)
        except NotFound:
            replies = None  # the agent was deleted
        if driver := self._drivers.get(room_id):
            return driver
        driver = RoomDriver(room, self._media, self._database, self.feed, replies, self._release)
        self._drivers[room_id] = driver
        task = self._tasks[room_id] = asyncio.create_task(self._attend(driver), name=f"room-{room_id}")
        task.add_done_callback(lambda _: self._forget(room_id))
        await driver.opened.wait()
        return driver

    async def _attend(self, driver: RoomDriver) -> None:
        try:
            await driver.drive()
        except Exception:  # noqa: BLE001 - no participant may stay recorded as present after any error
            _log.exception("task.failed", room=driver.room.id)
        finally:
            await driver.send_out()

    def _forget(self, room_id: int) -> None:
        self._drivers.pop(room_id, None)
        self._tasks.pop(room_id, None)
