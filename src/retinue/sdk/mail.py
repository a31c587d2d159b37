"""SMTP and IMAP for tools that take a `MailConnection`. `smtp` and `imap` open sessions that are logged in.

`asked` returns the data of an IMAP answer and refuses another status than OK; `quoted` writes a string for a command.
"""

from retinue.tools.mail_servers import Imap, asked, imap, quoted, smtp

__all__ = [
    "Imap",
    "asked",
    "imap",
    "quoted",
    "smtp",
]
