"""Format file sizes."""

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def size_text(size: int) -> str:
    """Return a number of bytes with a binary unit."""
    value, power = float(size), 0
    while round(value, 1) >= 1024 and power < len(_UNITS) - 1:
        value, power = value / 1024, power + 1
    return f"{value:.1f} {_UNITS[power]}" if power else f"{size} byte{'' if size == 1 else 's'}"
