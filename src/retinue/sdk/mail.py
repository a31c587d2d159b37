"""SMTP and IMAP for tools that take a `MailConnection`. `smtp` and `imap` open authenticated sessions.

`ask` returns the data of an IMAP response, and raises `ToolError` if its status is not OK. `quote` quotes a string for
an IMAP command.
"""

from retinue.tools.outbound.mail_servers import Imap, ask, imap, quote, smtp

__all__ = [
    "Imap",
    "ask",
    "imap",
    "quote",
    "smtp",
]
