"""Redaction of secrets in any encoding, and the URLs that a secret may be sent to."""

import base64
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.connections.allowed_addresses import is_within
from retinue.connections.redaction import Redaction

MARK = "[secret of connection a]"
characters = st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_categories=["C"])
secrets = st.text(characters, min_size=8).filter(lambda secret: secret[:8] not in MARK)
texts = st.text(max_size=20)


def forms(secret: str) -> list[str]:
    """Return the forms in which a server may echo a secret."""
    pair = base64.b64encode(f"ann:{secret}".encode()).decode()
    plain = [secret, quote(secret), quote_plus(secret), json.dumps(secret), json.dumps([secret]), pair]
    return [*plain, secret.encode().hex(), secret.encode().hex().upper()]


@given(secrets, texts, texts)
def test_no_form_of_a_secret_is_left(secret: str, before: str, after: str) -> None:
    redaction = Redaction.of([secret], "connection a", "ann")
    for form in forms(secret):
        assert form not in redaction.text(f"{before}{form}{after}")
        assert form.encode() not in redaction.content(f"{before}{form}{after}".encode())


@given(st.text(characters, min_size=12).filter(lambda secret: secret[:8] not in MARK), texts, texts)
def test_no_base64_of_a_text_with_a_secret_is_left(secret: str, before: str, after: str) -> None:
    redaction = Redaction.of([secret], "connection a")
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode(f"{before}{secret}{after}".encode()).decode()
        left = redaction.text(encoded)
        assert MARK in left
        assert len(left.replace(MARK, "")) <= len(encoded) - len(secret.encode()) * 4 // 3 + 2


@pytest.mark.parametrize(
    "header", ["Bearer SECRET", "Basic SECRET", "ann:SECRET", "a:SECRET", "SECRET:", "token SECRET"]
)
def test_credentials_in_base64(header: str) -> None:
    secret = "sesame-7F3a9c-open"
    encoded = base64.b64encode(header.replace("SECRET", secret).encode()).decode()
    assert MARK in Redaction.of([secret], "connection a").text(f'{{"seen": "{encoded}"}}')


@pytest.mark.parametrize("change", [str.upper, str.lower, lambda secret: secret[::-1]])
def test_a_changed_secret(change: Callable[[str], str]) -> None:
    redaction = Redaction.of(["sesame-7F3a9c-open"], "connection a")
    assert redaction.text(f"<{change('sesame-7F3a9c-open')}>") == f"<{MARK}>"
    assert Redaction.of(["Password"], "connection a").text("password") == "password"


@given(secrets, texts, st.data())
def test_more_than_half_of_a_secret_is_not_left(secret: str, before: str, data: st.DataObject) -> None:
    kept = data.draw(st.integers(max(8, len(secret) // 2), len(secret)))
    assert secret[:kept] not in Redaction.of([secret], "connection a").text(before + secret[:kept])


@given(secrets, st.recursive(texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=5))
def test_values_are_searched_to_the_bottom(secret: str, value: object) -> None:
    redaction = Redaction.of([secret], "connection a")
    found = redaction.value({"a": [value, {secret: secret}], "n": 1, "b": True, "z": None})
    assert found["a"][1] == {MARK: MARK}
    assert (found["n"], found["b"], found["z"]) == (1, True, None)


@given(texts)
def test_other_texts_stay(text: str) -> None:
    redaction = Redaction.of(["sesame-7f3a9c-open"], "connection a")
    assert redaction.text(text) == text
    assert redaction.value({"a": [text]}) == {"a": [text]}


def test_of_an_address_the_path_is_secret() -> None:
    redaction = Redaction.of(["https://hooks.example.com/services/T0/B0/xyz"], "connection a")
    assert redaction.text("no hook at /services/T0/B0/xyz") == f"no hook at {MARK}"
    assert redaction.text("see https://hooks.example.com/help") == "see https://hooks.example.com/help"


def test_a_redaction_does_not_reveal_the_secret() -> None:
    assert "sesame" not in repr(Redaction.of(["sesame-7f3a9c-open"], "connection a"))


@pytest.mark.parametrize(
    ("address", "base", "inside"),
    [
        ("https://example.com/v1/a?b=1", "https://example.com/v1", True),
        ("https://example.com:443/v1", "https://example.com/v1", True),
        ("https://EXAMPLE.com/v1/", "https://example.com/v1", True),
        ("https://example.com", "https://example.com", True),
        ("https://example.com?a=1", "https://example.com", True),
        ("https://example.com/v10", "https://example.com/v1", False),
        ("http://example.com/v1", "https://example.com/v1", False),
        ("https://example.com:8443/v1", "https://example.com/v1", False),
        ("https://example.com.evil.example/v1", "https://example.com/v1", False),
        ("https://example.com@evil.example/v1", "https://example.com/v1", False),
        ("https://example.com/v1/../a", "https://example.com/v1", False),
        ("https://example.com/v1/%2E%2e/a", "https://example.com/v1", False),
        ("https://example.com:x/v1", "https://example.com/v1", False),
        ("https://[::1/v1", "https://example.com/v1", False),
    ],
)
def test_addresses_below_another(address: str, base: str, inside: bool) -> None:
    assert is_within(address, base) is inside


@given(st.text(max_size=60), st.text(max_size=20))
def test_no_address_of_another_host_is_below(rest: str, host: str) -> None:
    assert not is_within(f"https://{host}.example/{rest}", "https://example.com") or host == ""
