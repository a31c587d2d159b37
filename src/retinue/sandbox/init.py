"""The first program in a sandbox: limits itself, then executes the caller's program.

`python -I -S init.py CHANNEL USER FOLDER LIMITS COMMAND …`. CHANNEL is a socket: the program reports on it that the
sandbox is set up and waits for permission to continue. If the channel closes instead, the server is gone, and the
program exits. USER is the user id to switch to if it is still root, else 0. FOLDER is the working folder. LIMITS are
names of setrlimit(2) with values, as in `NPROC=64,CORE=0`. This imports only built-in modules, because every call
waits for it.
"""

import os
import resource
import sys

_STANDARD = 2
_NICENESS = 5
"""The server's own processes take precedence. The server sets the same value for the program's session."""

_KILLED_FIRST = b"1000"
"""When the machine runs out of memory, the kernel kills this process first (proc(5), oom_score_adj)."""


def main() -> None:
    """Run the command line."""
    channel, user, folder, limits, *command = sys.argv[1:]
    os.write(int(channel), b"r")
    if not os.read(int(channel), 1):
        sys.exit("the server is gone")
    os.closerange(_STANDARD + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    _limit(limits)
    if user != "0":
        os.setgroups([])
        os.setresgid(int(user), int(user), int(user))
        os.setresuid(int(user), int(user), int(user))
    os.chdir(folder)
    try:
        os.execvp(command[0], command)  # noqa: S606 - becoming the command is the purpose
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


def _limit(limits: str) -> None:
    """Apply resource limits; a limit that is already stricter stays."""
    os.nice(_NICENESS)
    score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(score, _KILLED_FIRST)
    os.close(score)
    for limit in limits.split(","):
        name, value = limit.split("=")
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        bound = int(value) if hard == resource.RLIM_INFINITY else min(int(value), hard)
        resource.setrlimit(kind, (bound, bound))


if __name__ == "__main__":
    main()
