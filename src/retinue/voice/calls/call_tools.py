"""The tools of an agent on the telephone: ending and transferring the call, and keys in both directions."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from retinue.agents.voice_settings import VoiceSettings
from retinue.core.errors import NotFound, ValidationFailed
from retinue.runs.execution.session_tools import SessionResult
from retinue.runs.run_options import ClientTool
from retinue.voice.calls.conversation import VoiceConversation
from retinue.voice.calls.digits import DigitCollector, SecretDigits

END_CALL, TRANSFER_CALL, SEND_DTMF, COLLECT_DIGITS = "end_call", "transfer_call", "send_dtmf", "collect_digits"
NAMES = frozenset({END_CALL, TRANSFER_CALL, SEND_DTMF, COLLECT_DIGITS})

_FIRST_KEY_S = 15
_SAID_FIRST = "Sentence to say to the other side first."

FindAddress = Callable[[str], Awaitable[str]]
"""Returns the address to which a destination of the voice settings is transferred. Raises `RetinueError`."""


class CallControl(Protocol):
    """What the tools change on a call."""

    async def perform(self, do: str, **values: object) -> None:
        """Have the media worker do something, and wait until it is done. Raises `ValidationFailed`."""
        ...

    async def add_event(self, kind: str, **values: object) -> None:
        """Add an event to the call."""
        ...


@dataclass
class CallTools:
    """Executes the tools of one call. See `ToolHost`."""

    talk: VoiceConversation
    control: CallControl
    settings: VoiceSettings
    find_address: FindAddress
    digits: DigitCollector = field(default_factory=DigitCollector)
    secrets: SecretDigits = field(default_factory=SecretDigits)

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> SessionResult:
        """Execute a tool. Raises `RetinueError` with a message for the model."""
        match name:
            case "end_call":
                return self._end(arguments.get("last_sentence", ""))
            case "transfer_call":
                return await self._transfer(arguments["destination"], arguments.get("say", ""))
            case "send_dtmf":
                return await self._send_keys(arguments["digits"])
            case "collect_digits":
                return await self._collect(arguments)
        raise NotFound(f"There is no tool {name}.")

    def reveal(self, text: str) -> str:
        """Return a text with secret digits in place of their placeholders."""
        return self.secrets.reveal(text)

    def conceal(self, text: str) -> str:
        """Return a text with placeholders in place of secret digits."""
        return self.secrets.conceal(text)

    def _end(self, last_sentence: str) -> SessionResult:
        self.talk.ends_call = True
        return SessionResult({"status": "ending"}, last_sentence)

    async def forward(self, destination: str) -> None:
        """Transfer the call to a destination of the voice settings. Raises `RetinueError`."""
        await self._connect(destination, await self._address_of(destination))

    async def _transfer(self, destination: str, say: str) -> SessionResult:
        address = await self._address_of(destination)
        await self._announce(say)
        self.talk.ends_call = True
        try:
            await self._connect(destination, address)
        except ValidationFailed:
            self.talk.ends_call = False
            raise
        return SessionResult({"status": "transferred", "destination": destination}, "")

    async def _address_of(self, destination: str) -> str:
        named = next((one for one in self.settings.transfers or () if one.name == destination), None)
        if named is None:
            raise ValidationFailed(f"There is no destination {destination}.")
        return await self.find_address(named.to)

    async def _connect(self, destination: str, address: str) -> None:
        await self.control.perform("transfer", uri=address)
        await self.control.add_event("transferred", destination=destination)

    async def _send_keys(self, keys: str) -> SessionResult:
        await self._announce("")
        await self.control.perform("press", keys=keys)
        return SessionResult({"status": "sent", "digits": keys})

    async def _collect(self, arguments: dict[str, Any]) -> SessionResult:
        """Ask for keys. The prompt ends with the first one."""
        self.digits.open()
        try:
            await self.talk.announce(arguments.get("say", ""))
            keys = await self.digits.collect(
                arguments.get("length"),
                arguments.get("terminator", "#"),
                arguments.get("timeout_seconds", _FIRST_KEY_S),
            )
        finally:
            self.digits.close()
        is_secret = bool(arguments.get("secret"))
        await self.control.add_event("digits", digits=None if is_secret else keys, count=len(keys))
        if not keys:
            return SessionResult({"digits": "", "count": 0, "note": "The other side pressed no key."})
        if not is_secret:
            return SessionResult({"digits": keys, "count": len(keys)})
        note = "The digits are secret. Write this placeholder where another tool needs them."
        return SessionResult({"digits": self.secrets.add(keys), "count": len(keys), "note": note})

    async def _announce(self, text: str) -> None:
        if not await self.talk.announce(text):
            raise ValidationFailed("The other side interrupted you before the sentence ended.")


def offered_tools(settings: VoiceSettings) -> list[ClientTool]:
    """Describe the tools of a call for the model. Without destinations, the agent cannot transfer calls."""
    tools = [_tool_for_ending(), _tool_for_keys(), _tool_for_digits()]
    return [*tools, _tool_for_transfers(settings)] if settings.transfers else tools


def _tool_for_ending() -> ClientTool:
    last = {"type": "string", "maxLength": 500, "description": "Last sentence to say, such as a goodbye."}
    return _tool(
        END_CALL,
        "End the telephone call once its purpose is fulfilled or the other side wants to end it. Say goodbye in "
        "last_sentence, or leave it out if you have just said goodbye.",
        {"last_sentence": last},
    )


def _tool_for_transfers(settings: VoiceSettings) -> ClientTool:
    transfers = settings.transfers or []
    told = "; ".join(f"{one.name}: {one.description}" if one.description else one.name for one in transfers)
    where = {"type": "string", "enum": [one.name for one in transfers], "description": f"{told}."}
    say = {"type": "string", "maxLength": 500, "description": f"{_SAID_FIRST} Say to whom you connect the caller."}
    return _tool(
        TRANSFER_CALL,
        "Connect the other side with somebody else, and leave the call. If nobody answers, you stay in the call.",
        {"destination": where, "say": say},
        ["destination"],
    )


def _tool_for_keys() -> ClientTool:
    digits = {"type": "string", "pattern": "^[0-9A-D*#]{1,64}$", "description": "Keys 0 to 9, * and #."}
    about = "Press keys of the telephone, such as the keys that an automatic menu asks for."
    return _tool(SEND_DTMF, about, {"digits": digits}, ["digits"])


def _tool_for_digits() -> ClientTool:
    properties = {
        "say": {"type": "string", "maxLength": 500, "description": "Sentence that asks for the digits."},
        "length": {"type": "integer", "minimum": 1, "maximum": 32, "description": "Number of digits, if it is fixed."},
        "terminator": {
            "type": "string",
            "enum": ["#", "*"],
            "description": "Key that ends the input; by default, #.",
        },
        "secret": {
            "type": "boolean",
            "description": "Whether to keep the digits from you, as for a PIN or a card number. You get a placeholder "
            "for other tools.",
        },
        "timeout_seconds": {
            "type": "integer",
            "minimum": 3,
            "maximum": 60,
            "description": f"Seconds to wait for the first key; by default, {_FIRST_KEY_S}.",
        },
    }
    return _tool(
        COLLECT_DIGITS,
        "Ask the other side to type digits on the keys of the telephone, and wait for them.",
        properties,
    )


def _tool(name: str, description: str, properties: dict[str, object], required: list[str] | None = None) -> ClientTool:
    schema = {"type": "object", "properties": properties, "required": required or [], "additionalProperties": False}
    return ClientTool(name=name, description=description, parameters=schema)
