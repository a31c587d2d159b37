"""Incoming calls whose numbers arrive in the spellings of carriers, with no sound."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from retinue.agents.schemas import AgentCreate
from retinue.agents.service import Agents
from retinue.core.errors import ValidationFailed
from retinue.voice.calls.destinations import parse_destination
from retinue.voice.do_not_call.schemas import DoNotCallCreate
from retinue.voice.do_not_call.service import DoNotCall
from retinue.voice.trunks import Trunks
from tests.support.model_server import ModelServer
from tests.support.waiting import until
from tests.voice.calling import Exchange, running_exchange

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHOP, ADA = "+441632960000", "+441632960123"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def exchange(tmp_path_factory: pytest.TempPathFactory, own_model: ModelServer) -> AsyncIterator[Exchange]:
    """The platform, with a number of a trunk that reaches an agent."""
    folder = tmp_path_factory.mktemp("exchange")
    async with running_exchange(folder / "home", own_model.url) as made:
        fields = {"agent_name": "Bell", "agent_role": "generalist", "voice_enabled": True}
        agent = await made.platform.services.of(Agents, made.caller).create(AgentCreate.model_validate(fields))
        trunks = folder / "trunks.toml"
        trunks.write_text(f'[a]\nhost = "a.example"\nuser = "u"\ninbound = {{ "{SHOP}" = {agent.id} }}\n')
        made.platform.inbound.trunks = Trunks.load(trunks)
        yield made


async def parties(exchange: Exchange, to: str, caller: str) -> tuple[str, str | None]:
    """Return the called and the calling side of a call with these headers, as the API shows them."""
    line = exchange.dial(to, caller)
    await until(lambda: exchange.has_said(line, "agent: "))
    line.end()
    call = await exchange.finish(line)
    return call.to, call.caller


@pytest.mark.parametrize(
    "to",
    [
        "<sip:+441632960000@a>",
        "<sip:441632960000@a>",
        "<sip:00441632960000@a;user=phone>",
        '"Shop" <sip:01632960000@a:5060;transport=udp>;tag=1',
        "<sip:01632%20960%20000@a>",
        "<sip:+44-1632-960000;phone-context=x@a>",
        "<tel:+44-1632-960000>",
    ],
)
async def test_a_number_reaches_its_agent_in_every_spelling(exchange: Exchange, model: ModelServer, to: str) -> None:
    assert await parties(exchange, to, "<sip:+441632960123@a>") == (SHOP, ADA)


@pytest.mark.parametrize(
    ("caller", "number"),
    [
        ('"Ada" <sip:01632960123@a;user=phone>;tag=1', ADA),
        ("<sip:441632960123@a>", ADA),
        ("<sip:00441632960123@a>", ADA),
        ("<sip:+44%201632%20960123@a>", ADA),
        ("<sip:33123456789@a>", "+33123456789"),
        ("<sip:anonymous@anonymous.invalid>", "sip:anonymous@anonymous.invalid"),
        ("<sip:1001@pbx.example;x=y>", "sip:1001@pbx.example"),
    ],
)
async def test_the_caller_is_recorded_by_number(
    exchange: Exchange, model: ModelServer, caller: str, number: str
) -> None:
    assert await parties(exchange, f"<sip:{SHOP}@a>", caller) == (SHOP, number)


async def test_a_softphone_is_a_number_only_if_it_says_so(exchange: Exchange, model: ModelServer) -> None:
    line = await exchange.ring()
    line.end()
    agent = f"agent-{(await exchange.finish(line)).agent_id}"
    callers = ("<sip:01632960123@a>", "<sip:01632960123@a;user=phone>", "<sip:+441632960123@a>")
    found = [await parties(exchange, f"<sip:{agent}@a>", caller) for caller in callers]
    assert found == [(agent, "sip:01632960123@a"), (agent, ADA), (agent, ADA)]


async def test_a_caller_put_on_the_do_not_call_list_is_not_called(exchange: Exchange, model: ModelServer) -> None:
    _, number = await parties(exchange, f"<sip:{SHOP}@a>", "<sip:01632960199@a>")
    numbers = exchange.platform.services.of(DoNotCall, exchange.caller)
    await numbers.add(DoNotCallCreate(number=str(number)))
    with pytest.raises(ValidationFailed, match="on your do-not-call list"):
        await exchange.platform.switchboard.outbound.admit(
            exchange.caller.account_id, parse_destination("+441632960199"), "hibari", simulated=True
        )
