"""The server's side of the media worker: the process that holds telephone lines and does speech."""
