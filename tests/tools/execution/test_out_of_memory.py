"""A file that swells past the memory of its tool is refused, whichever library notices, and others are served on."""

from functools import cache
from zlib import compress

from tests.files.support import upload
from tests.support.client import Client, data, refuse
from tests.support.sampling import EXHAUSTIVE

_SWOLLEN = 400_000_000


@cache
def swelling_pdf() -> bytes:
    """A PDF of 400 kB whose one page is a stream of 400 MB."""
    stream = compress(b"0" * _SWOLLEN, 9)
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<<>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(stream), stream),
    )
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(body)
    return body + b"xref\n0 5\n0000000000 65535 f \n" + table + trailer


@EXHAUSTIVE
def test_a_pdf_that_swells_is_refused(client: Client, stranger: Client) -> None:
    file = upload(client, swelling_pdf(), "bomb.pdf", "application/pdf")["id"]
    response = client.post("/tools/pdf_extract_text/execute", {"args": {"file": file}})
    refuse(response, 400, "memory", "pdf_extract_text")
    assert data(stranger.get("/agents")) == []
    small = {"args": {"expression": "1+1"}}
    assert data(stranger.post("/tools/math_evaluate_expression/execute", small))["result"]
