"""A stand-in for a LiveKit server: its room service (Twirp over HTTP), the check of its tokens, and its webhooks.

It moves no sound. Messages and tokens are those of LiveKit's own Python libraries.
"""

import base64
import hashlib
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

import requests
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from livekit import api
from livekit.protocol import room as rooms
from livekit.protocol.models import ParticipantInfo, Room

from tests.support.http_server import QuietHandler, running

KEY, SECRET = "key", "the secret of the LiveKit server, in a test"
_SERVICE = "/twirp/livekit.RoomService/"


class TwirpRefusal(Exception):
    """An error of Twirp: a code and an HTTP status."""


class LiveKit:
    """Rooms and who is in them. `down` makes it answer no request."""

    def __init__(self) -> None:
        self.rooms: dict[str, dict[str, ParticipantInfo]] = {}
        self.most: dict[str, int] = {}
        self.down = self.quiet = False
        self.hook = self.url = ""
        self._numbers = itertools.count(1)

    def enter(self, token: str) -> ParticipantInfo:
        """A client connects with a token, as a browser would."""
        claims = api.TokenVerifier(KEY, SECRET).verify(token)
        assert claims.video
        assert claims.video.room_join
        assert claims.video.room in self.rooms
        return self.admit(claims.video.room, claims.identity, claims.name, ParticipantInfo.Kind.STANDARD)

    def admit(self, room: str, identity: str, name: str, kind: Any) -> ParticipantInfo:
        """Somebody is in a room from now on."""
        person = ParticipantInfo(sid=f"PA_{next(self._numbers)}", identity=identity, name=name, kind=kind)
        self.rooms[room][identity] = person
        self.tell("participant_joined", room, person)
        return person

    def drop(self, room: str, identity: str) -> None:
        """Somebody leaves."""
        self.tell("participant_left", room, self.rooms[room].pop(identity))

    def tell(self, event: str, room: str, person: ParticipantInfo | None = None) -> None:
        """Send a webhook, which must be taken, unless they are lost at present."""
        if not self.quiet:
            body = MessageToJson(api.WebhookEvent(event=event, room=Room(name=room), participant=person))
            assert self.send(body, sign(body)).status_code == 200

    def send(self, body: str, token: str | None) -> requests.Response:
        """Send a webhook as it is."""
        headers = {"Content-Type": "application/webhook+json", **({"Authorization": token} if token else {})}
        return requests.post(self.hook, data=body.encode(), headers=headers, timeout=60)

    def answer(self, method: str, body: bytes, token: str) -> Message:
        """Carry a request of the room service out. Raises `TwirpRefusal`."""
        if self.down:
            raise TwirpRefusal("unavailable", 503)
        grants = api.TokenVerifier(KEY, SECRET).verify(token).video
        assert grants
        match method:
            case "CreateRoom" if grants.room_create:
                wanted = rooms.CreateRoomRequest.FromString(body)
                self.rooms.setdefault(wanted.name, {})
                self.most[wanted.name] = wanted.max_participants
                return Room(name=wanted.name)
            case "DeleteRoom" if grants.room_create:
                self._delete(rooms.DeleteRoomRequest.FromString(body).room)
                return rooms.DeleteRoomResponse()
            case "ListRooms" if grants.room_list:
                known = [Room(name=name, num_participants=len(people)) for name, people in self.rooms.items()]
                return rooms.ListRoomsResponse(rooms=known)
        return self._administer(method, body, grants)

    def _administer(self, method: str, body: bytes, grants: api.VideoGrants) -> Message:
        kinds: dict[str, Any] = {
            "ListParticipants": rooms.ListParticipantsRequest,
            "UpdateParticipant": rooms.UpdateParticipantRequest,
            "RemoveParticipant": rooms.RoomParticipantIdentity,
        }
        asked = kinds[method].FromString(body)
        if not grants.room_admin or grants.room != asked.room:
            raise TwirpRefusal("permission_denied", 403)
        people = self.rooms.get(asked.room, {})
        if method == "ListParticipants":
            return rooms.ListParticipantsResponse(participants=people.values())
        if asked.identity not in people:
            raise TwirpRefusal("not_found", 404)
        if method == "RemoveParticipant":
            self.drop(asked.room, asked.identity)
            return rooms.RemoveParticipantResponse()
        people[asked.identity].permission.CopyFrom(asked.permission)
        return people[asked.identity]

    def _delete(self, room: str) -> None:
        if room not in self.rooms:
            raise TwirpRefusal("not_found", 404)
        for identity in list(self.rooms[room]):
            self.drop(room, identity)
        del self.rooms[room]
        self.tell("room_finished", room)


def sign(body: str, secret: str = SECRET) -> str:
    """The token that goes with a webhook."""
    digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
    return api.AccessToken(KEY, secret).with_sha256(digest).to_jwt()


@contextmanager
def running_livekit() -> Iterator[LiveKit]:
    """A stand-in that listens."""
    livekit = LiveKit()

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            body = self.read_body()
            method = self.path.removeprefix(_SERVICE)
            try:
                message = livekit.answer(method, body, self.headers["Authorization"].removeprefix("Bearer "))
                self.respond(message.SerializeToString(), {"Content-Type": "application/protobuf"})
            except TwirpRefusal as refusal:
                code, status = refusal.args
                self.respond_json({"code": code, "msg": code}, status)

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        livekit.url = f"ws://127.0.0.1:{server.server_port}"
        yield livekit
