"""The `requestState` of calls that need input (2026-07-28): what the next request needs to go on with the call."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson

from retinue.core.runtime.clock import from_text, now, to_text
from retinue.core.runtime.vault import MasterKeyWrong, Vault
from retinue.interop.mcp.messages import INVALID_PARAMS, Message, ProtocolError

_LASTS = timedelta(hours=1)


@dataclass(frozen=True)
class RequestStates:
    """Encrypts states, bound to the call and the caller for an hour. `owner` names the credential and the account."""

    vault: Vault
    owner: str

    def seal(self, message: Message, fields: Mapping[str, object]) -> str:
        """Return the state of a call with these fields."""
        state = {**fields, "until": to_text(now() + _LASTS), "call": _digest(message)}
        return self.vault.seal(orjson.dumps(state).decode(), self._purpose)

    def open(self, message: Message) -> Mapping[str, Any]:
        """Return the fields of a state that this server issued for the same call and caller. Raises `ProtocolError`."""
        try:
            state = orjson.loads(self.vault.open_sealed(message.text("requestState"), self._purpose))
        except MasterKeyWrong:
            state = None
        if state is None or state["call"] != _digest(message) or from_text(state["until"]) < now():
            raise ProtocolError(
                INVALID_PARAMS, "params.requestState has expired, or belongs to another call. Call the tool again."
            )
        fields: Mapping[str, Any] = state
        return fields

    @property
    def _purpose(self) -> str:
        return f"MCP request state of {self.owner}"


def _digest(message: Message) -> str:
    called = [message.params.get("name"), message.params.get("arguments") or {}]
    return hashlib.sha256(orjson.dumps(called, option=orjson.OPT_SORT_KEYS)).hexdigest()
