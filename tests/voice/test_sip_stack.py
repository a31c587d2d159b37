"""The SIP stack of the media worker, message by message, without the rest of the server."""

from collections.abc import Iterator

import pytest

from tests.voice.sip_peer import Message, SipPeer, Stack, audio_port, hang_up, talk
from tests.voice.sipp import digest_is_right
from tests.voice.test_inbound_access import credentials

pytestmark = [pytest.mark.timeout(180)]


def test_a_call_is_not_renegotiated_without_need(stack: Stack, peer: SipPeer) -> None:
    talk(peer, stack)
    for _ in range(50):  # The stack would send its re-INVITE at most 300 ms after the ACK.
        peer.rtp.hear()
    peer.send("BYE", 77)
    assert peer.receive().status == 200
    stack.expect("closed")


def test_responses_go_to_where_the_request_came_from(stack: Stack, peer: SipPeer) -> None:
    peer.sent_by = "192.0.2.1:9"
    peer.target = peer.remote = f"sip:agent-1@127.0.0.1:{stack.port}"
    answer = peer.request("OPTIONS")
    assert answer.header("via").endswith(f"rport={peer.port};received=127.0.0.1")


def test_the_called_side_takes_part_in_session_timers(stack: Stack, peer: SipPeer) -> None:
    answer = peer.call("agent-1", "Supported: timer", "Session-Expires: 300")
    assert (answer.header("session-expires"), answer.header("require")) == ("300;refresher=uac", "timer")
    for method, body in (("UPDATE", ""), ("INVITE", peer.sdp())):
        refresh = peer.request(method, "Supported: timer", "Session-Expires: 200;refresher=uac", body=body)
        assert (refresh.status, refresh.header("session-expires")) == (200, "200;refresher=uac")
    hang_up(peer, stack)


def test_a_session_interval_that_is_too_short_is_refused(stack: Stack, peer: SipPeer) -> None:
    for headers in (["Supported: timer", "Session-Expires: 60"], ["Require: timer", "x: 89;refresher=uas"]):
        answer = peer.call("agent-1", *headers)
        assert (answer.status, answer.header("min-se")) == (422, "90")


def test_a_call_without_session_timers_gets_none(stack: Stack, peer: SipPeer) -> None:
    answer = peer.call("agent-1", "Supported: timer")
    assert (answer.status, answer.header("session-expires")) == (200, "")
    stack.tell("advance", 7200)
    hang_up(peer, stack)


def test_a_call_that_the_caller_does_not_refresh_ends(stack: Stack, peer: SipPeer) -> None:
    peer.call("agent-1", "Supported: timer", "Session-Expires: 300;refresher=uac")
    stack.expect("answered")
    stack.tell("advance", 269)
    peer.reply(peer.expect("BYE"), "200 OK")
    assert stack.expect("closed")["detail"] == "session expired"


def answer_call(stack: Stack, peer: SipPeer, *headers: str) -> None:
    """Have the stack call the telephone, which answers with these headers."""
    stack.tell("dial", peer.uri)
    invite = peer.await_call()
    assert (invite.header("session-expires"), invite.header("min-se")) == ("1800", "90")
    assert "timer" in invite.header("supported")
    peer.reply(invite, "200 OK", *headers, body=peer.sdp())
    peer.expect("ACK")
    stack.expect("answered")


def test_the_stack_refreshes_a_call_and_ends_it_if_that_fails(stack: Stack, peer: SipPeer) -> None:
    answer_call(stack, peer, "Require: timer", "Session-Expires: 1800;refresher=uac")
    for expires in (1800, 600):
        stack.tell("advance", 901)
        refresh = peer.expect("INVITE")
        assert refresh.header("session-expires") == "1800;refresher=uac"
        peer.reply(refresh, "200 OK", "Require: timer", f"Session-Expires: {expires};refresher=uac", body=peer.sdp())
        peer.expect("ACK")
    stack.tell("advance", 301)
    peer.reply(peer.expect("INVITE"), "422 Session Interval Too Small", "Min-SE: 700")
    stack.tell("advance", 60)
    refresh = peer.expect("INVITE")
    assert (refresh.header("session-expires"), refresh.header("min-se")) == ("700;refresher=uac", "700")
    peer.reply(refresh, "481 Call Does Not Exist")
    assert stack.expect("closed")["detail"].startswith("481")


def test_the_telephone_refreshes_a_call(stack: Stack, peer: SipPeer) -> None:
    answer_call(stack, peer, "Require: timer", "Session-Expires: 1800;refresher=uas")
    for _ in range(3):
        stack.tell("advance", 1700)
        refresh = peer.request("UPDATE", "Supported: timer", "Session-Expires: 1800;refresher=uac")
        assert refresh.header("session-expires") == "1800;refresher=uac"
    stack.tell("advance", 1769)
    peer.reply(peer.expect("BYE"), "200 OK")
    assert stack.expect("closed")["detail"] == "session expired"


def test_a_call_is_dialled_again_with_the_interval_that_the_telephone_requires(stack: Stack, peer: SipPeer) -> None:
    stack.tell("dial", peer.uri)
    peer.reply(peer.await_call(), "422 Session Interval Too Small", "Min-SE: 3600")
    invite = peer.await_call()
    assert (invite.header("session-expires"), invite.header("min-se")) == ("3600", "3600")
    peer.reply(invite, "422 Session Interval Too Small", "Min-SE: 7200")
    assert stack.expect("closed")["detail"].startswith("422")


def test_a_second_answer_of_a_forked_call_is_ended(stack: Stack, peer: SipPeer) -> None:
    stack.tell("dial", peer.uri)
    invite = peer.await_call()
    peer.reply(invite, "200 OK", body=peer.sdp())
    assert "tag=p1" in peer.expect("ACK").header("to")
    stack.expect("answered")
    for _ in range(2):  # the second answer is repeated, as if the ACK had been lost
        peer.reply(invite, "200 OK", f"Record-Route: <{peer.uri};lr>", body=peer.sdp(), tag="p2")
        for method, number in (("ACK", 0), ("BYE", 1)):
            request = peer.expect(method)
            assert "tag=p2" in request.header("to")
            assert request.header("cseq") == f"{int(invite.header('cseq').split()[0]) + number} {method}"
            assert request.header("route") == f"<{peer.uri};lr>"
        peer.reply(request, "200 OK")
    peer.rtp.hear()
    hang_up(peer, stack)


def test_an_answer_that_crosses_the_cancel_is_ended(stack: Stack, peer: SipPeer) -> None:
    stack.tell("dial", peer.uri)
    invite = peer.await_call()
    peer.reply(invite, "180 Ringing")
    stack.expect("ringing")
    stack.tell("hang_up")
    cancel = peer.expect("CANCEL")
    stack.expect("closed")
    peer.reply(invite, "200 OK", body=peer.sdp())
    peer.reply(cancel, "200 OK")
    assert "tag=p1" in peer.expect("ACK").header("to")
    peer.reply(peer.expect("BYE"), "200 OK")


def test_a_branch_that_answers_after_the_end_of_the_call_is_ended(stack: Stack, peer: SipPeer) -> None:
    stack.tell("dial", peer.uri)
    invite = peer.await_call()
    peer.reply(invite, "180 Ringing")
    stack.expect("ringing")
    stack.tell("hang_up")
    peer.reply(peer.expect("CANCEL"), "200 OK")
    peer.reply(invite, "487 Request Terminated")
    assert "tag=p1" in peer.expect("ACK").header("to")
    stack.expect("closed")
    peer.reply(invite, "200 OK", body=peer.sdp(), tag="p2")
    assert "tag=p2" in peer.expect("ACK").header("to")
    bye = peer.expect("BYE")
    assert "tag=p2" in bye.header("to")
    peer.reply(bye, "200 OK")


@pytest.mark.parametrize("answer", ["18 G729", "101 telephone-event", ""])
def test_an_answer_without_a_common_codec_ends_the_call(stack: Stack, peer: SipPeer, answer: str) -> None:
    stack.tell("dial", peer.uri)
    peer.reply(peer.await_call(), "200 OK", body=peer.sdp(codec=answer) if answer else "")
    peer.expect("ACK")
    peer.reply(peer.expect("BYE"), "200 OK")
    assert "codec" in stack.expect("closed")["detail"]


@pytest.mark.parametrize(
    "change", ["m=audio {port} RTP/AVP 18\r\n", "m=audio {port} RTP/AVP 101\r\na=rtpmap:101 telephone-event/8000\r\n",
               "m=image {port} udptl t38\r\n", "m=audio 0 RTP/AVP 0\r\nm=image {port} udptl t38\r\n"],
)  # fmt: skip
def test_an_offer_without_a_common_codec_is_refused_and_the_call_goes_on(
    stack: Stack, peer: SipPeer, change: str
) -> None:
    port = talk(peer, stack)
    offer = peer.sdp().partition("m=audio")[0] + change.format(port=peer.rtp.port)
    for method in ("INVITE", "UPDATE"):
        refusal = peer.request(method, body=offer)
        assert (refusal.status, refusal.header("warning")) == (488, '305 retinue "Incompatible media format"')
    peer.rtp.drain()
    assert peer.rtp.hear()
    answer = peer.request("INVITE", body=peer.sdp(codec="8 PCMA"))
    assert (answer.status, audio_port(answer)) == (200, port)
    hang_up(peer, stack)


@pytest.mark.parametrize(("body", "key"), [("5", "5"), ("#\r\n", "#"), ("d", "D"), ("10", "*"), ("15", "D")])
def test_info_presses_a_key(stack: Stack, peer: SipPeer, body: str, key: str) -> None:
    talk(peer, stack)
    kind = "application/dtmf" if key != "#" else "Application/DTMF; charset=utf-8"
    assert peer.request("INFO", body=body, kind=kind).status == 200
    assert stack.expect("key")["detail"] == key
    hang_up(peer, stack)


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [("application/dtmf", "16", 488), ("application/dtmf", "55", 488), ("text/plain", "5", 488)],
)
def test_info_without_a_key_is_refused(stack: Stack, peer: SipPeer, kind: str, body: str, status: int) -> None:
    talk(peer, stack)
    assert peer.request("INFO", body=body, kind=kind).status == status
    hang_up(peer, stack)


def test_keys_by_info_come_from_the_other_side_of_the_call_only(stack: Stack, peer: SipPeer) -> None:
    talk(peer, stack)
    remote, local = peer.remote, peer.local
    for peer.remote, peer.local in ((remote, f"{local}x"), (f"{remote}x", local)):
        assert peer.request("INFO", body="1", kind="application/dtmf").status == 481
    peer.remote, peer.local = remote, local
    assert peer.request("INFO", body="2", kind="application/dtmf").status == 200
    assert stack.expect("key")["detail"] == "2"
    hang_up(peer, stack)


def test_session_timers_over_tcp(stack: Stack) -> None:
    for _ in range(2):
        with SipPeer(stack.port, tcp=True) as peer:
            answer = peer.call("agent-1", "Supported: timer", "Session-Expires: 300;refresher=uas")
            assert (answer.header("session-expires"), answer.header("require")) == ("300;refresher=uas", "timer")
            update = peer.request("UPDATE", "Supported: timer", "Session-Expires: 90", body=peer.sdp())
            assert update.header("session-expires") == "90;refresher=uac"
            assert "m=audio" in update.body
            hang_up(peer, stack)


@pytest.mark.parametrize("status", [404, 480, 486, 503])
def test_a_refused_call_gets_its_status(stack: Stack, peer: SipPeer, status: int) -> None:
    stack.tell("react", status)
    stack.expect("reacts")
    assert peer.call("agent-1").status == status
    stack.tell("react", 0)
    stack.expect("reacts")


def test_a_caller_who_hangs_up_while_it_rings_is_told_so(stack: Stack, peer: SipPeer) -> None:
    stack.tell("react", 180)
    stack.expect("reacts")
    peer.target = f"sip:agent-1@127.0.0.1:{stack.port}"
    peer.remote = f"<{peer.target}>"
    peer.send("INVITE", 1, body=peer.sdp())
    stack.expect("incoming")
    peer.send("CANCEL", 1, branch="1INVITE")
    found: set[int] = set()
    while not {200, 487} <= found:
        found.add(peer.receive().status)
    peer.send("ACK", 1, branch="1INVITE")
    assert stack.expect("closed")
    stack.tell("react", 0)
    stack.expect("reacts")


@pytest.mark.parametrize(
    ("headers", "codec", "status"),
    [
        (["Require: 100rel"], "0 PCMU", 420),
        ([], "18 G729", 488),
        ([], "8 PCMA", 200),
        (["Require: timer"], "0 PCMU", 200),
    ],
)
def test_an_offer_is_accepted_or_refused_with_its_status(
    stack: Stack, peer: SipPeer, headers: list[str], codec: str, status: int
) -> None:
    assert peer.call("agent-1", *headers, body=peer.sdp(codec=codec)).status == status
    if status == 200:
        hang_up(peer, stack)


def test_branches_ring_and_the_first_to_answer_is_connected(stack: Stack, peer: SipPeer) -> None:
    stack.tell("dial", peer.uri)
    invite = peer.await_call()
    for tag in ("a", "b", "c"):
        peer.reply(invite, "180 Ringing", tag=tag)
    peer.reply(invite, "183 Session Progress", body=peer.sdp(), tag="b")
    stack.expect("ringing")
    peer.reply(invite, "200 OK", body=peer.sdp(), tag="p1")
    assert "tag=p1" in peer.expect("ACK").header("to")
    stack.expect("answered")
    peer.rtp.hear()
    hang_up(peer, stack)


TRUNK = {
    "name": "carrier",
    "user": "account",
    "auth_user": None,
    "secret": "open sesame",
    "caller_id": None,
    "register_": False,
    "transport": "udp",
    "codecs": ["pcmu"],
    "srtp": False,
}


def challenge(peer: SipPeer, nonce: str, *kinds: str) -> Message:
    """Answer the next INVITE with challenges. Returns the INVITE."""
    invite = peer.expect("INVITE")
    start = f'WWW-Authenticate: Digest realm="provider.example", nonce="{nonce}"'
    peer.reply(invite, "401 Unauthorized", *(f"{start}, {kind}" for kind in kinds))
    peer.expect("ACK")
    return invite


@pytest.mark.parametrize(
    "kinds",
    [
        ["algorithm=MD5"],
        ['qop="auth"'],
        ['qop="auth,auth-int", algorithm=MD5'],
        ['qop="auth", algorithm=SHA-256'],
        ['qop="auth", algorithm=SHA-256', 'qop="auth", algorithm=MD5'],
    ],
)
def test_a_provider_gets_the_proof_that_it_asks_for(kinds: list[str]) -> None:
    with SipPeer(0) as peer, Stack(trunks=[{**TRUNK, "host": f"127.0.0.1:{peer.port}"}]) as stack:
        stack.tell("dial", f"sip:+441632960123@127.0.0.1:{peer.port};transport=udp", "carrier")
        assert not challenge(peer, "a1", *kinds).header("authorization")
        second = challenge(peer, "b2", *(f"{kind}, stale=true" for kind in kinds))
        third = peer.expect("INVITE")
        peer.reply(third, "486 Busy Here")
        assert stack.expect("closed")["detail"].startswith("486")
    for invite, nonce in ((second, "a1"), (third, "b2")):
        assert f'nonce="{nonce}"' in invite.header("authorization")
        assert digest_is_right(invite.text, "INVITE", "account", "open sesame")
        assert ("SHA-256" in invite.header("authorization")) == ("SHA-256" in kinds[0])


@pytest.fixture(scope="module")
def guarded_stack(stack: Stack) -> Iterator[Stack]:
    """A stack with rules for callers. `stack` has seen to the voice environment."""
    numbers = {"+441632960000": {"networks": ["203.0.113.0/24"]}, "+441632960001": {"networks": ["127.0.0.0/8"]}}
    with Stack(access={"phones": {"users": {"desk": "swordfish"}}, "numbers": numbers}) as made:
        yield made


@pytest.mark.parametrize("algorithm", [0, 1], ids=["SHA-256", "MD5"])
def test_a_telephone_must_know_its_password(guarded_stack: Stack, algorithm: int) -> None:
    with SipPeer(guarded_stack.port) as peer:
        refused = peer.call("agent-1")
        assert refused.status == 401
        challenge = [value for name, value in refused.headers if name == "www-authenticate"][algorithm]
        wrong = credentials(challenge, password="guess")
        assert peer.call("agent-1", f"Authorization: {wrong}").status == 401
        answer = peer.call("agent-1", f"Authorization: {credentials(challenge)}")
        assert answer.status == 200
        assert "agent-1" in guarded_stack.expect("incoming")["incoming"]
        guarded_stack.expect("answered")
        refresh = peer.request("INVITE", body=peer.sdp())
        assert refresh.status == 200
        hang_up(peer, guarded_stack)


@pytest.mark.parametrize(
    "to",
    ["{};tag=1", "{};TAG=1", "{} ; tag = 1", '{};x=">;tag=1"', "{};tag", "{};x;tag=", '"a>;tag=1" {}', "{};tag=1>;y"],
)
def test_a_call_that_pretends_to_go_on_is_refused(guarded_stack: Stack, to: str) -> None:
    with SipPeer(guarded_stack.port) as peer:
        peer.target = f"sip:agent-1@127.0.0.1:{guarded_stack.port}"
        peer.remote = to.format(f"<{peer.target}>")
        assert peer.request("INVITE", body=peer.sdp()).status in (400, 401, 481)


def test_a_call_from_another_network_is_refused(guarded_stack: Stack) -> None:
    with SipPeer(guarded_stack.port) as peer:
        answer = peer.call("+441632960000")
        assert answer.status == 403
        peer.send("INVITE", 1, body=peer.sdp())  # a retransmission
        assert peer.receive().first == answer.first
        assert peer.call("+441632960001").status == 200
        assert "+441632960001" in guarded_stack.expect("incoming")["incoming"]
        hang_up(peer, guarded_stack)
