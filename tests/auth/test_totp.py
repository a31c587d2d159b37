"""Codes of authenticator apps, checked against the test vectors of RFC 6238."""

from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.auth.totp import STEP_S, code_at, matching_step, new_secret, provisioning_uri

RFC_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
"""`12345678901234567890` in base 32 (RFC 6238, appendix B, SHA-1)."""


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "94287082"),
        (1_111_111_109, "07081804"),
        (1_111_111_111, "14050471"),
        (1_234_567_890, "89005924"),
        (2_000_000_000, "69279037"),
        (20_000_000_000, "65353130"),
    ],
)
def test_the_vectors_of_the_rfc(seconds: int, code: str) -> None:
    assert code_at(RFC_SECRET, seconds // STEP_S, digits=8) == code
    assert code_at(RFC_SECRET, seconds // STEP_S) == code[-6:]


@given(seconds=st.integers(10**9, 2**32), off=st.integers(-5, 5))
def test_a_code_holds_for_its_step_and_one_to_either_side(seconds: int, off: int) -> None:
    secret, present = new_secret(), seconds // STEP_S
    code = code_at(secret, present + off)
    found = matching_step(secret, code, datetime.fromtimestamp(seconds, UTC))
    near = [step for step in (present - 1, present, present + 1) if code_at(secret, step) == code]
    assert found == max(near, default=None)
    assert bool(near) or abs(off) > 1


@pytest.mark.parametrize("text", ["", "12345", "1234567", "abcdef", "\uff11\uff12\uff13\uff14\uff15\uff16", "12 345"])
def test_an_invalid_code_matches_nothing(text: str) -> None:
    assert matching_step(RFC_SECRET, text, datetime(2026, 11, 21, tzinfo=UTC)) is None


def test_apps_can_read_the_address() -> None:
    secret = new_secret()
    parts = urlsplit(provisioning_uri(secret, "ada@example.com"))
    assert (parts.scheme, parts.netloc, parts.path) == ("otpauth", "totp", "/Retinue:ada%40example.com")
    assert parse_qs(parts.query) == {"secret": [secret], "issuer": ["Retinue"]}
    assert len(secret) == 32
