"""QR codes (ISO/IEC 18004) as SVG."""

from markupsafe import Markup


def qr_svg(text: str) -> Markup:
    """Return the QR code of a text, dark on white in both themes: many cameras cannot read inverted codes."""
    import segno  # noqa: PLC0415 - few requests need it

    drawn = segno.make(text, error="m", micro=False)
    return Markup(drawn.svg_inline(dark="#000", light="#fff", border=3, omitsize=True))  # noqa: S704 - segno's own markup
