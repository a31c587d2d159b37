"""Torturous SIP messages: the cases of RFC 4475 as bytes, and a few that no RFC has.

Each case is named as in RFC 4475. Where a case there depends on its addresses, they are those of this machine.
"""

from collections.abc import Iterable

_SDP = (
    "v=0\r\no=mhandley 29739 7272939 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
    "m=audio 49217 RTP/AVP 0 12\r\nm=video 3227 RTP/AVP 31\r\na=rtpmap:31 LPC/9000\r\n"
)


def _message(start: str, headers: Iterable[str], body: str = "", length: str | None = None) -> bytes:
    """A message; `length` is what Content-Length claims, "" to leave it out."""
    claimed = str(len(body.encode())) if length is None else length
    lines = [start, *headers, *([f"Content-Length: {claimed}"] if claimed else [])]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode("latin-1")


def _request(
    name: str,
    *more: str,
    method: str = "INVITE",
    uri: str = "sip:user@example.com",
    version: str = "SIP/2.0",
    body: str = _SDP,
    length: str | None = None,
    without: Iterable[str] = (),
    **changed: str,
) -> bytes:
    """An ordinary request with one thing about it that is not: `more` headers, `changed` ones, or ones `without`."""
    ordinary = {
        "Via": f"SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK{name}",
        "Max-Forwards": "70",
        "To": "sip:j.user@example.com",
        "From": f"sip:caller@example.net;tag={name}",
        "Call-ID": f"{name}.torture@127.0.0.1",
        "CSeq": f"8 {method}",
        "Contact": "<sip:caller@127.0.0.1:9>",
        "Content-Type": "application/sdp",
    }
    given = {header.replace("_", "-"): value for header, value in changed.items()}
    headers = {header: value for header, value in {**ordinary, **given}.items() if header not in without}
    listed = [*(f"{header}: {value}" for header, value in headers.items()), *more]
    return _message(f"{method} {uri} {version}", listed, body, length)


def _short_tortuous() -> bytes:
    return (
        b"INVITE sip:vivekg@chair-dnrc.example.com;unknownparam SIP/2.0\r\n"
        b"TO :\r\n sip:vivekg@chair-dnrc.example.com ;   tag    = 1918181833n\r\n"
        b'from   : "J Rosenberg \\\\\\""       <sip:jdrosen@example.com>\r\n  ;\r\n  tag = 98asjd8\r\n'
        b"MaX-fOrWaRdS: 0068\r\nCall-ID: wsinv.ndaksdj@192.0.2.1\r\nContent-Length   : 150\r\n"
        b"cseq: 0009\r\n  INVITE\r\n"
        b"Via  : SIP  /   2.0\r\n /UDP\r\n    127.0.0.1;branch=390skdjuw\r\ns :\r\n"
        b"NewFangledHeader:   newfangled value\r\n continued newfangled value\r\n"
        b"UnknownHeaderWithUnusualValue: ;;,,;;,;\r\nContent-Type: application/sdp\r\n"
        b"Route:\r\n <sip:services.example.com;lr;unknownwith=value;unknown-no-value>\r\n"
        b"v:  SIP  / 2.0  / TCP     spindle.example.com   ;\r\n  branch  =   z9hG4bK9ikj8  ,\r\n"
        b" SIP  /    2.0   / UDP  192.168.255.111   ; branch=\r\n z9hG4bK30239\r\n"
        b'm:"Quoted string \\"\\"" <sip:jdrosen@example.com> ; newparam =\r\n      newvalue ;\r\n'
        b"  secondparam ; q = 0.33\r\n\r\n"
        b"v=0\r\no=mhandley 29739 7272939 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\n"
        b"t=0 0\r\nm=audio 49217 RTP/AVP 0 12\r\nm=video 3227 RTP/AVP 31\r\na=rtpmap:31 LPC\r\n"
    )


def _multipart() -> bytes:
    body = (
        "--7a9cbec02ceef655\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: binary\r\n\r\nHello\r\n"
        "--7a9cbec02ceef655\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        "0\x82\x01R\x06\x09*\x86H\x86\xf7\r\x01\x07\x02\x00\xff\r\n--7a9cbec02ceef655--"
    )
    return _request(
        "mpart01",
        method="MESSAGE",
        body=body,
        length=str(len(body)),
        Content_Type="multipart/mixed;boundary=7a9cbec02ceef655",
    )


def _two_requests() -> bytes:
    """A REGISTER whose datagram goes on with an INVITE behind it."""
    return _request("dblreq", method="REGISTER", body="") + _request("dblreq2", method="INVITE")


_WEIRD_METHOD = "!interesting-Method0123456789_*+`.%indeed'~"
_WEIRD_USER = "1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*:&it+has=1,weird!*pas$wo~d_too.(doesn't-it)"
_LONG = "longparamvalue" * 18
_LARGE = "9" * 60

VALID: dict[str, bytes] = {
    "wsinv": _short_tortuous(),
    "intmeth": _request(
        "intmeth",
        method=_WEIRD_METHOD,
        uri=f"sip:{_WEIRD_USER}@example.com",
        To='"BEL:\\\x07 NUL:\\\x00 DEL:\\\x7f" <sip:1_unusual.URI~(to-be!sure)&isn\'t+it$/crazy?,/;;*@example.com>',
        From="token1~` token2'+_ token3*%!.- <sip:mundane@example.com>;fromParam''~+*_!.-%=\"\xd1\x80\";tag=_t",
    ),
    "esc01": _request(
        "esc01", uri="sip:sips%3Auser%40example.com@example.net", Contact="<sip:cal%6Cer@127.0.0.1:9;%6C%72>"
    ),
    "escnull": _request(
        "escnull",
        method="REGISTER",
        uri="sip:example.com",
        body="",
        To="sip:null-%00-null@example.com",
        Contact="<sip:%00@host5.example.com>, <sip:%00%00@host5.example.com>",
    ),
    "esc02": _request("esc02", method="RE%47IST%45R", body="", To='"%Z%45" <sip:resource@example.com>'),
    "lwsdisp": _request("lwsdisp", method="OPTIONS", body="", From="caller<sip:caller@example.com>;tag=323"),
    "longreq": _request(
        "longreq",
        f"Unknown-{_LONG}: unknown-{_LONG}-value; unknown-{_LONG}-parameter-name = {_LONG}",
        *(f"Via: SIP/2.0/TCP sip{hop}.example.com;branch=z9hG4bK{hop}{_LONG}" for hop in range(33)),
        To=f'"I have a user name of {_LONG}" <sip:user@example.com:6000;unknownparam1={_LONG};long{_LONG}>',
        From=f"sip:{_LONG}@example.net;tag=12{_LONG}424;unknownheaderparam{_LONG}={_LONG}",
        Call_ID=f"longreq.one{'really' * 20}longcallid",
    ),
    "dblreq": _two_requests(),
    "semiuri": _request("semiuri", method="OPTIONS", uri="sip:user;par=u%40example.net@example.com", body=""),
    "transports": _request(
        "transports",
        *(
            f"Via: SIP/2.0/{kind} t{kind}.example.com;branch=z9hG4bKkdjuw{kind}"
            for kind in ("SCTP", "TLS", "UNKNOWN", "TCP")
        ),
        method="OPTIONS",
        body="",
    ),
    "mpart01": _multipart(),
    "unreason": _message(
        "SIP/2.0 200 = 2**3 * 5**2 \xd0\xbd\xd0\xbe \xd1\x81\xd1\x82\xd0\xbe",
        [
            "Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1324923",
            "Call-ID: unreason.1234ksdfak3j2erwedfsASdf",
            "CSeq: 35 INVITE",
            "From: sip:user@example.com;tag=11141343",
            "To: sip:user@example.edu;tag=2229",
            "Contact: <sip:user@host198.example.com>",
        ],
        _SDP,
    ),
    "noreason": _message(
        "SIP/2.0 100 ",
        [
            "Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK2398ndaoe",
            "Call-ID: noreason.asndj203insdf99223ndf",
            "CSeq: 35 INVITE",
            "From: <sip:user@example.com>;tag=39ansfi3",
            "To: <sip:user@example.edu>;tag=902jndnke3",
        ],
    ),
}
"""RFC 4475, section 3.1.1."""

INVALID: dict[str, bytes] = {
    "badinv01": _request(
        "badinv01",
        Via="SIP/2.0/UDP 127.0.0.1;;,;,,",
        Contact='"Joe" <sip:joe@example.org>;;;;',
        To="sip:j.user@example.com",
    ),
    "clerr": _request("clerr", length="9999"),
    "ncl": _request("ncl", length="-999"),
    "scalar02": _request(
        "scalar02",
        "Expires: 1" + "0" * 38,
        method="REGISTER",
        body="",
        CSeq="36893488147419103232 REGISTER",
        Max_Forwards="300",
        Contact="<sip:user@host129.example.com>;expires=280297596632815",
    ),
    "scalarlg": _message(
        "SIP/2.0 503 Service Unavailable",
        [
            "Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKzzxdiwo34sw;received=192.0.2.129",
            "To: <sip:user@example.com>",
            "From: <sip:other@example.net>;tag=2easdjfejw",
            "CSeq: 9292394834772304023312 OPTIONS",
            "Call-ID: scalarlg.noase0of0234hn2qofoaf0232aewf2394r",
            "Retry-After: 949302838503028349304023988",
            'Warning: 1812 overture "In Progress"',
        ],
    ),
    "quotbal": _request("quotbal", To='"Mr. J. User <sip:j.user@example.com>'),
    "ltgtruri": _request("ltgtruri", uri="<sip:user@example.com>"),
    "lwsruri": _request("lwsruri", uri="sip:user@example.com; lr"),
    "lwsstart": _request("lwsstart", uri=" sip:user@example.com "),
    "trws": _request("trws", method="OPTIONS", version="SIP/2.0  ", body=""),
    "escruri": _request("escruri", uri="sip:user@example.com?Route=%3Csip:example.com%3E"),
    "baddate": _request("baddate", "Date: Fri, 01 Jan 2010 16:00:00 EST"),
    "regbadct": _request(
        "regbadct", method="REGISTER", body="", Contact="sip:user@example.com?Route=%3Csip:sip.example.com%3E"
    ),
    "badaspec": _request("badaspec", method="OPTIONS", body="", To='"Watson, Thomas" < sip:t.watson@example.org >'),
    "baddn": _request("baddn", method="OPTIONS", body="", From="Bell, Alexander <sip:a.g.bell@example.com>;tag=43"),
    "badvers": _request("badvers", method="OPTIONS", version="SIP/7.0", body=""),
    "mismatch01": _request("mismatch01", method="OPTIONS", body="", CSeq="8 INVITE"),
    "mismatch02": _request("mismatch02", method="NEWMETHOD", CSeq="8 INVITE"),
    "bigcode": _message(
        "SIP/2.0 4294967301 better not break the receiver",
        [
            "Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK12",
            "Call-ID: bigcode.asdof3uj203asdnf3429uasdhfas3ehjasdfas9i",
            "CSeq: 353494 INVITE",
            "From: <sip:user@example.com>;tag=39ansfi3",
            "To: <sip:user@example.edu>;tag=902jndnke3",
        ],
    ),
}
"""RFC 4475, section 3.1.2."""

APPLICATION: dict[str, bytes] = {
    "badbranch": _request("badbranch", method="OPTIONS", body="", Via="SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK"),
    "insuf": _message(
        "INVITE sip:user@example.com SIP/2.0",
        [
            "CSeq: 193942 INVITE",
            "Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKkdj.insuf",
            "Content-Type: application/sdp",
            "l: 152",
        ],
        _SDP,
        "",
    ),
    "unkscm": _request("unkscm", method="OPTIONS", uri="nobodyKnowsThisScheme:totallyopaquecontent", body=""),
    "novelsc": _request("novelsc", method="OPTIONS", uri="soap.beep://192.0.2.103:3002", body=""),
    "unksm2": _request(
        "unksm2",
        method="REGISTER",
        body="",
        To="isbn:2983792873",
        From="<http://www.example.com>;tag=3234233",
        Contact="<name:John_Smith>",
    ),
    "bext01": _request(
        "bext01",
        "Require: nothingSupportsThis, nothingSupportsThisEither",
        "Proxy-Require: noProxiesSupportThis, norDoAnyProxiesSupportThis",
        method="OPTIONS",
        body="",
    ),
    "invut": _request(
        "invut", body='<audio>\r\n <pcmu port="443"/>\r\n</audio>\r\n', Content_Type="application/unknownformat"
    ),
    "regaut01": _request(
        "regaut01", "Authorization: NoOneKnowsThisScheme opaque-data=here", method="REGISTER", body=""
    ),
    "multi01": _request(
        "multi01",
        "CSeq: 9 INVITE",
        "Call-ID: multi01.98asdh@192.0.2.2",
        "Max-Forwards: 5",
        "From: <sip:other@example.net>;tag=99",
        "To: sip:someone@example.com",
        "Contact: <sip:c@192.0.2.9>",
    ),
    "mcl01": _request(
        "mcl01",
        "Content-Length: 5",
        "Content-Length: 13",
        "l: 99999",
        method="OPTIONS",
        body="There's no way to know how many octets are supposed to be here.\r\n",
    ),
    "bcast": _message(
        "SIP/2.0 200 OK",
        [
            "Via: SIP/2.0/UDP 192.0.2.198;branch=z9hG4bK1324923",
            "Via: SIP/2.0/UDP 255.255.255.255;branch=z9hG4bK1saber23",
            "Call-ID: bcast.0384840201234ksdfak3j2erwedfsASdf",
            "CSeq: 35 INVITE",
            "From: sip:user@example.com;tag=11141343",
            "To: sip:user@example.edu;tag=2229",
            "Contact: <sip:user@host28.example.com>",
        ],
        _SDP,
    ),
    "zeromf": _request("zeromf", method="OPTIONS", body="", Max_Forwards="0"),
    "cparam01": _request(
        "cparam01", method="REGISTER", body="", Contact="sip:+19725552222@gw1.example.net;unknownparam"
    ),
    "cparam02": _request(
        "cparam02", method="REGISTER", body="", Contact="<sip:+19725552222@gw1.example.net;unknownparam>"
    ),
    "regescrt": _request(
        "regescrt", method="REGISTER", body="", Contact="<sip:user@example.com?Route=%3Csip:sip.example.com%3E>"
    ),
    "sdp01": _request("sdp01", "Accept: text/nobodyKnowsThis"),
    "inv2543": _message(
        "INVITE sip:UserB@example.com SIP/2.0",
        [
            "Via: SIP/2.0/UDP 127.0.0.1:9",
            "From: <sip:UserA@example.com>",
            "To: <sip:UserB@example.com>",
            "Call-ID: inv2543.1717@ift.client.example.com",
            "CSeq: 56 INVITE",
            "Content-Type: application/sdp",
        ],
        _SDP,
    ),
}
"""RFC 4475, sections 3.2 to 3.4."""

_HOSTILE_SDP = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"

OWN: dict[str, bytes] = {
    "nothing": b"",
    "zero": b"\x00",
    "keepalive": b"\r\n\r\n",
    "noise": bytes(range(256)) * 16,
    "full-datagram": b"INVITE " + b"A" * 60_000,
    "headers-without-end": b"INVITE sip:a@b SIP/2.0\r\n" + b"X: y\r\n" * 5000,
    "folded-forever": _request("folded", "X: a" + "\r\n b" * 5000),
    "no-via": _request("novia", without=["Via"]),
    "no-from": _request("nofrom", without=["From"]),
    "no-call-id": _request("nocallid", without=["Call-ID"]),
    "no-cseq": _request("nocseq", without=["CSeq"]),
    "empty-headers": _request("empty", To="", From="", Call_ID="", CSeq="", Via="", Contact=""),
    "format-strings": _request("fmt", To="<sip:%s%n%p%x@%s%n>", From='"%n%n%s" <sip:%s@%n>;tag=%n%s%p'),
    "zero-bytes": _request("zeros", To="<sip:agent-1\x00@example.com>", From='"\x00\x00" <sip:\x00@example.com>;tag=z'),
    "not-utf-8": _request(
        "latin", To='"\xff\xfe\xc0" <sip:agent-1@example.com>', From='"\xe9" <sip:\xff@example.com>;tag=l'
    ),
    "large-numbers": _request("large", CSeq=f"{_LARGE} INVITE", Max_Forwards=_LARGE, length=_LARGE),
    "port-out-of-range": _request(
        "port", Via="SIP/2.0/UDP 127.0.0.1:99999;branch=z9hG4bKport", Contact="<sip:a@127.0.0.1:99999>"
    ),
    "sdp-empty": _request("sdp0", body=""),
    "sdp-of-lines": _request("sdp1", body="a=\r\n" * 4000),
    "sdp-of-media": _request("sdp2", body=_HOSTILE_SDP + "m=audio 9 RTP/AVP 0\r\n" * 1000),
    "sdp-of-codecs": _request("sdp3", body=_HOSTILE_SDP + f"m=audio 9 RTP/AVP {' '.join(map(str, range(2000)))}\r\n"),
    "sdp-numbers": _request(
        "sdp4",
        body=_HOSTILE_SDP
        + f"m=audio {_LARGE} RTP/AVP {_LARGE}\r\na=rtpmap:{_LARGE} PCMU/{_LARGE}/{_LARGE}\r\na=ptime:{_LARGE}\r\n",
    ),
    "sdp-rate-zero": _request(
        "sdp5", body=_HOSTILE_SDP + "m=audio 9 RTP/AVP 96\r\na=rtpmap:96 opus/0/0\r\na=ptime:0\r\n"
    ),
    "sdp-crypto": _request(
        "sdp6",
        body=_HOSTILE_SDP + "m=audio 9 RTP/SAVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:" + "A" * 5000 + "\r\n",
    ),
    "sdp-binary": _request("sdp7", body="v=0\r\n" + "\x00\xff\x80" * 2000),
    "sdp-multicast": _request(
        "sdp8",
        body=_HOSTILE_SDP.replace("IP4 127.0.0.1\r\nt", "IP4 239.255.255.255/1\r\nt") + "m=audio 9 RTP/AVP 0\r\n",
    ),
    "bye-of-nobody": _request("bye", method="BYE", body=""),
    "cancel-of-nobody": _request("cancel", method="CANCEL", body=""),
    "ack-of-nobody": _request("ack", method="ACK", body=""),
    "refer": _request("refer", "Refer-To: <sip:premium@192.0.2.1>", method="REFER", body=""),
    "replaces": _request("replaces", "Replaces: a@b;to-tag=1;from-tag=2"),
    "subscribe": _request("subscribe", "Event: presence", "Expires: 0", method="SUBSCRIBE", body=""),
    "notify": _request(
        "notify",
        "Event: refer",
        "Subscription-State: x",
        method="NOTIFY",
        body="SIP/2.0 200",
        Content_Type="message/sipfrag",
    ),
    "message": _request("message", method="MESSAGE", body="hello " * 2000, Content_Type="text/plain"),
    "info": _request("info", method="INFO", body="Signal=%s\r\nDuration=-1\r\n", Content_Type="application/dtmf-relay"),
    "update": _request("update", method="UPDATE"),
    "prack": _request("prack", "RAck: 1 1 INVITE", method="PRACK", body=""),
    "publish": _request("publish", "Event: presence", method="PUBLISH", body=""),
}

CASES: dict[str, bytes] = {**VALID, **INVALID, **APPLICATION, **OWN}
