"""JSON Web Tokens and sets of keys."""

import json

import pytest
from joserfc.jwk import ECKey, RSAKey

from retinue_tools.security.tokens import jwt_create_token, jwt_verify_token

K1, K2 = (ECKey.generate_key("P-256") for _ in range(2))
RSA = RSAKey.generate_key(2048)


@pytest.mark.parametrize(
    ("keys", "valid"),
    [([K1, K2], True), ([K2, K1], True), ([RSA, K2], True), ([K1], False), ([RSA], False)],
)
def test_a_token_without_a_key_id_is_verified_with_every_key_of_a_set(keys: list[ECKey | RSAKey], valid: bool) -> None:
    token = jwt_create_token({"sub": "ann"}, K2.as_pem(private=True).decode(), "ES256")["token"]
    key_set = json.dumps({"keys": [{**key.as_dict(private=False), "kid": str(n)} for n, key in enumerate(keys)]})
    assert jwt_verify_token(token, key_set)["valid"] == valid
