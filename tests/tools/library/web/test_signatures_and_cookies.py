"""What is signed is verified, by other hands too; what is spelled as a cookie is read as one."""

import base64
import time
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook

from retinue_tools.web.cookies_and_caching import http_explain_caching, http_parse_cookies
from retinue_tools.web.webhooks import webhook_sign_payload, webhook_verify_signature

NAMES = st.from_regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,20}", fullmatch=True)
VALUES = st.from_regex(r"[A-Za-z0-9!#$%&'()*+./:<>?@\[\]^_`{|}~=-]{0,30}", fullmatch=True)


@pytest.mark.parametrize("style", ["standard", "stripe", "github", "slack", "shopify", "hex"])
@given(body=st.text(max_size=200), key=st.binary(min_size=1, max_size=40))
def test_only_the_signed_content_verifies(
    style: Literal["standard", "stripe", "github", "slack", "shopify", "hex"], body: str, key: bytes
) -> None:
    secret, now = base64.b64encode(key).decode(), int(time.time())
    headers = webhook_sign_payload(style, body, secret, "msg_1", now)["headers"]
    signature = next(value for name, value in headers.items() if "signature" in name.lower() or "Hmac" in name)
    assert webhook_verify_signature(style, body, secret, signature, "msg_1", now)["valid"]
    assert not webhook_verify_signature(style, f"{body}.", secret, signature, "msg_1", now)["signature_matches"]


@given(st.text(max_size=200), st.binary(min_size=24, max_size=64))
def test_the_library_of_standard_webhooks_takes_our_headers(body: str, key: bytes) -> None:
    secret = f"whsec_{base64.b64encode(key).decode()}"
    headers = webhook_sign_payload("standard", '{"a":1}' + " " * len(body), secret)["headers"]
    assert Webhook(secret).verify('{"a":1}' + " " * len(body), headers) == {"a": 1}


@given(st.lists(st.tuples(NAMES, VALUES), min_size=1, max_size=10))
def test_a_cookie_header_is_read_as_it_was_written(pairs: list[tuple[str, str]]) -> None:
    header = "; ".join(f"{name}={value}" for name, value in pairs)
    cookies = http_parse_cookies(header, "request")["cookies"]
    assert [(cookie["name"], cookie["value"]) for cookie in cookies] == pairs


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_an_answer_is_never_fresh_for_less_than_no_time(age: int, lifetime: int) -> None:
    told = http_explain_caching({"Cache-Control": f"max-age={lifetime}", "Age": str(age)})
    assert told["left_s"] == max(lifetime - age, 0)
