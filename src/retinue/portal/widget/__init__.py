"""The widget that visitors chat with, and its page on this server. `bundle` joins its sources into one script."""
