"""The codecs in the SDP of an offer."""

import pytest

from retinue.voice.worker.audio_offer import offered_codecs

HEAD = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\na=rtpmap:96 ignored/8000\r\n"


@pytest.mark.parametrize(
    ("media", "codecs"),
    [
        ("m=audio 4000 RTP/AVP 0 8 9\r\n", {"pcmu", "pcma", "g722"}),
        ("m=audio 4000 RTP/AVP 18 96\r\na=rtpmap:96 opus/48000/2\r\na=rtpmap:97 PCMA/8000\r\n", {"opus"}),
        ("m=audio 4000 RTP/AVP 0\r\na=rtpmap:0 G729/8000\r\n", {"g729"}),
        ("m=video 4002 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\nm=audio 4000 RTP/AVP 8\r\n", {"pcma"}),
        ("m=audio 4000 RTP/AVP 18\r\nm=audio 4002 RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\n", set()),
        ("m=audio 0 RTP/AVP 0\r\nm=image 4000 udptl t38\r\n", set()),
        ("m=audio\r\n", set()),
        ("m=audio 4000\r\n", set()),
        ("m=image 4000 udptl t38\r\n", set()),
    ],
)
def test_codecs_of_the_first_audio_stream(media: str, codecs: set[str]) -> None:
    assert offered_codecs("Application/SDP; charset=utf-8", HEAD + media) == codecs
    assert offered_codecs("application/sdp", (HEAD + media).replace("\r\n", "\n")) == codecs


@pytest.mark.parametrize("content_type", ["", "multipart/mixed; boundary=x", "application/sdpx"])
def test_another_body_offers_nothing(content_type: str) -> None:
    assert offered_codecs(content_type, HEAD + "m=audio 4000 RTP/AVP 18\r\n") is None
