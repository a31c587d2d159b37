"""DMARC reports of mail receivers (RFC 7489)."""

import gzip
import io
import lzma
import zipfile
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.web._pages import parsed_xml

_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError)


class Source(TypedDict):
    """Messages from one address."""

    address: Annotated[str, About("Address of the sending server")]
    messages: Annotated[int, About("Number of messages")]
    spf: Annotated[str, About("SPF result for DMARC")]
    dkim: Annotated[str, About("DKIM result for DMARC")]
    disposition: Annotated[str, About("Action taken: none, quarantine or reject")]
    header_from: Annotated[str, About("Domain of the From header")]


class DmarcReport(TypedDict):
    """A summary of a DMARC aggregate report."""

    reporter: Annotated[str, About("Reporting organisation")]
    domain: Annotated[str, About("Domain of the report")]
    begin: Annotated[str, About("Beginning of the reporting period, UTC")]
    end: Annotated[str, About("End of the reporting period")]
    policy: Annotated[str, About("Published policy")]
    messages: Annotated[int, About("Total number of messages")]
    passed: Annotated[int, About("Messages that passed DMARC, by SPF or DKIM")]
    failed: Annotated[int, About("Messages that failed DMARC")]
    sources: Annotated[list[Source], About("Results by address, most messages first, at most 500")]


_REPORT = """<?xml version="1.0"?><feedback><report_metadata><org_name>receiver.example</org_name>
<date_range><begin>1766016000</begin><end>1766102399</end></date_range></report_metadata>
<policy_published><domain>example.com</domain><p>none</p></policy_published>
<record><row><source_ip>192.0.2.1</source_ip><count>2</count><policy_evaluated><disposition>none</disposition>
<dkim>fail</dkim><spf>pass</spf></policy_evaluated></row><identifiers><header_from>example.com</header_from></identifiers>
</record><record><row><source_ip>198.51.100.9</source_ip><count>5</count><policy_evaluated>
<disposition>none</disposition><dkim>fail</dkim><spf>fail</spf></policy_evaluated></row></record></feedback>"""
_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"


@tool(
    tags="dmarc aggregate report rua xml summarize email spf dkim sources",
    use_when=(
        "Summarise this DMARC report.",
        "Who sends mail in the name of my domain according to the report?",
        "How many messages failed DMARC?",
    ),
    examples=(
        Example(
            {"xml": _REPORT},
            {
                "reporter": "receiver.example",
                "domain": "example.com",
                "begin": "2025-12-18T00:00:00Z",
                "messages": 7,
                "passed": 2,
                "failed": 5,
                "policy": "none",
            },
            source="RFC 7489, appendix C; 1766016000 is 20,440 days after 1970-01-01",
        ),
        Example(
            {"file": _FILE},
            {"messages": 0, "sources": []},
            source="a report without records",
            files={_FILE: "PGZlZWRiYWNrLz4="},
        ),
        Refusal({"xml": "<html/>"}, "not a DMARC report"),
    ),
    reply={
        "failed, sources": "{failed} of {messages|message} in the name of {domain} failed DMARC: {sources}",
        "messages, sources": "All {messages|message} in the name of {domain} passed DMARC: {sources}",
        "not messages": "The report contains no messages.",
        "": "{passed} of {messages|message} in the name of {domain} passed DMARC.",
    },
)
def dmarc_summarize_report(
    xml: Annotated[
        str | None, About("Text of the report, unless file is given", "<feedback>…</feedback>", max_length=2_000_000)
    ] = None,
    file: File | None = None,
) -> DmarcReport:
    """Summarise a DMARC aggregate report: who sent mail in a domain's name, and what passed or failed.

    Use it for reports that mail receivers send to the rua address, as XML, gzip or ZIP.
    """
    if (xml is None) == (file is None):
        raise ToolError("Give either xml or file: the text of the report, or the received file.")
    root = parsed_xml(xml.encode() if xml is not None else _unpack(Path(file or "").read_bytes()), "DMARC report")
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    if root.tag != "feedback":
        raise ToolError("This is not a DMARC report: its root element is not feedback.")
    sources = [_source(record) for record in root.iter("record")]
    passed = sum(source["messages"] for source in sources if "pass" in (source["spf"], source["dkim"]))
    total = sum(source["messages"] for source in sources)
    return {
        "reporter": _text(root, "report_metadata/org_name"),
        "domain": _text(root, "policy_published/domain"),
        "begin": _moment(_text(root, "report_metadata/date_range/begin")),
        "end": _moment(_text(root, "report_metadata/date_range/end")),
        "policy": _text(root, "policy_published/p"),
        "messages": total,
        "passed": passed,
        "failed": total - passed,
        "sources": sorted(sources, key=lambda source: -source["messages"])[:500],
    }


def _unpack(content: bytes) -> bytes:
    """Return a report, decompressed if it is a gzip or ZIP file, up to 16 MiB."""
    most = 16 * 2**20
    try:
        if content.startswith(b"\x1f\x8b"):
            return gzip.GzipFile(fileobj=io.BytesIO(content)).read(most)
        if content.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(archive.namelist()[0]) as report:
                return report.read(most)
    except (OSError, EOFError, IndexError, ValueError, RuntimeError, NotImplementedError, *_DAMAGE) as error:
        raise ToolError("The file is a damaged archive. Unpack it and give the XML.") from error
    return content


def _source(record: Any) -> Source:
    count = _text(record, "row/count")
    return {
        "address": _text(record, "row/source_ip"),
        "messages": int(count) if count.isdecimal() and len(count) < 15 else 0,
        "spf": _text(record, "row/policy_evaluated/spf"),
        "dkim": _text(record, "row/policy_evaluated/dkim"),
        "disposition": _text(record, "row/policy_evaluated/disposition"),
        "header_from": _text(record, "identifiers/header_from"),
    }


def _text(element: Any, path: str) -> str:
    return (element.findtext(path) or "").strip()[:300]


def _moment(seconds: str) -> str:
    if not seconds.isdecimal() or len(seconds) > 11:
        return ""
    return datetime.fromtimestamp(int(seconds), UTC).isoformat().replace("+00:00", "Z")
