"""Pages of voice rooms."""

from collections.abc import Sequence
from dataclasses import replace

from starlette.responses import Response

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, RetinueError
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, form_number, parse
from retinue.portal.live import live
from retinue.portal.names import agent_names
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.rooms.transcripts import lines_of
from retinue.portal.templating import render
from retinue.portal.voice import agents_to_choose, voice_of
from retinue.voice.event_feed import feed_topic
from retinue.voice.rooms.participants import Participants
from retinue.voice.rooms.schemas import RoomCreate, RoomJoin, RoomView
from retinue.voice.rooms.service import Rooms

pages = Pages(MenuEntry("Automate", "voice-rooms", gettext_noop("Rooms"), "audio-lines", "voice talk"))
_LINES = 200
"""Maximum number of transcript lines on a page."""

_LONGEST_NAME = 60
_DONE = {
    "mute": gettext_noop("{name} is muted."),
    "unmute": gettext_noop("{name} can be heard again."),
    "remove": gettext_noop("{name} was sent out."),
}


@pages.get("/voice-rooms")
async def list_rooms(page: Page) -> Response:
    """List open or closed rooms, newest first."""
    return await page.render("rooms/list.html", **await _list_values(page))


@pages.get("/voice-rooms/live")
async def follow_rooms(page: Page) -> Response:
    """Stream the list as people join and leave."""

    async def show() -> tuple[str, bool]:
        return render("rooms/_list.html", **await _list_values(page)), False

    return await live(page, ["events"], show)


@pages.get("/voice-rooms/new")
async def show_new(page: Page) -> Response:
    """Show the form for a new room."""
    return await _show_form(page, Form.of({"agent_id": page.query.text("agent"), "max_participants": 10}))


@pages.post("/voice-rooms")
async def create_room(page: Page) -> Response:
    """Create a room."""
    form = await page.form()
    names = ("name", "voice_engine")
    numbers = {name: form_number(form.text(name)) for name in ("agent_id", "max_participants")}
    try:
        new = parse(RoomCreate, {**{name: form.optional(name) for name in names}, **numbers})
        room = await _rooms(page).create(new)
    except RetinueError as error:
        return await _show_form(page, form, place_error(error, {"agent_id": "agent_id"}))
    return page.redirect(f"/voice-rooms/{room.id}", _("The room is open."))


@pages.get("/voice-rooms/{id}")
async def show_room(page: Page) -> Response:
    """Show a room with its participants and transcript."""
    return await _show(page)


@pages.get("/voice-rooms/{id}/live")
async def follow_room(page: Page) -> Response:
    """Stream participants and transcript until the room is closed and empty."""
    room_id = page.path_id()

    async def show() -> tuple[str, bool]:
        rooms = _rooms(page)
        room, people = await rooms.get(room_id), await rooms.people(room_id)
        over = room.ended_at is not None and not people
        return render("rooms/_room.html", **await _values(page, room, people)), over

    return await live(page, [feed_topic("room", room_id), "events"], show)


@pages.post("/voice-rooms/{id}/people/{person_id}/{order}")
async def order_person(page: Page) -> Response:
    """Mute, unmute or remove a participant."""
    room_id, person_id, order = page.path_id(), page.path_id("person_id"), page.request.path_params["order"]
    people = Participants(_rooms(page))
    if order == "remove":
        person = await people.remove(room_id, person_id)
    elif order in {"mute", "unmute"}:
        person = await people.mute(room_id, person_id, muted=order == "mute")
    else:
        raise NotFound(_("There is no such page."))
    return page.redirect(f"/voice-rooms/{room_id}", _(_DONE[order]).format(name=person.name))


@pages.post("/voice-rooms/{id}/join")
async def join_room(page: Page) -> Response:
    """Redirect the user to the page that joins the room with a microphone."""
    account = await page.account()
    name = (account.name or account.email)[:_LONGEST_NAME]
    try:
        access = await _rooms(page).join(page.path_id(), RoomJoin(name=name))
    except RetinueError as error:
        return await _show(page, problem=error)
    return page.redirect(access.join_url.removeprefix(page.address))


@pages.post("/voice-rooms/{id}/invite")
async def invite(page: Page) -> Response:
    """Create an invitation link and show it."""
    form = await page.form()
    try:
        guest = parse(RoomJoin, {"name": form.text("name")})
        way = await _rooms(page).join(page.path_id(), guest)
    except RetinueError as error:
        return await _show(page, form, error)
    room = await _rooms(page).get(page.path_id())
    return await page.render("rooms/invitation.html", room=room, guest=guest.name, way=way)


@pages.post("/voice-rooms/{id}/close")
async def close_room(page: Page) -> Response:
    """Close a room and remove all participants."""
    room = await _rooms(page).close(page.path_id())
    return page.redirect(f"/voice-rooms/{room.id}", _("The room is closed."))


@pages.get("/voice-rooms/{id}/transcript")
async def download_transcript(page: Page) -> Response:
    """Return the whole transcript as a text file."""
    room = await _rooms(page).get(page.path_id())
    headers = {"Content-Disposition": f'attachment; filename="room-{room.id}.txt"'}
    return Response(f"{room.transcript}\n", headers=headers, media_type="text/plain; charset=utf-8")


def _rooms(page: Page) -> Rooms:
    return replace(page.service(Rooms), address=page.address)


async def _list_values(page: Page) -> dict[str, object]:
    paging, closed = page.paging(), page.query.text("state") == "closed"
    rooms, total = await (_rooms(page).closed_page if closed else _rooms(page).page)(paging.part)
    names = await agent_names(page, (room.agent_id for room in rooms))
    return {"rooms": rooms, "agents": names, "paging": paging.of(total), "closed": closed}


async def _values(page: Page, room: RoomView, people: Sequence[Row]) -> dict[str, object]:
    lines = room.transcript.splitlines()
    return {
        "room": room,
        "people": people,
        "agents": await agent_names(page, [room.agent_id]),
        "lines": lines_of(lines[-_LINES:]),
        "earlier": max(0, len(lines) - _LINES),
    }


async def _show(page: Page, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    rooms, room_id = _rooms(page), page.path_id()
    room_values = await _values(page, await rooms.get(room_id), await rooms.people(room_id))
    values = {**room_values, "form": form or Form(), "voice": voice_of(page.platform), "problem": problem}
    values["sip_address"] = rooms.sip_address(await rooms.row(room_id))
    return await page.render("rooms/room.html", problem.status if problem else 200, **values)


async def _show_form(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    values = {"form": form, "voice": voice_of(page.platform), "choices": await agents_to_choose(page)}
    return await page.render("rooms/form.html", problem.status if problem else 200, **values, problem=problem)
