"""Signatures of requests, by the examples that the documentation of Amazon S3 gives for Signature Version 4."""

from datetime import UTC, datetime

import pytest

from retinue.knowledge.sources.aws_signature import AwsCredential, canonical_query, signed_headers, uri_encode

_EXAMPLE = AwsCredential("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
_MOMENT = datetime(2013, 5, 24, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "signature"),
    [
        ({"lifecycle": ""}, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ({"prefix": "J", "max-keys": "2"}, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ],
)
def test_requests_are_signed_as_documented(query: dict[str, str], signature: str) -> None:
    asked = canonical_query(query)
    headers = signed_headers(_EXAMPLE, "examplebucket.s3.amazonaws.com", "/", asked, _MOMENT)
    assert headers["Authorization"] == (
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        f"SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature={signature}"
    )


def test_keys_are_quoted_as_signatures_want() -> None:
    assert uri_encode("a b/ü+~.txt", safe="/") == "a%20b/%C3%BC%2B~.txt"
    assert canonical_query({"b": "x y", "a": "1/2"}) == "a=1%2F2&b=x%20y"
