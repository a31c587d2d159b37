"""The charsets of texts from other servers, by the labels of the WHATWG Encoding Standard and Python's own names."""

import codecs

_FAMILIES = (
    *(f"iso8859-{part}" for part in range(1, 17) if part != 12),
    *(f"cp125{part}" for part in range(9)),
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "ascii"),
    *("cp866", "cp874", "tis-620", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"),
    *("big5", "big5hkscs", "gb2312", "gbk", "gb18030", "hz"),
    *("shift_jis", "cp932", "euc_jp", "iso2022_jp", "euc_kr", "cp949", "johab"),
)
_SAFE = frozenset(codecs.lookup(name).name for name in _FAMILIES)


def codec_of(charset: str | None) -> str | None:
    """Return the codec of a charset that another server declares, or None if there is none for texts of the web.

    Python has more codecs. Some decode in quadratic time (`punycode`, `idna`), others are no charsets.
    """
    try:
        name = codecs.lookup(charset or "").name
    except (LookupError, ValueError):
        return None
    return name if name in _SAFE else None
