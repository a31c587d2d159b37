"""The page that joins a room, when its connection breaks."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import ONE_DATABASE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader

PEER = """window.RTCPeerConnection = class extends EventTarget {
  iceGatheringState = "complete";
  localDescription = { sdp: "v=0" };
  constructor() { super(); window.peer = this; }
  addTrack() {}
  createOffer() {}
  setLocalDescription() {}
  setRemoteDescription() {}
  close() {}
  become(state) { this.connectionState = state; this.dispatchEvent(new Event("connectionstatechange")); }
}"""
"""A connection whose state the test sets."""
ADA = {"id": 7, "name": "Ada", "kind": "browser"}


def become(page: Page, state: str, text: str) -> None:
    """Set the state of the connection, and expect what the page says."""
    page.evaluate("state => peer.become(state)", state)
    expect(page.get_by_role("status")).to_have_text(text)


def join(page: Page) -> None:
    """Join the room."""
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("button", name="Mute")).to_be_visible()
    become(page, "connected", "You are in the room.")


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_a_connection_that_breaks_may_recover(reader: Reader, arrive: Arrive) -> None:
    participants = [ADA]
    state: dict[str, Any] = {"name": "Stand-up", "status": "active", "voice": "ready", "you": "Ada", "ice_servers": []}
    page = arrive(reader).page
    page.clock.install()
    page.add_init_script(PEER)
    page.route("**/state*", lambda route: route.fulfill(json={**state, "participants": participants}))
    page.route("**/whip", lambda route: route.fulfill(status=201, headers={"Location": "/rooms/1/whip/7"}, body="v=0"))
    page.goto("/rooms/1#token")

    join(page)
    become(page, "disconnected", "Reconnecting…")
    become(page, "connected", "You are in the room.")
    page.clock.fast_forward(10_000)
    expect(page.get_by_role("status")).to_have_text("You are in the room.")
    become(page, "disconnected", "Reconnecting…")
    page.clock.fast_forward(10_000)
    expect(page.get_by_role("status")).to_have_text("You have left the room.")

    join(page)
    become(page, "failed", "You have left the room.")

    join(page)
    participants.clear()
    page.clock.fast_forward(3_000)
    expect(page.get_by_role("status")).to_have_text("You have left the room.")
