"""The media worker: a process in the voice environment that holds telephone lines, listens and speaks.

It knows nothing of agents, accounts or the database. It does what the server tells it over a socket (`voice/wire.py`),
and tells what happens. Imported here are the standard library, the packages of the voice environment, and
`retinue.voice.speech`, and the sandbox of tools.

From the server: `start` (once), `dial`, `answer`, `reject`, `say`, `finish`, `cut`, `hangup`, `hangup_after`,
`hold`, `resume`, `press`, `transfer`.
For a room: `open`, `offer`, `take`, `say`, `finish`, `close`.
To the server: `ready`, `trouble`, `incoming`, `dialled`, `ringing`, `answered`, `heard`, `spoken`,
`silent`, `key`, `done` (the order of that number), `failed`, `ended`. `answered` and `ended` say when SIP brought the
news, by the monotonic clock, which is the same for all processes of a machine.
Of a room: `answer`, `refused`, `said`, `spoken`, `left`.
"""
