"""Bank statements: camt.053 (ISO 20022), MT940 (SWIFT) and OFX."""

import base64
import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Literal

from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, File, Refusal, ToolError, tool
from retinue_tools.data_formats._xml_trees import malformed_at
from retinue_tools.finance._amounts import money

_MOST_BYTES = 20_000_000
_MOST_ROWS = 5000
_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"


class Transaction(TypedDict):
    """A transaction of a bank statement."""

    date: Annotated[str, About("Booking date; empty if the file has none")]
    amount: Annotated[float, About("Negative for outgoing payments")]
    currency: str
    party: Annotated[str, About("Counterparty")]
    text: Annotated[str, About("Purpose or remittance information")]
    reference: str


class Statement(TypedDict):
    """A bank statement."""

    account: str
    currency: str
    opening_balance: float | None
    closing_balance: float | None
    money_in: float
    money_out: Annotated[float, About("Total of outgoing payments as a negative number")]
    count: Annotated[int, About("All transactions; at most 5,000 are listed")]
    consistent: Annotated[
        bool | None, About("Whether the opening balance plus transactions equals the closing balance; null if unknown")
    ]
    transactions: list[Transaction]


def _content(file: str) -> bytes:
    if Path(file).stat().st_size > _MOST_BYTES:
        raise ToolError("The file is larger than 20 MB. Export a shorter period.")
    return Path(file).read_bytes()


def _statement(
    account: str, currency: str, balances: tuple[Decimal | None, Decimal | None], rows: list[Transaction]
) -> Statement:
    amounts = [Decimal(repr(row["amount"])) for row in rows]
    opening, closing = balances
    known = opening is not None and closing is not None
    total = sum(amounts, Decimal())
    return {
        "account": account,
        "currency": currency,
        "opening_balance": None if opening is None else money(opening),
        "closing_balance": None if closing is None else money(closing),
        "money_in": money(sum((amount for amount in amounts if amount > 0), Decimal())),
        "money_out": money(sum((amount for amount in amounts if amount < 0), Decimal())),
        "count": len(rows),
        "consistent": (opening or Decimal()) + total == closing if known else None,
        "transactions": rows[:_MOST_ROWS],
    }


def _amount(text: str) -> Decimal:
    try:
        value = Decimal(text.strip().replace(",", "."))
    except InvalidOperation as error:
        raise ToolError(f"The statement contains an invalid amount: {text[:30]}.") from error
    if not value.is_finite() or abs(value) > 10**15:
        raise ToolError(f"The statement contains an amount that is too large: {text[:30]}.")
    return value


def _root(content: bytes) -> Any:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ToolError(f"The file is not XML.{malformed_at(error)} Export the statement again.") from error


_CAMT = """<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt>
<Acct><Id><IBAN>BE72000000001616</IBAN></Id><Ccy>EUR</Ccy></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">79.50</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
<Ntry><Amt Ccy="EUR">20.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><BookgDt><Dt>2026-11-20</Dt></BookgDt>
<NtryDtls><TxDtls><RltdPties><Cdtr><Nm>Book shop</Nm></Cdtr></RltdPties><RmtInf><Ustrd>Order 7</Ustrd></RmtInf>
</TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>"""


def _camt(content: bytes) -> Statement:
    """Parse camt: several statements in one file are joined, with the first opening and the last closing balance."""
    root = _root(content)
    if not root.xpath("//*[local-name()='Ntry' or local-name()='Stmt' or local-name()='Rpt']"):
        raise ToolError("The file is XML but not a camt statement.")
    opening = _balance(root, ("OPBD", "PRCD"), 0)
    closing = _balance(root, ("CLBD",), -1)
    rows = [_camt_row(entry) for entry in root.xpath("//*[local-name()='Ntry']")]
    account = _first(root, "Acct//IBAN") or _first(root, "Acct//Othr/Id")
    currency = _first(root, "Acct/Ccy") or (rows[0]["currency"] if rows else "")
    return _statement(account, currency, (opening, closing), rows)


def _first(node: Any, path: str) -> str:
    """Return the text at a path of local names, or empty text."""
    steps = "/".join(f"*[local-name()='{step}']" if step else "" for step in path.split("/"))
    found = node.xpath(".//" + steps)
    return (found[0].text or "").strip() if found else ""


def _sign(node: Any) -> Decimal:
    value = _amount(_first(node, "Amt"))
    return -value if _first(node, "CdtDbtInd") == "DBIT" else value


def _balance(root: Any, codes: tuple[str, ...], place: int) -> Decimal | None:
    found = [node for node in root.xpath("//*[local-name()='Bal']") if _first(node, "Tp//Cd") in codes]
    return _sign(found[place]) if found else None


def _camt_row(entry: Any) -> Transaction:
    amount = _sign(entry)
    role = "Cdtr" if amount < 0 else "Dbtr"
    amounts = entry.xpath("./*[local-name()='Amt']")
    return {
        "date": (_first(entry, "BookgDt/Dt") or _first(entry, "BookgDt/DtTm"))[:10],
        "amount": float(amount),
        "currency": str(amounts[0].get("Ccy", "")) if amounts else "",
        "party": _first(entry, f"{role}//Nm"),
        "text": _first(entry, "RmtInf/Ustrd") or _first(entry, "AddtlNtryInf"),
        "reference": _first(entry, "EndToEndId") or _first(entry, "AcctSvcrRef"),
    }


_MT940 = """:20:STARTUMSE
:25:BE72000000001616
:28C:00001/001
:60F:C261119EUR100,00
:61:2611201120D20,50NMSCNONREF
:86:Book shop
Order 7
:62F:C261120EUR79,50
-
"""


def _mt940(content: bytes) -> Statement:
    """Parse MT940: statements in one file are joined; the date is the value date."""
    text = content.decode("utf-8", "replace")
    fields = re.findall(r"^:(\d{2}[A-Z]?):(.*(?:\n(?!:\d{2}[A-Z]?:|-).*)*)", text.replace("\r", ""), re.MULTILINE)
    if not any(tag.startswith("60") for tag, _ in fields):
        raise ToolError("The file is not an MT940 statement: it has no opening balance (:60F:).")
    rows: list[Transaction] = []
    balances = {tag[:2]: value for tag, value in reversed(fields) if tag[:2] == "60"}
    balances |= {tag[:2]: value for tag, value in fields if tag[:2] == "62"}
    currency = balances["60"][7:10]
    for tag, value in fields:
        if tag == "61":
            rows.append(_mt940_row(value, currency))
        elif tag == "86" and rows and not rows[-1]["text"]:
            rows[-1]["text"] = " ".join(value.split())
    account = next((value.strip() for tag, value in fields if tag[:2] == "25"), "")
    closing = _mt940_balance(balances["62"]) if "62" in balances else None
    return _statement(account, currency, (_mt940_balance(balances["60"]), closing), rows)


def _mt940_balance(value: str) -> Decimal:
    amount = _amount(value[10:].split("\n", maxsplit=1)[0])
    return -amount if value.startswith("D") else amount


def _mt940_row(value: str, currency: str) -> Transaction:
    found = re.match(r"(\d{6})(\d{4})?(R?[CD])[A-Z]?(\d+,\d*)(?:[A-Z]\w{3})?([^\n/]*)", value)
    if found is None:
        raise ToolError(f"A transaction (:61:) of the statement cannot be parsed: {value[:40]}.")
    amount = _amount(found[4])
    return {
        "date": _short_date(found[1]),
        "amount": float(-amount if found[3] in ("D", "RC") else amount),
        "currency": currency,
        "party": "",
        "text": "",
        "reference": found[5].strip(),
    }


def _short_date(text: str) -> str:
    try:
        return date(2000 + int(text[:2]), int(text[2:4]), int(text[4:6])).isoformat()
    except ValueError as error:
        raise ToolError(f"The statement contains an invalid date: {text}.") from error


_OFX = """OFXHEADER:100
DATA:OFXSGML

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD
<BANKACCTFROM><BANKID>1<ACCTID>42<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261120120000<TRNAMT>-20.50<FITID>9<NAME>Book shop<MEMO>Order 7
</STMTTRN></BANKTRANLIST><LEDGERBAL><BALAMT>79.50<DTASOF>20261120</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
"""


def _ofx(content: bytes) -> Statement:
    """Parse OFX, which has no opening balance; the closing one is the ledger balance."""
    text = content.decode("utf-8", "replace")
    if "<OFX>" not in text.upper():
        raise ToolError("The file is not an OFX statement: it has no <OFX> element.")
    currency = _tag(text, "CURDEF")
    rows = [_ofx_row(part, currency) for part in re.split(r"(?i)<STMTTRN>", text)[1:]]
    ledger = re.split(r"(?i)<LEDGERBAL>", text)
    closing = _amount(_tag(ledger[-1], "BALAMT")) if len(ledger) > 1 else None
    return _statement(_tag(text, "ACCTID"), currency, (None, closing), rows)


def _tag(text: str, name: str) -> str:
    found = re.search(rf"(?i)<{name}>([^<\r\n]*)", text)
    return found[1].strip() if found else ""


def _ofx_row(part: str, currency: str) -> Transaction:
    body = re.split(r"(?i)</STMTTRN>", part)[0]
    return {
        "date": _short_date(_tag(body, "DTPOSTED")[2:8]),
        "amount": float(_amount(_tag(body, "TRNAMT"))),
        "currency": currency,
        "party": _tag(body, "NAME") or _tag(body, "PAYEE"),
        "text": _tag(body, "MEMO"),
        "reference": _tag(body, "FITID"),
    }


def _form(content: bytes) -> str:
    """Detect the format of a file. Raises `ToolError` for unknown formats."""
    text = content.decode("utf-8", "replace")
    if "<OFX>" in text.upper():
        return "ofx"
    if re.search(r"^:60[A-Z]?:", text, re.MULTILINE):
        return "mt940"
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return "camt"
    raise ToolError("The file is not a bank statement in camt, MT940 or OFX. Export it in one of these formats.")


_PARSERS: Mapping[str, Callable[[bytes], Statement]] = {"camt": _camt, "mt940": _mt940, "ofx": _ofx}


@tool(
    tags="bank statement transactions parse camt.053 camt iso20022 xml sepa mt940 swift sta ofx qfx quicken card",
    use_when=(
        "Read the transactions of this camt.053 file",
        "Which payments are in my bank's XML statement?",
        "What is the closing balance in this ISO 20022 statement?",
        "Read this MT940 bank statement",
        "Which transactions are in the .sta file of my bank?",
        "Convert a SWIFT statement to a list",
        "Read this OFX statement",
        "Which transactions are in the QFX export?",
        "List payments of a Quicken download",
    ),
    examples=(
        Example(
            {"file": _FILE, "form": "camt"},
            {
                "account": "BE72000000001616",
                "currency": "EUR",
                "opening_balance": 100.0,
                "closing_balance": 79.5,
                "money_in": 0.0,
                "money_out": -20.5,
                "count": 1,
                "consistent": True,
                "transactions": [{"date": "2026-11-20", "amount": -20.5, "party": "Book shop", "text": "Order 7"}],
            },
            source="the file was written so, by ISO 20022 camt.053.001.02",
            files={_FILE: base64.b64encode(_CAMT.encode()).decode()},
        ),
        Example(
            {"file": _FILE, "form": "mt940"},
            {
                "account": "BE72000000001616",
                "currency": "EUR",
                "opening_balance": 100.0,
                "closing_balance": 79.5,
                "consistent": True,
                "transactions": [{"date": "2026-11-20", "amount": -20.5, "text": "Book shop Order 7"}],
            },
            source="the file was written so, by the field rules of SWIFT MT940",
            files={_FILE: base64.b64encode(_MT940.encode()).decode()},
        ),
        Example(
            {"file": _FILE, "form": "ofx"},
            {
                "account": "42",
                "currency": "USD",
                "closing_balance": 79.5,
                "opening_balance": None,
                "transactions": [
                    {"date": "2026-11-20", "amount": -20.5, "party": "Book shop", "text": "Order 7", "reference": "9"}
                ],
            },
            source="the file was written so, by OFX 1.0.2",
            files={_FILE: base64.b64encode(_OFX.encode()).decode()},
        ),
        Example(
            {"file": _FILE},
            {"account": "42", "currency": "USD"},
            source="the same, recognised by its content",
            files={_FILE: base64.b64encode(_OFX.encode()).decode()},
        ),
        Refusal({"file": _FILE}, "not a bank statement", files={_FILE: base64.b64encode(b"no").decode()}),
        Refusal({"file": _FILE, "form": "camt"}, "not XML", files={_FILE: base64.b64encode(b"no").decode()}),
        Refusal({"file": _FILE, "form": "mt940"}, "not an MT940", files={_FILE: base64.b64encode(b"no").decode()}),
        Refusal({"file": _FILE, "form": "ofx"}, "not an OFX", files={_FILE: base64.b64encode(b"no").decode()}),
    ),
    reply={
        "transactions": (
            "The account {account} has {count|transaction}, with "
            "{closing_balance} {currency} at the end: {transactions}"
        ),
        "transactions, count, transactions": "The account {account} has {count|transaction}: {transactions}",
        "": "The statement of {account} contains no transactions.",
    },
    aliases=(
        Alias("statement_parse_camt", constants={"form": "camt"}),
        Alias("statement_parse_mt940", constants={"form": "mt940"}),
        Alias("statement_parse_ofx", constants={"form": "ofx"}),
    ),
)
def statement_parse_file(
    file: File,
    form: Annotated[
        Literal["auto", "camt", "mt940", "ofx"], About("Format of the file; auto detects it from the content")
    ] = "auto",
) -> Statement:
    """Parse a bank or card statement into balances and transactions: ISO 20022 camt.053, SWIFT MT940, OFX or QFX.

    Use it for XML exports of banks (camt.052 and camt.054 too), .sta files, and downloads for accounting programs.
    Several statements in one file are joined. OFX has no opening balance; the dates of MT940 are value dates.
    """
    content = _content(file)
    return _PARSERS[_form(content) if form == "auto" else form](content)
