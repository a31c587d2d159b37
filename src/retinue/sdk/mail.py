"""SMTP and IMAP for tools that take a `MailConnection`. `smtp` and `imap` open sessions that are logged in.

`asked` returns the data of an IMAP answer and refuses another status than OK; `quoted` writes a string for a command.
"""

from retinue.tools.mail_servers import Imap, ask, imap, quote, smtp

__all__ = [
    "Imap",
    "ask",
    "imap",
    "quote",
    "smtp",
]
