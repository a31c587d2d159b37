"""The status codes of HTTP against the standard library and RFC 9110."""

from http import HTTPStatus

import pytest

from retinue_tools.web.status_codes_and_mime_types import http_explain_status

HEURISTICALLY_CACHEABLE = {200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501}
"""RFC 9110, section 15.1."""


@pytest.mark.parametrize("code", sorted(HTTPStatus))
def test_which_answers_may_be_stored(code: int) -> None:
    assert http_explain_status(code)["cacheable"] == (code in HEURISTICALLY_CACHEABLE)
