"""What a process needs besides its data: clock, identifiers, logs, data folder, thread pools, encryption, watchdog.

Nothing here knows the database or HTTP.
"""
