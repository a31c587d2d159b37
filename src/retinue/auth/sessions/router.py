"""Routes of sessions."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.auth.sessions.schemas import SessionDeleted, SessionsRevoked, SessionView
from retinue.auth.sessions.service import Sessions
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of

SessionId = Annotated[PathId, Path(description="ID of the session.")]
PageQuery = Annotated[Page, Query()]
_KINDS = ("key", "session")
"""OAuth tokens belong to apps. An app must not sign out its user."""

_sessions = of_caller(Sessions)

SessionsOfCaller = Annotated[Sessions, Depends(_sessions)]

api = Api("account", record=record_of(_sessions))


@api.get("/sessions", "*", response_model=Listing[SessionView], credentials=_KINDS)
async def list_sessions(page: PageQuery, sessions: SessionsOfCaller) -> ListEnvelope:
    """List your sessions, newest first."""
    return listing(await sessions.page(page), page)


@api.delete("/sessions", "*", response_model=Data[SessionsRevoked], credentials=_KINDS)
async def revoke_other_sessions(sessions: SessionsOfCaller) -> Envelope:
    """End all sessions except the one of this request. They stop working within a second."""
    return one({"revoked": await sessions.revoke_others()})


@api.get("/sessions/current", "*", response_model=Data[SessionView], credentials=("session",))
async def get_current_session(sessions: SessionsOfCaller) -> Envelope:
    """Retrieve the session of this request."""
    return one(await sessions.get(sessions.caller.credential_id))


@api.delete("/sessions/current", "*", response_model=Data[SessionDeleted], credentials=("session",))
async def sign_out(sessions: SessionsOfCaller) -> Envelope:
    """End the session of this request."""
    return one({"id": await sessions.sign_out(), "deleted": True})


@api.get("/sessions/{id}", "*", response_model=Data[SessionView], credentials=_KINDS)
async def get_session(id: SessionId, sessions: SessionsOfCaller) -> Envelope:
    """Retrieve a session."""
    return one(await sessions.get(id))


@api.delete("/sessions/{id}", "*", response_model=Data[SessionDeleted], credentials=_KINDS)
async def revoke_session(id: SessionId, sessions: SessionsOfCaller) -> Envelope:
    """End a session. It stops working within a second."""
    await sessions.revoke(id)
    return one({"id": id, "deleted": True})
