"""`client.agents`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Literal, Unpack, overload

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._streams import AsyncStream, Stream
from retinue_client._transport import AsyncTransport, Transport


class AgentsRuns:
    """`client.agents.runs`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> Listing[types.Run]:
        """List the agent's runs, newest first.

        Needs the scope `agents:read`.
        """
        return self._transport.listing(Call("GET", path_of("/agents/{}/runs", id), query={**query}), types.Run)


class AsyncAgentsRuns:
    """`client.agents.runs`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> AsyncListing[types.Run]:
        """List the agent's runs, newest first.

        Needs the scope `agents:read`.
        """
        return self._transport.listing(Call("GET", path_of("/agents/{}/runs", id), query={**query}), types.Run)


class Agents:
    """`client.agents`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.runs = AgentsRuns(transport)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.AgentCreate]) -> types.Agent:
        """Create an agent.

        Needs the scope `agents:write`.
        """
        return self._transport.record(
            Call("POST", "/agents", takes_key=True, key=idempotency_key, body={**body}), types.Agent
        )

    def retrieve(self, id: int, /) -> types.Agent:
        """Get one agent.

        Needs the scope `agents:read`.
        """
        return self._transport.record(Call("GET", path_of("/agents/{}", id)), types.Agent)

    def update(self, id: int, /, **body: Unpack[types.AgentUpdate]) -> types.Agent:
        """Change the fields that are sent; null clears the task and the budgets, and detaches from the fleet.

        Needs the scope `agents:write`.
        """
        return self._transport.record(Call("PUT", path_of("/agents/{}", id), body={**body}), types.Agent)

    def delete(self, id: int, /) -> types.AgentDeleted:
        """Cancel the agent's runs and delete it.

        Needs the scope `agents:write`.
        """
        return self._transport.record(Call("DELETE", path_of("/agents/{}", id)), types.AgentDeleted)

    @overload
    def execute(
        self,
        id: int,
        /,
        *,
        stream: Literal[True],
        background: Literal[False] = False,
        idempotency_key: str | None = None,
        **body: Unpack[types.ExecuteRequest],
    ) -> Stream[types.ExecuteAgentChunk]: ...
    @overload
    def execute(
        self,
        id: int,
        /,
        *,
        stream: Literal[False] = False,
        background: Literal[True],
        idempotency_key: str | None = None,
        **body: Unpack[types.ExecuteRequest],
    ) -> types.Run: ...
    @overload
    def execute(
        self,
        id: int,
        /,
        *,
        stream: Literal[False] = False,
        background: Literal[False] = False,
        idempotency_key: str | None = None,
        **body: Unpack[types.ExecuteRequest],
    ) -> types.Executed | types.Run: ...
    def execute(
        self,
        id: int,
        /,
        *,
        stream: bool = False,
        background: bool = False,
        idempotency_key: str | None = None,
        **body: Unpack[types.ExecuteRequest],
    ) -> types.Executed | types.Run | Stream[types.ExecuteAgentChunk]:
        """Run the agent now and answer when it is done; or stream, or run in the background.

        A run that has to wait for an approval is answered with 202 as well, and goes on in the background.

        Needs the scope `agents:write`.
        """
        call = Call(
            "POST",
            path_of("/agents/{}/execute", id),
            takes_key=True,
            key=idempotency_key,
            body={**body, "stream": stream, "background": background},
        )
        if stream:
            chunks: Stream[types.ExecuteAgentChunk] = self._transport.stream(call, types.ExecuteAgentChunk)
            return chunks
        answer: types.Executed | types.Run = self._transport.by_status(call, {200: types.Executed, 202: types.Run})
        return answer

    def deploy(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.DeployRequest]
    ) -> types.Agent:
        """Start the agent on its task in the background; without a task it stands ready until it is stopped.

        Needs the scope `agents:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/agents/{}/deploy", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Agent,
        )

    def stop(self, id: int, /, *, idempotency_key: str | None = None) -> types.Agent:
        """End the agent's runs and return it to idle.

        Needs the scope `agents:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/agents/{}/stop", id), takes_key=True, key=idempotency_key), types.Agent
        )

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Agent]:
        """List your agents, newest first.

        Needs the scope `agents:read`.
        """
        return self._transport.listing(Call("GET", "/agents", query={**query}), types.Agent)


class AsyncAgents:
    """`client.agents`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.runs = AsyncAgentsRuns(transport)

    async def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.AgentCreate]) -> types.Agent:
        """Create an agent.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(
            Call("POST", "/agents", takes_key=True, key=idempotency_key, body={**body}), types.Agent
        )

    async def retrieve(self, id: int, /) -> types.Agent:
        """Get one agent.

        Needs the scope `agents:read`.
        """
        return await self._transport.record(Call("GET", path_of("/agents/{}", id)), types.Agent)

    async def update(self, id: int, /, **body: Unpack[types.AgentUpdate]) -> types.Agent:
        """Change the fields that are sent; null clears the task and the budgets, and detaches from the fleet.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(Call("PUT", path_of("/agents/{}", id), body={**body}), types.Agent)

    async def delete(self, id: int, /) -> types.AgentDeleted:
        """Cancel the agent's runs and delete it.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(Call("DELETE", path_of("/agents/{}", id)), types.AgentDeleted)

    @overload
    async def execute(
        self,
        id: int,
        /,
        *,
        stream: Literal[True],
        background: Literal[False] = False,
        idempotency_key: str | None = None,
        **body: Unpack[types.ExecuteRequest],
    ) -> AsyncStream[types.ExecuteAgentChunk]: ...
    @overload
    async def execute(
        self,
        id: int,
        /,
        *,
        stream: Literal[False] = False,
        background: Literal[True],
        idempotency_key: str | None = None,
        **body: Unpack[types.ExecuteRequest],
    ) -> types.Run: ...
    @overload
    async def execute(
        self,
        id: int,
        /,
        *,
        stream: Literal[False] = False,
        background: Literal[False] = False,
        idempotency_key: str | None = None,
        **body: Unpack[types.ExecuteRequest],
    ) -> types.Executed | types.Run: ...
    async def execute(
        self,
        id: int,
        /,
        *,
        stream: bool = False,
        background: bool = False,
        idempotency_key: str | None = None,
        **body: Unpack[types.ExecuteRequest],
    ) -> types.Executed | types.Run | AsyncStream[types.ExecuteAgentChunk]:
        """Run the agent now and answer when it is done; or stream, or run in the background.

        A run that has to wait for an approval is answered with 202 as well, and goes on in the background.

        Needs the scope `agents:write`.
        """
        call = Call(
            "POST",
            path_of("/agents/{}/execute", id),
            takes_key=True,
            key=idempotency_key,
            body={**body, "stream": stream, "background": background},
        )
        if stream:
            chunks: AsyncStream[types.ExecuteAgentChunk] = await self._transport.stream(call, types.ExecuteAgentChunk)
            return chunks
        answer: types.Executed | types.Run = await self._transport.by_status(
            call, {200: types.Executed, 202: types.Run}
        )
        return answer

    async def deploy(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.DeployRequest]
    ) -> types.Agent:
        """Start the agent on its task in the background; without a task it stands ready until it is stopped.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/agents/{}/deploy", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Agent,
        )

    async def stop(self, id: int, /, *, idempotency_key: str | None = None) -> types.Agent:
        """End the agent's runs and return it to idle.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/agents/{}/stop", id), takes_key=True, key=idempotency_key), types.Agent
        )

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Agent]:
        """List your agents, newest first.

        Needs the scope `agents:read`.
        """
        return self._transport.listing(Call("GET", "/agents", query={**query}), types.Agent)
