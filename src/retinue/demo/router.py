"""Routes of the demo."""

from typing import Annotated

from fastapi import Depends

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, one
from retinue.core.http.operations import Api
from retinue.demo.schemas import DemoRemoved, DemoView
from retinue.demo.service import Demo
from retinue.runs.watching.sse_responses import wait_until_ended

DemoOfCaller = Annotated[Demo, Depends(of_caller(Demo))]

api = Api("demo")


@api.get("/demo", "*", response_model=Data[DemoView])
async def get_demo(demo: DemoOfCaller) -> Envelope:
    """Return the records of the demo."""
    return one(await demo.get())


@api.put("/demo", "*", response_model=Data[DemoView])
async def load_demo(demo: DemoOfCaller) -> Envelope:
    """Load the demo, and wait for the first answer of its agent.

    The demo is an agent that answers from three guides, a conversation with it, and a paused schedule. The account's
    default model gives the answer. What exists already is kept.
    """
    if live := await demo.load():
        await wait_until_ended(live)
    return one(await demo.get())


@api.delete("/demo", "*", response_model=Data[DemoRemoved])
async def remove_demo(demo: DemoOfCaller) -> Envelope:
    """Remove the demo. Documents that you added to its collection stay, and so does whatever you renamed."""
    await demo.remove()
    return one({"deleted": True})
