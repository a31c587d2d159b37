"""`client.schedules`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class SchedulesRuns:
    """`client.schedules.runs`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> Listing[types.ScheduleRun]:
        """List the due times that were handled, newest first, and what came of each.

        Needs the scope `agents:read`.
        """
        return self._transport.listing(
            Call("GET", path_of("/schedules/{}/runs", id), query={**query}), types.ScheduleRun
        )


class AsyncSchedulesRuns:
    """`client.schedules.runs`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> AsyncListing[types.ScheduleRun]:
        """List the due times that were handled, newest first, and what came of each.

        Needs the scope `agents:read`.
        """
        return self._transport.listing(
            Call("GET", path_of("/schedules/{}/runs", id), query={**query}), types.ScheduleRun
        )


class Schedules:
    """`client.schedules`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.runs = SchedulesRuns(transport)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.ScheduleCreate]) -> types.Schedule:
        """Have an agent run, or a fleet deployed, by a cron expression or at a single date.

        Needs the scope `agents:write`.
        """
        return self._transport.record(
            Call("POST", "/schedules", takes_key=True, key=idempotency_key, body={**body}), types.Schedule
        )

    def retrieve(self, id: int, /) -> types.Schedule:
        """Get one schedule.

        Needs the scope `agents:read`.
        """
        return self._transport.record(Call("GET", path_of("/schedules/{}", id)), types.Schedule)

    def update(self, id: int, /, **body: Unpack[types.ScheduleUpdate]) -> types.Schedule:
        """Change the fields that are sent. From then on the schedule does what this credential may do.

        Needs the scope `agents:write`.
        """
        return self._transport.record(Call("PUT", path_of("/schedules/{}", id), body={**body}), types.Schedule)

    def delete(self, id: int, /) -> types.ScheduleDeleted:
        """Delete the schedule and its history. What it has begun goes on.

        Needs the scope `agents:write`.
        """
        return self._transport.record(Call("DELETE", path_of("/schedules/{}", id)), types.ScheduleDeleted)

    def pause(self, id: int, /, *, idempotency_key: str | None = None) -> types.Schedule:
        """Have the schedule fire no more until it is resumed. What it has begun goes on.

        Needs the scope `agents:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/schedules/{}/pause", id), takes_key=True, key=idempotency_key), types.Schedule
        )

    def resume(self, id: int, /, *, idempotency_key: str | None = None) -> types.Schedule:
        """Have the schedule fire again, from its next due time on. Those that passed meanwhile are not made up
        for.

        Needs the scope `agents:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/schedules/{}/resume", id), takes_key=True, key=idempotency_key), types.Schedule
        )

    def run(self, id: int, /, *, idempotency_key: str | None = None) -> types.ScheduleRun:
        """Fire the schedule now, even while it is paused or a run is going on. Its due times stay as they are.

        Needs the scope `agents:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/schedules/{}/run", id), takes_key=True, key=idempotency_key), types.ScheduleRun
        )

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Schedule]:
        """List your schedules, newest first.

        Needs the scope `agents:read`.
        """
        return self._transport.listing(Call("GET", "/schedules", query={**query}), types.Schedule)


class AsyncSchedules:
    """`client.schedules`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.runs = AsyncSchedulesRuns(transport)

    async def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[types.ScheduleCreate]
    ) -> types.Schedule:
        """Have an agent run, or a fleet deployed, by a cron expression or at a single date.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(
            Call("POST", "/schedules", takes_key=True, key=idempotency_key, body={**body}), types.Schedule
        )

    async def retrieve(self, id: int, /) -> types.Schedule:
        """Get one schedule.

        Needs the scope `agents:read`.
        """
        return await self._transport.record(Call("GET", path_of("/schedules/{}", id)), types.Schedule)

    async def update(self, id: int, /, **body: Unpack[types.ScheduleUpdate]) -> types.Schedule:
        """Change the fields that are sent. From then on the schedule does what this credential may do.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(Call("PUT", path_of("/schedules/{}", id), body={**body}), types.Schedule)

    async def delete(self, id: int, /) -> types.ScheduleDeleted:
        """Delete the schedule and its history. What it has begun goes on.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(Call("DELETE", path_of("/schedules/{}", id)), types.ScheduleDeleted)

    async def pause(self, id: int, /, *, idempotency_key: str | None = None) -> types.Schedule:
        """Have the schedule fire no more until it is resumed. What it has begun goes on.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/schedules/{}/pause", id), takes_key=True, key=idempotency_key), types.Schedule
        )

    async def resume(self, id: int, /, *, idempotency_key: str | None = None) -> types.Schedule:
        """Have the schedule fire again, from its next due time on. Those that passed meanwhile are not made up
        for.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/schedules/{}/resume", id), takes_key=True, key=idempotency_key), types.Schedule
        )

    async def run(self, id: int, /, *, idempotency_key: str | None = None) -> types.ScheduleRun:
        """Fire the schedule now, even while it is paused or a run is going on. Its due times stay as they are.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/schedules/{}/run", id), takes_key=True, key=idempotency_key), types.ScheduleRun
        )

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Schedule]:
        """List your schedules, newest first.

        Needs the scope `agents:read`.
        """
        return self._transport.listing(Call("GET", "/schedules", query={**query}), types.Schedule)
