"""Calls of MCP clients that another node carries out."""

import asyncio
from collections.abc import Mapping
from typing import Any

from retinue.core.work.notifier import Notifier
from retinue.interop.mcp.calls import CallResponse, RunningCalls
from retinue.interop.mcp.elicitation import Channel
from retinue.interop.mcp.messages import Message


async def work(_: Channel) -> Mapping[str, Any]:
    await asyncio.Event().wait()
    return {}


async def test_a_call_is_cancelled_or_left_from_another_node() -> None:
    here, there = Notifier(), Notifier()
    here.forward_to(there.wake_here)
    there.forward_to(here.wake_here)
    calls, others = RunningCalls(here), RunningCalls(there)
    first, second = (CallResponse(Message("tools/call", id=1), work, key) for key in ("a", "b"))
    calls.add(first)
    calls.add(second)
    here.wake_all_here()
    others.cancel("unknown")
    others.leave("b")
    others.leave("b")
    assert (first.left.done(), second.left.done()) == (False, True)
    others.cancel("a")
    await asyncio.wait({first.task})
    assert first.task.cancelled()
    assert not second.task.done()
    calls.cancel("b")
    await asyncio.wait({second.task})
    assert second.task.cancelled()
