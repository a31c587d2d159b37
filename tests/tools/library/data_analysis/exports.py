"""Small files as real programs export them, with the rows that are right, or the words of the refusal."""

import base64
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from retinue_tools.documents._office_samples import xlsx

Records = list[dict[str, Any]]


@dataclass(frozen=True)
class Export:
    """A file, its rows or a refusal, and words that its notes must contain, one for each."""

    name: str
    content: bytes
    rows: Records = field(default_factory=list)
    notes: Sequence[str] = ()
    refusal: str = ""


def _text(
    name: str, text: str, rows: Records | None = None, *notes: str, encoding: str = "utf-8", refusal: str = ""
) -> Export:
    return Export(name, text.encode(encoding), rows or [], notes, refusal)


def _sheet(name: str, book: str, rows: Records, *notes: str, changes: Sequence[tuple[str, str]] = ()) -> Export:
    """A workbook in Base64, with changes to the XML of its parts."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(book))) as source, zipfile.ZipFile(target, "w") as archive:
        for part in source.namelist():
            content = source.read(part).decode()
            for old, new in changes:
                content = content.replace(old, new)
            archive.writestr(part, content)
    return Export(name, target.getvalue(), rows, notes)


_AB = [{"a": 1, "b": 2}]
_TEA = [{"item": "Tea", "size": 'the 5" pipe', "price": 2}, {"item": "Rice", "size": "1,5 kg", "price": 3}]
_BANK = [
    {"Buchungstag": "01.02.2026", "Zweck": "Miete", "Betrag": "-750,00"},
    {"Buchungstag": "03.02.2026", "Zweck": "Gehalt; Februar", "Betrag": "2.100,00"},
]
_JAPANESE = [{"商品名": "お茶", "価格": 120}, {"商品名": "米", "価格": 340}]
_SAP = [{"Material": "100-100", "Text": "Pump", "Qty": 10}, {"Material": "100-200", "Text": "Valve", "Qty": 4}]

DELIMITED = (
    _text("hint of Excel", "sep=;\r\na;b\r\n1;2\r\n", _AB),
    _text("hint against the contents", "sep=|\na,x|b,x\n1|2\n", [{"a,x": 1, "b,x": 2}]),
    _text("quoted hint with a mark", '\ufeff"sep=;"\r\na;b\r\n1;2\r\n', _AB),
    _text(
        "German Excel",
        "\ufeffPLZ;Ort;Preis\r\n01067;Dresden;2,50\r\n",
        [{"PLZ": "01067", "Ort": "Dresden", "Preis": "2,50"}],
    ),
    _text(
        "bank statement with facts above",
        '"Kontonummer:";"DE02120300000000202051"\n"Von:";"01.02.2026"\n\n"Buchungstag";"Zweck";"Betrag"\n'
        '"01.02.2026";"Miete";"-750,00"\n"03.02.2026";"Gehalt; Februar";"2.100,00"\n',
        _BANK,
        "Lines 1 to 3 are above the header",
    ),
    _text("title and blank line", "Sales, January\n\na;b\n1;2\n", _AB, "Lines 1 to 2"),
    _text(
        "padded title of Excel",
        "Report,,\nitem,size,price\nTea,S,2\n",
        [{"item": "Tea", "size": "S", "price": 2}],
        "Line 1 is",
    ),
    _text("blank lines first", "\n\r\na,b\n1,2\n", _AB),
    _text(
        "short rows",
        "a,b,c\n1,2\n3,4,5\n",
        [{"a": 1, "b": 2, "c": None}, {"a": 3, "b": 4, "c": 5}],
        "Line 2 has fewer fields",
    ),
    _text("long row", "a,b\n1,2\n3,4,5\n6,7\n", refusal="Line 3 has 3 fields, but the header has 2"),
    _text("long rows after a title", "Report\na,b\n1,2\n3,4,5\n6,7,8\n9,1\n", refusal="Line 4 has 3 fields"),
    _text("delimiters at the ends of rows", "a,b\n1,2,\n", _AB),
    _text("delimiters at all ends", "a;b;\n1;2;\n", _AB),
    _text("rows of nothing at the end", "a;b\n1;2\n;\n;\n", _AB),
    _text("lone quotes", 'item,size,price\nTea,the 5" pipe,2\nRice,"1,5 kg",3\n', _TEA),
    _text("quotes not doubled", 'item,size,price\nTea,"the 5" pipe",2\nRice,"1,5 kg",3\n', _TEA, "Line 2 has a quote"),
    _text(
        "quote not closed",
        'id,item\n1,"Tea\n2,"Rice\n',
        [{"id": 1, "item": '"Tea'}, {"id": 2, "item": '"Rice'}],
        "Lines 2, 3 have a quote",
    ),
    _text(
        "line break in a field",
        'a,b\n"1\n2",3\n4\n',
        [{"a": "1\n2", "b": 3}, {"a": "4", "b": None}],
        "Line 4 has fewer",
    ),
    _text("lines of old Macs", "a,b\r1,2\r", _AB),
    _text("mixed line ends", "a,b\r\n1,2\n3,4\r\n5,6\r", [{"a": 1, "b": 2}, {"a": 3, "b": 4}, {"a": 5, "b": 6}]),
    _text(
        "one column of prose",
        "comment\nGood, thanks\nBad, sorry\n",
        [{"comment": "Good, thanks"}, {"comment": "Bad, sorry"}],
    ),
    _text(
        "prose beside a delimiter",
        "name;address\nX;Street 1, 12345 City, DE\nY;Way 2, 54321 Town, FR\n",
        [{"name": "X", "address": "Street 1, 12345 City, DE"}, {"name": "Y", "address": "Way 2, 54321 Town, FR"}],
    ),
    _text("lists within fields", "id,tags\n1,x;y\n2,z;w\n", [{"id": 1, "tags": "x;y"}, {"id": 2, "tags": "z;w"}]),
    _text("header with a gap", ",a,b\nx,1,2\n", [{"column_1": "x", "a": 1, "b": 2}]),
    _text(
        "row of totals",
        "item;price\nTea;2\nRice;3\nSumme;5\n",
        [{"item": "Tea", "price": 2}, {"item": "Rice", "price": 3}, {"item": "Summe", "price": 5}],
        "seems to be a total (Summe)",
    ),
    _text(
        "list of SAP",
        "Stock\n\n---------------------------\n|Material|Text      |   Qty|\n|--------|----------|------|\n"
        "|100-100 |Pump      |    10|\n|100-200 |Valve     |     4|\n---------------------------\n",
        _SAP,
        "Lines 1 to 3",
    ),
    _text(
        "columns aligned by spaces",
        "Stock list\n\nMaterial   Text          Qty\n---------  ----------  -----\n"
        "100-100    Pump           10\n100-200    Valve           4\n",
        _SAP,
        "Lines 1 to 2",
    ),
    _text("Unicode text of Excel", "a\tb\r\n1\t2\r\n", _AB, encoding="utf-16"),
    _text("UTF-16 without a mark", "a\tb\r\n1\t2\r\n", _AB, encoding="utf-16-le"),
    _text("Japanese Windows", "商品名,価格\r\nお茶,120\r\n米,340\r\n", _JAPANESE, "Shift_JIS", encoding="cp932"),
    _text("Japanese Unix", "商品名,価格\nお茶,120\n米,340\n", _JAPANESE, "EUC-JP", encoding="euc_jp"),
    _text("Japanese mail", "商品名,価格\nお茶,120\n米,340\n", _JAPANESE, encoding="iso2022_jp"),
    _text("Chinese", "姓名,城市\n张伟,北京\n", [{"姓名": "张伟", "城市": "北京"}], "read as", encoding="gbk"),
    _text("Taiwanese", "姓名,城市\n陳大文,台北\n", [{"姓名": "陳大文", "城市": "台北"}], "Big5", encoding="big5"),
    _text("Korean", "이름,도시\n김철수,서울\n", [{"이름": "김철수", "도시": "서울"}], "EUC-KR", encoding="euc_kr"),
    _text("Russian Unix", "Имя,Город\nЮлия,Омск\n", [{"Имя": "Юлия", "Город": "Омск"}], "KOI8", encoding="koi8-r"),
    _text("Russian Windows", "Имя;Город\nЮлия;Омск\n", [{"Имя": "Юлия", "Город": "Омск"}], "1251", encoding="cp1251"),
    _text(
        "Western Windows",
        "Artikel;Preis\nKäse;2,50 €\n",
        [{"Artikel": "Käse", "Preis": "2,50 €"}],
        "windows-1252",
        encoding="cp1252",
    ),
    _text("DOS", "Name;Stadt\nJürgen;Köln\n", refusal="csv_convert_dialect", encoding="cp850"),
    _text(
        "a web page called .xls", "<html><body><table><tr><td>a</td></tr></table></body></html>", refusal="HTML or XML"
    ),
    Export("a PDF", b"%PDF-1.7\n%\xe2\xe3\n1 0 obj", refusal="pdf_extract_tables"),
    Export("old Excel", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), refusal="old format of Office"),
    Export(
        "Excel with a password",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
        refusal="protected by a password",
    ),
    Export("damaged Parquet", b"PAR1" + b"\xff" * 100 + b"PAR1", refusal="The Parquet file is damaged"),
)

JSON = (
    _text("lines with blank ones", '{"a":1,"b":2}\n\n', _AB),
    _text("lines with commas", '{"a":1,"b":2},\n{"a":3,"b":4},\n', [{"a": 1, "b": 2}, {"a": 3, "b": 4}]),
    _text("list with a mark", '\ufeff[{"a":1,"b":2}]', _AB),
    _text("list in UTF-16", '[{"a":1,"b":2}]', _AB, encoding="utf-16"),
    _text("list in an object", '{"count": 1, "data": [{"a":1,"b":2}], "warnings": []}', _AB),
    _text("list in objects", '{"status": "ok", "response": {"items": [{"a":1,"b":2}]}}', _AB),
    _text("values of Google Sheets", '{"range": "A1:B2", "values": [["a","b"],[1,2]]}', _AB),
    _text("one bad line", '{"a":1}\n{"a":2}\n{"a":\n{"a":4}\n', refusal="Line 3 is not JSON"),
    _text("list that is cut off", '[{"a":1},\n{"a":', refusal="malformed in line 2, column 6"),
    _text("list of numbers", "[1, 2]", refusal="list of objects"),
)  # fmt: skip


SHEETS = (
    _sheet(
        "title above",
        xlsx(Sales=(("Sales 2026",), (), ("item", "day", "amount"), ("Tea", "2026-01-31", 2.5), (None, " ", None))),
        [{"item": "Tea", "day": "2026-01-31", "amount": 2.5}],
        "Rows 1 to 2 are above",
    ),
    _sheet(
        "merged cells",
        xlsx(Sales=(("region", "item", "n"), ("North", "Tea", 1), (None, "Rice", 2), ("South", "Tea", 3))),
        [
            {"region": "North", "item": "Tea", "n": 1},
            {"region": "North", "item": "Rice", "n": 2},
            {"region": "South", "item": "Tea", "n": 3},
        ],
        changes=[("</sheetData>", '</sheetData><mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>')],
    ),
    _sheet(
        "hidden and empty sheets",
        xlsx(Hidden=(("x",), (1,)), Empty=(), Sales=(("a", "b"), (1, 2))),
        _AB,
        "Only the sheet Sales was read",
        changes=[('<sheet name="Hidden" ', '<sheet name="Hidden" state="hidden" ')],
    ),
    _sheet(
        "errors, and numbers as text",
        xlsx(Sales=(("item", "n"), ("Tea", 1), ("Rice", "2"), ("Salt", "#N/A"), ("Total", 3))),
        [{"item": "Tea", "n": 1}, {"item": "Rice", "n": 2}, {"item": "Salt", "n": None}, {"item": "Total", "n": 3}],
        "errors such as #N/A",
        "seems to be a total (Total)",
    ),
    _sheet("codes as text", xlsx(Sales=(("plz", "n"), ("01067", 1))), [{"plz": "01067", "n": 1}]),
)

EXPORTS = (*DELIMITED, *JSON, *SHEETS)
