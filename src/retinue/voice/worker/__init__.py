"""The media worker: a process in the voice environment that handles telephone lines, listens and speaks.

It has no access to agents, accounts or the database. It receives orders from the server over a socket
(`voice/wire.py`) and reports events. Its modules import only the standard library, the packages of the voice
environment, `retinue.voice.speech`, `retinue.core.children.frames`, and the sandbox of tools.

From the server: `start` (once), `dial`, `answer`, `reject`, `say`, `finish`, `cut`, `hangup`, `hangup_after`,
`hold`, `resume`, `press`, `transfer`. Without a call: `rehearse`.
For a room: `open`, `offer`, `take`, `say`, `finish`, `mute`, `send_out`, `close`.
To the server: `ready`, `trouble`, `incoming`, `dialled`, `ringing`, `answered`, `detected`, `message_end`, `heard`,
`spoken`, `silent`, `key`, `done` (the order with that number), `failed`, `ended`. `answered` and `ended` contain the
time of the SIP event on the monotonic clock, which is the same for all processes of a machine. `ended` says whether
this side hung up.
The answer to `rehearse`: `rehearsed`.
From a room: `answer`, `refused`, `said`, `spoken`, `left`.
"""
