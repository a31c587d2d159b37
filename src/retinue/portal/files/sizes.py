"""Format file sizes."""

from retinue.language.translation import current_language, ngettext

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def size_text(size: int) -> str:
    """Return a number of bytes with a binary unit."""
    value, power = float(size), 0
    while round(value, 1) >= 1024 and power < len(_UNITS) - 1:
        value, power = value / 1024, power + 1
    if not power:
        return ngettext("{count} byte", "{count} bytes", size).format(count=size)
    from babel.numbers import format_decimal  # noqa: PLC0415 - a start can do without it

    return f"{format_decimal(round(value, 1), '0.0', current_language.get())} {_UNITS[power]}"
