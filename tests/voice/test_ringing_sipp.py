"""Calls with SIPp, whose SIP is not the server's: what a call becomes, hold, keys, challenges, encryption."""

import re

import pytest

from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually
from tests.voice.sipp import (
    BYE_FROM_SERVER,
    PAUSE,
    Rtp,
    Sipp,
    await_reply,
    call,
    call_in,
    digest_is_right,
    receive,
    reply,
    request,
    sdp,
    take,
)
from tests.voice.telephone import call_of, finish, reach, start_call

pytestmark = [pytest.mark.timeout(180), pytest.mark.needs_program("sipp")]

CHALLENGE = 'Digest realm="provider.example", nonce="a1b2c3", algorithm=MD5'
BYE_TO_SERVER = [request("BYE", 9), await_reply(200)]


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("486 Busy Here", "busy"),
        ("600 Busy Everywhere", "busy"),
        ("603 Decline", "busy"),
        ("480 Temporarily Unavailable", "no_answer"),
        ("408 Request Timeout", "no_answer"),
        ("404 Not Found", "failed"),
        ("488 Not Acceptable Here", "failed"),
        ("503 Service Unavailable", "failed"),
        ("302 Moved Temporarily", "failed"),
    ],
)
def test_the_sip_answer_sets_the_status_of_the_call(caller: Client, answer: str, status: str) -> None:
    elsewhere = ["Contact: <sip:premium@127.0.0.1:9>"] if answer.startswith("302") else []
    with Sipp(receive("INVITE"), reply(answer, *elsewhere), receive("ACK")) as sipp:
        call = finish(caller, start_call(caller, sipp.uri))
        sipp.finish()
    assert (call["status"], call["error"]) == (status, answer)


def test_a_telephone_that_nobody_takes_stops_ringing(caller: Client) -> None:
    with Sipp(receive("INVITE"), reply("180 Ringing"), receive("CANCEL"), reply("200 OK"), PAUSE) as sipp:
        call = finish(caller, start_call(caller, sipp.uri))
        sipp.finish()
    assert (call["status"], call["error"]) == ("no_answer", "The call was not answered in time.")


@pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])
def test_the_other_side_hangs_up(caller: Client, tcp: bool) -> None:
    with Rtp() as rtp, Sipp(*take(rtp), PAUSE, *BYE_TO_SERVER, tcp=tcp) as sipp:
        call_id = start_call(caller, sipp.uri, greeting="Hello, it is me.")
        call = finish(caller, call_id)
        sipp.finish()
    assert (call["status"], call["error"], call["answered_at"] is not None) == ("completed", None, True)


@pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])
def test_the_api_hangs_up(caller: Client, tcp: bool) -> None:
    with Rtp() as rtp, Sipp(*take(rtp), *BYE_FROM_SERVER, tcp=tcp) as sipp:
        call_id = start_call(caller, sipp.uri, greeting="Hello, it is me.")
        rtp.hear()
        assert data(caller.post(f"/voice/calls/{call_id}/hangup"))["status"] == "completed"
        sipp.finish()


def test_the_other_side_holds_the_call_and_takes_it_up_again(caller: Client) -> None:
    with Rtp() as rtp:
        hold = [request("INVITE", 2, body=sdp(rtp.port, "sendonly")), await_reply(100, optional=True), await_reply(200)]
        resume = [request("INVITE", 3, body=sdp(rtp.port)), await_reply(100, optional=True), await_reply(200)]
        steps = [*take(rtp), PAUSE, *hold, request("ACK", 2), PAUSE, *resume, request("ACK", 3), *BYE_FROM_SERVER]
        with Sipp(*steps) as sipp:
            call_id = start_call(caller, sipp.uri, greeting="Hello. " * 20)
            eventually(lambda: len(sipp.receive("SIP/2.0 200")) == 2, within=30.0)
            rtp.hear()
            assert call_of(caller, call_id)["status"] == "in_progress"
            assert data(caller.post(f"/voice/calls/{call_id}/hangup"))["status"] == "completed"
            sipp.finish()
            held, resumed = sipp.receive("SIP/2.0 200")
    assert ("a=recvonly" in held, "a=sendrecv" in resumed) == (True, True)


@pytest.mark.parametrize("way", ["rtp", "info"])
def test_keys_come_by_rtp_and_by_info(caller: Client, model: ModelServer, way: str) -> None:
    model.obsession = Answer(text="Thank you.")
    with Rtp() as rtp:
        info = "Content-Type: application/dtmf-relay"
        keys = [
            step
            for number, key in enumerate("12" if way == "info" else "", 2)
            for step in (request("INFO", number, info, body=f"Signal={key}\nDuration=160\n"), await_reply(200))
        ]
        with Sipp(*take(rtp), PAUSE, *keys, *BYE_FROM_SERVER) as sipp:
            call_id = start_call(caller, sipp.uri, greeting="Press a key, please.")
            rtp.hear()
            if way == "rtp":
                rtp.press("12")
            eventually(lambda: "caller: [pressed 1 2]" in call_of(caller, call_id)["transcript"], within=30.0)
            caller.post(f"/voice/calls/{call_id}/hangup")
            sipp.finish()


@pytest.mark.parametrize(
    ("code", "header"), [("401 Unauthorized", "WWW"), ("407 Proxy Authentication Required", "Proxy")]
)
def test_a_provider_that_challenges_gets_the_proof(caller: Client, provider_port: int, code: str, header: str) -> None:
    with Rtp() as rtp:
        challenge = [receive("INVITE"), reply(code, f"{header}-Authenticate: {CHALLENGE}"), receive("ACK")]
        with Sipp(*challenge, *take(rtp), PAUSE, *BYE_TO_SERVER, port=provider_port) as sipp:
            call = finish(caller, start_call(caller, "+442079460123"))
            sipp.finish()
            first, second = sipp.receive("INVITE sip:+442079460123@")
    assert call["status"] == "completed"
    assert "uthorization:" not in first
    assert digest_is_right(second, "INVITE", "account", "open sesame")
    assert "From: <sip:+441632960001@" in second
    assert "open sesame" not in first + second


def test_encrypted_sound_or_no_call(caller: Client, encrypted_port: int) -> None:
    with Rtp() as rtp, Sipp(*take(rtp), *BYE_FROM_SERVER, port=encrypted_port) as sipp:
        call = finish(caller, start_call(caller, "+443069990123"))
        sipp.finish()
        (offer,) = sipp.receive("INVITE")
        assert not rtp.has_packets()
    assert re.search(r"m=audio \d+ RTP/SAVP ", offer)
    assert re.search(r"a=crypto:\d+ AES_CM_128_HMAC_SHA1_80 inline:[A-Za-z0-9+/=]{40}", offer)
    assert (call["status"], "audio connection" in call["error"]) == ("failed", True)


@pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])
def test_a_call_comes_in(caller: Client, sip_port: int, tcp: bool) -> None:
    body = {"agent_name": "Orchard", "agent_role": "generalist", "voice_enabled": True}
    agent = f"agent-{data(caller.post('/agents', body), 201)['id']}"
    target = f"127.0.0.1:{sip_port}"
    with Rtp() as rtp, Sipp(*call_in(agent, rtp), *BYE_FROM_SERVER, target=target, tcp=tcp) as sipp:
        rtp.hear()
        (only,) = data(caller.get("/voice/calls"))
        caller.post(f"/voice/calls/{only['id']}/hangup")
        sipp.finish()
    assert finish(caller, only["id"])["status"] == "completed"
    assert only["caller"].startswith("sip:sipp@127.0.0.1")


@pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])
def test_a_call_and_its_changes_come_in_without_an_offer(caller: Client, sip_port: int, tcp: bool) -> None:
    body = {"agent_name": "Orchard", "agent_role": "generalist", "voice_enabled": True, "greeting": "Hello. " * 40}
    agent = f"agent-{data(caller.post('/agents', body), 201)['id']}"
    with Rtp() as rtp:

        def ask(number: int) -> list[str]:
            ringing = [await_reply(100, optional=True), await_reply(180, optional=True)]
            return [call("INVITE", agent, number, told=number > 1), *ringing, await_reply(200)]

        def answer(number: int) -> str:
            return call("ACK", agent, number, body=sdp(rtp.port), told=True)

        early = [call("INVITE", agent, 3, told=True), await_reply(491)]
        refused = call("ACK", agent, 3, told=True).replace("[branch]", "[branch-2]")
        steps = [*ask(1), answer(1), PAUSE, *ask(2), *early, refused, answer(2), PAUSE, *ask(4), answer(4)]
        with Sipp(*steps, *BYE_FROM_SERVER, target=f"127.0.0.1:{sip_port}", tcp=tcp) as sipp:
            offers = eventually(lambda: [one for one in sipp.receive("SIP/2.0 200") if "4 INVITE" in one], within=30.0)
            rtp.hear()
            (only,) = data(caller.get("/voice/calls"))
            caller.post(f"/voice/calls/{only['id']}/hangup")
            sipp.finish()
    assert "m=audio" in offers[0]
    assert finish(caller, only["id"])["status"] == "completed"


def test_a_call_from_another_network_than_the_trunks_reaches_nobody(caller: Client, sip_port: int) -> None:
    steps = [call("INVITE", "+441632960500", 1, body=sdp(9)), await_reply(403)]
    steps.append(call("ACK", "+441632960500", 1, told=True))
    with Sipp(*steps, target=f"127.0.0.1:{sip_port}") as sipp:
        sipp.finish()
    assert data(caller.get("/voice/calls")) == []


def test_a_trunk_registers_with_proof(caller: Client, registrar: Sipp) -> None:
    def proven() -> list[str]:
        return [request for request in registrar.receive("REGISTER") if "Authorization:" in request]

    registration, *_ = eventually(proven, within=30.0)
    assert digest_is_right(registration, "REGISTER", "desk", "swordfish")
    first, *others = registrar.receive("REGISTER")
    assert "uthorization:" not in first
    assert "swordfish" not in "".join([first, *others])


def test_the_api_holds_a_call_and_takes_it_up_again(caller: Client) -> None:
    with Rtp() as rtp:
        follow = [
            step
            for direction in ("recvonly", "sendrecv")
            for step in (receive("INVITE"), reply("200 OK", body=sdp(rtp.port, direction)), receive("ACK"))
        ]
        with Sipp(*take(rtp), *follow, *BYE_FROM_SERVER) as sipp:
            call_id = start_call(caller, sipp.uri, greeting="Hello. " * 20)
            rtp.hear()
            assert data(caller.post(f"/voice/calls/{call_id}/hold"))["status"] == "in_progress"
            assert data(caller.post(f"/voice/calls/{call_id}/resume"))["status"] == "in_progress"
            rtp.hear()
            caller.post(f"/voice/calls/{call_id}/hangup")
            sipp.finish()
            _, hold, resume = sipp.receive("INVITE")
    assert ("a=sendonly" in hold, "a=sendrecv" in resume) == (True, True)
    refuse(caller.post(f"/voice/calls/{call_id}/hold"), 400, "not in progress", "completed")


def test_the_api_presses_keys(caller: Client) -> None:
    with Rtp() as rtp, Sipp(*take(rtp), *BYE_FROM_SERVER) as sipp:
        call_id = start_call(caller, sipp.uri, greeting="")
        reach(caller, call_id, "in_progress")
        data(caller.post(f"/voice/calls/{call_id}/dtmf", {"digits": "4#"}))
        assert rtp.keys(2) == "4#"
        caller.post(f"/voice/calls/{call_id}/hangup")
        sipp.finish()
    refuse(caller.post(f"/voice/calls/{call_id}/dtmf", {"digits": "4 5"}), 400, "digits")


@pytest.mark.parametrize(("outcome", "status"), [("200 OK", "completed"), ("603 Decline", "in_progress")])
def test_the_api_transfers_a_call(caller: Client, outcome: str, status: str) -> None:
    tell = [
        "Event: refer",
        "Subscription-State: terminated;reason=noresource",
        "Content-Type: message/sipfrag;version=2.0",
    ]
    notify = [request("NOTIFY", 2, *tell, body=f"SIP/2.0 {outcome}\n"), await_reply(200)]
    with Rtp() as rtp, Sipp(*take(rtp), receive("REFER"), reply("202 Accepted"), *notify, *BYE_FROM_SERVER) as sipp:
        call_id = start_call(caller, sipp.uri, greeting="")
        reach(caller, call_id, "in_progress")
        for to, why in (("sip:bob@example.com", "not allowed"), ("sip:bob@10.0.0.1", "RETINUE_ALLOWED_NETWORKS")):
            refuse(caller.post(f"/voice/calls/{call_id}/transfer", {"to": to}), 400, why)
        answer = caller.post(f"/voice/calls/{call_id}/transfer", {"to": "sip:carol@127.0.0.1:9"})
        if status == "in_progress":
            refuse(answer, 400, "failed", "603")
        assert call_of(caller, call_id)["status"] == status
        caller.post(f"/voice/calls/{call_id}/hangup")
        sipp.finish()
        (refer,) = sipp.receive("REFER")
    assert "Refer-To: sip:carol@127.0.0.1:9" in refer.replace("<", "")
