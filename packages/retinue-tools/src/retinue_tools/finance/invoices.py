"""Invoices: totals with VAT, PDFs, and payment QR codes."""

import io
from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Literal
from xml.sax.saxutils import escape

import segno
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle
from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.finance._amounts import Currency, cents, dec


class Line(TypedDict):
    """A line of an invoice."""

    description: Annotated[str, About("Description of the item", "Consulting", min_length=1, max_length=300)]
    quantity: Annotated[float, About("Quantity", 2, minimum=-1e6, maximum=1e6)]
    unit_price: Annotated[float, About("Unit price", 95.0, minimum=-1e9, maximum=1e9)]
    tax_percent: Annotated[float, About("VAT or sales tax rate of the line", 19, minimum=0, maximum=100)]


Lines = Annotated[
    list[Line],
    About(
        "Invoice lines",
        [{"description": "Consulting", "quantity": 8, "unit_price": 95, "tax_percent": 19}],
        min_items=1,
        max_items=300,
    ),
]
Prices = Annotated[Literal["net", "gross"], About("Whether unit prices exclude tax (net) or include it (gross)")]
Party = Annotated[
    str, About("Name and address, one line each", "Example Ltd\n1 High Street\nLondon", min_length=1, max_length=500)
]


class TaxSum(TypedDict):
    """Sums for one tax rate."""

    tax_percent: float
    net: float
    tax: float
    gross: float


class Totals(TypedDict):
    """Sums of an invoice."""

    net: float
    tax: float
    gross: Annotated[float, About("Amount due")]
    by_rate: Annotated[list[TaxSum], About("One entry per tax rate, lowest first")]
    line_amounts: Annotated[list[float], About("Amount of each line, net or gross like its price")]


_LINES = [
    {"description": "Work", "quantity": 3, "unit_price": 33.33, "tax_percent": 19},
    {"description": "Book", "quantity": 1, "unit_price": 10, "tax_percent": 7},
]


@tool(
    tags="invoice totals vat tax lines net gross sum bill mixed rates",
    use_when=(
        "What is the total of 3 x 33.33 plus 19% VAT and a book at 10 plus 7%?",
        "Sum up invoice lines with different VAT rates",
        "How much VAT is in these gross prices?",
    ),
    examples=(
        Example(
            {"lines": _LINES},
            {"net": 109.99, "tax": 19.7, "gross": 129.69, "line_amounts": [99.99, 10.0]},
            source="by hand: 19 % of 99.99 is 19.00, 7 % of 10 is 0.70",
        ),
        Example(
            {
                "lines": [{"description": "Lamp", "quantity": 1, "unit_price": 119, "tax_percent": 19}],
                "prices": "gross",
            },
            {"net": 100.0, "tax": 19.0, "gross": 119.0},
            source="by hand",
        ),
        Refusal({"lines": []}, "lines"),
    ),
    reply="The total is {gross}: {net} net and {tax} tax.",
)
def invoice_compute_totals(lines: Lines, prices: Prices = "net") -> Totals:
    """Compute net, tax and gross of invoice lines with any tax rates.

    Use it to check or prepare an invoice. Each line is rounded to cents, tax is computed once per rate on the sum of
    its lines, rounded half up.
    """
    amounts = [cents(dec(line["quantity"]) * dec(line["unit_price"])) for line in lines]
    rates = sorted({line["tax_percent"] for line in lines})
    sums = [
        _tax_sum(
            rate,
            sum((a for a, line in zip(amounts, lines, strict=True) if line["tax_percent"] == rate), Decimal()),
            prices,
        )
        for rate in rates
    ]
    return {
        "net": _total(part["net"] for part in sums),
        "tax": _total(part["tax"] for part in sums),
        "gross": _total(part["gross"] for part in sums),
        "by_rate": sums,
        "line_amounts": [float(amount) for amount in amounts],
    }


def _tax_sum(rate: float, amount: Decimal, prices: str) -> TaxSum:
    share = dec(rate) / 100
    net = amount if prices == "net" else cents(amount / (1 + share))
    tax = cents(net * share) if prices == "net" else amount - net
    return {"tax_percent": rate, "net": float(net), "tax": float(tax), "gross": float(net + tax)}


class MadeInvoice(TypedDict):
    """Created invoice file."""

    file: OutputFile
    net: float
    tax: float
    gross: float


@tool(
    tags="invoice pdf create bill document vat line items reportlab",
    use_when=(
        "Make a PDF invoice for 8 hours at 95 plus 19% VAT",
        "Write a bill to my customer as PDF",
        "Create invoice 2026-014 with three positions",
        "Write an invoice for hours of work with VAT",
        "Make an invoice for a customer",
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
    examples=(
        Example(
            {
                "number": "2026-014",
                "date": "2026-11-21",
                "seller": "Example Ltd\nLondon",
                "buyer": "Sample GmbH\nBerlin",
                "currency": "EUR",
                "lines": _LINES,
            },
            {"file": "invoice-2026-014.pdf", "net": 109.99, "tax": 19.7, "gross": 129.69},
            source="by hand: 19 % of 99.99 is 19.00, 7 % of 10 is 0.70",
        ),
        Example(
            {
                "number": "7",
                "date": "2026-11-21",
                "seller": "A & <B>",
                "buyer": "C",
                "currency": "USD",
                "lines": [{"description": "Lamp", "quantity": 1, "unit_price": 119, "tax_percent": 19}],
                "prices": "gross",
                "note": "Payable within 14 days",
            },
            {"file": "invoice-7.pdf", "gross": 119.0},
            source="by hand",
        ),
        Refusal(
            {
                "number": "7",
                "date": "2026-02-30",
                "seller": "A",
                "buyer": "B",
                "currency": "EU",
                "lines": _LINES,
            },
            "currency",
        ),
    ),
    reply="The invoice over {gross} {args.currency}: {file}",
)
def invoice_create_pdf(
    number: Annotated[str, About("Invoice number", "2026-014", min_length=1, max_length=40)],
    date: Date,
    seller: Party,
    buyer: Party,
    currency: Currency,
    lines: Lines,
    prices: Prices = "net",
    note: Annotated[str, About("Text at the end, such as payment terms", "Payable in 14 days", max_length=2000)] = "",
) -> MadeInvoice:
    """Create a PDF invoice on A4 from line items, with tax sums per rate.

    Use it to bill somebody. Characters outside Latin-1 may be missing in the built-in font. Returns the file and the
    totals.
    """
    totals = invoice_compute_totals(lines, prices)
    styles = getSampleStyleSheet()
    normal = styles["Normal"]
    output = io.BytesIO()
    SimpleDocTemplate(output, pagesize=A4, title=f"Invoice {number}", leftMargin=20 * mm, rightMargin=20 * mm).build(
        [
            _paragraph(seller, normal),
            Spacer(1, 10 * mm),
            _paragraph(buyer, normal),
            Spacer(1, 10 * mm),
            _paragraph(f"Invoice {number}", styles["Title"]),
            _paragraph(f"Date: {date}", normal),
            Spacer(1, 6 * mm),
            _table(lines, totals, currency, prices),
            Spacer(1, 8 * mm),
            _paragraph(note, normal),
        ]
    )
    safe = "".join(letter if letter.isalnum() else "-" for letter in number)
    return {
        "file": save(f"invoice-{safe}.pdf", output.getvalue()),
        "net": totals["net"],
        "tax": totals["tax"],
        "gross": totals["gross"],
    }


def _paragraph(text: str, style: object) -> Paragraph:
    return Paragraph(escape(text).replace("\n", "<br/>"), style)


def _table(lines: list[Line], totals: Totals, currency: str, prices: str) -> Table:
    normal = getSampleStyleSheet()["Normal"]
    rows: list[list[object]] = [["Description", "Quantity", f"Price ({prices})", "Tax %", f"Amount {currency}"]]
    rows += [
        [
            _paragraph(line["description"], normal),
            f"{line['quantity']:,g}",
            f"{line['unit_price']:,.2f}",
            f"{line['tax_percent']:g}",
            f"{amount:,.2f}",
        ]
        for line, amount in zip(lines, totals["line_amounts"], strict=True)
    ]
    sums = [["Net", "", "", "", f"{totals['net']:,.2f}"]]
    sums += [[f"Tax {part['tax_percent']:g} %", "", "", "", f"{part['tax']:,.2f}"] for part in totals["by_rate"]]
    sums += [[f"Total {currency}", "", "", "", f"{totals['gross']:,.2f}"]]
    look = TableStyle(
        [
            ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
            ("LINEBELOW", (0, 0), (-1, 0), 0.8, colors.black),
            ("LINEABOVE", (0, -len(sums)), (-1, -len(sums)), 0.8, colors.black),
            ("FONTNAME", (0, -1), (-1, -1), "Helvetica-Bold"),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ]
    )
    widths = [70 * mm, 20 * mm, 30 * mm, 18 * mm, 32 * mm]
    return Table(rows + [list(line) for line in sums], colWidths=widths, style=look, repeatRows=1)


def _total(parts: Iterable[float]) -> float:
    return float(sum(map(dec, parts), Decimal()))


class PaymentCode(TypedDict):
    """A payment QR code."""

    file: OutputFile
    payload: Annotated[str, About("Text in the code")]


@tool(
    tags="epc qr code payment sepa girocode transfer iban invoice",
    use_when=(
        "Make a payment QR code for 129.69 euro to this IBAN",
        "Create a GiroCode for my invoice",
        "QR code for a SEPA transfer with the purpose 'Rent May'",
    ),
    examples=(
        Example(
            {"name": "Red Cross", "iban": "BE72000000001616", "amount_eur": 1, "text": "Urgency fund"},
            {
                "file": "payment.svg",
                "payload": "BCD\n002\n1\nSCT\n\nRed Cross\nBE72000000001616\nEUR1\n\n\nUrgency fund\n",
            },
            source="EPC069-12: structure of version 002",
        ),
        Example(
            {
                "name": "Red Cross",
                "iban": "BE72 0000 0000 1616",
                "amount_eur": 2.5,
                "reference": "RF18539007547034",
                "image": "png",
            },
            {"file": "payment.png"},
            source="EPC069-12",
        ),
        Refusal({"name": "Red Cross", "iban": "BE73000000001616", "amount_eur": 1}, "check digits"),
    ),
    reply={
        "args.amount_eur": "The QR code for {args.amount_eur} euro to {args.name}: {file}",
        "": "The QR code for a transfer to {args.name}: {file}",
    },
)
def payment_create_epc_qr(
    name: Annotated[str, About("Recipient", "Red Cross", min_length=1, max_length=70)],
    iban: Annotated[str, About("Account of the recipient", "BE72 0000 0000 1616", min_length=15, max_length=42)],
    amount_eur: Annotated[float, About("Amount in euro", 129.69, minimum=0.01, maximum=999_999_999.99)],
    text: Annotated[str, About("Purpose as free text", "Invoice 2026-014", max_length=140)] = "",
    reference: Annotated[str, About("Creditor reference (ISO 11649) instead of text", max_length=25)] = "",
    image: Annotated[Literal["svg", "png"], About("Kind of image")] = "svg",
) -> PaymentCode:
    """Create a QR code for a SEPA credit transfer (EPC069-12, also GiroCode), which banking apps can scan.

    Use it on invoices and donation pages. Give free text or a creditor reference, not both. Returns the image and the
    coded text.
    """
    account = "".join(iban.split()).upper()
    if not _is_iban(account):
        raise ToolError("The IBAN is wrong: its check digits do not match. Copy it again.")
    if text and reference:
        raise ToolError("A transfer has either a text or a reference, not both. Omit one of them.")
    amount = f"{cents(dec(amount_eur)).normalize():f}"
    try:
        payload = "\n".join(
            ["BCD", "002", "1", "SCT", "", _line(name), account, f"EUR{amount}", "", reference, _line(text), ""]
        )
        code = segno.make(payload, error="m", micro=False, encoding="utf-8", boost_error=False)
    except segno.DataOverflowError as error:
        raise ToolError("The text is too long for a payment code. Shorten name or text.") from error
    output = io.BytesIO()
    code.save(output, kind=image, scale=6)
    return {"file": save(f"payment.{image}", output.getvalue()), "payload": payload}


def _line(text: str) -> str:
    return " ".join(text.split())


def _is_iban(text: str) -> bool:
    """Check ISO 13616: letters count from 10, and the number modulo 97 is 1."""
    if not (text.isascii() and text.isalnum() and text[:2].isalpha() and text[2:4].isdigit() and len(text) <= 34):
        return False
    return int("".join(str(int(letter, 36)) for letter in text[4:] + text[:4])) % 97 == 1
