"""Rows of tables in documents."""

from retinue_assistant.table_rows import read_lines

PRICES = """Our courses:
| Course | Age | Price per month |
| --- | --- | --- |
| Juniors (English) | 7 to 11 | €72 |
| Teens (English) | 12 to 16 | €84 |
Books are included."""
CALENDAR = """date,end date,event,school open
2026-09-14,,First day of classes,yes
2026-10-12,,National day,no
2026-12-23,2027-01-07,"Christmas holidays",no"""


def test_rows_are_written_with_the_names_of_their_columns() -> None:
    assert [line.text for line in read_lines(PRICES, "Prices.docx")] == [
        "Our courses:",
        "Juniors (English): Age 7 to 11, Price per month €72",
        "Teens (English): Age 12 to 16, Price per month €84",
        "Books are included.",
    ]
    assert [line.text for line in read_lines(CALENDAR, "Calendar.csv")][-1] == (
        "Christmas holidays: date 2026-12-23, end date 2027-01-07, school open no"
    )
    assert [line.text for line in read_lines("| Adults | €90 |", "Prices.docx")] == ["Adults, €90"]
    assert [line.is_row for line in read_lines("Hello, Ada, Ben", "Notes.txt")] == [False]
