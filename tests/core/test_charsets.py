"""Charsets that other servers declare."""

from encodings.aliases import aliases

import pytest

from retinue.core.network.charsets import codec_of


@pytest.mark.parametrize(
    "label",
    ["utf-8", "UTF8", "latin1", "ISO-8859-15", "windows-1252", "Shift_JIS", "euc-kr", "gb2312", "Big5", "koi8-r"],
)
def test_a_label_of_the_web_has_a_codec_that_decodes_any_bytes(label: str) -> None:
    codec = codec_of(label)
    assert codec is not None
    assert isinstance(bytes(range(256)).decode(codec, "replace"), str)


@pytest.mark.parametrize("label", ["punycode", "idna", "unicode_escape", "raw_unicode_escape", "utf-7", "rot13", "zip"])
def test_a_codec_of_python_that_is_no_charset_is_refused(label: str) -> None:
    assert codec_of(label) is None


@pytest.mark.parametrize("label", [None, "", "no-such-charset", "a\0b", "\ud800"])
def test_an_unknown_charset_has_no_codec(label: str | None) -> None:
    assert codec_of(label) is None


def test_every_codec_that_is_accepted_makes_text_of_bytes() -> None:
    codecs = {codec for name in aliases if (codec := codec_of(name))}
    assert len(codecs) > 40
    assert all(isinstance(b"abcd".decode(codec, "replace"), str) for codec in codecs)
