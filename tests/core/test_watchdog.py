"""A process exits when its event loop is blocked for too long."""

import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, ctypes, sys, threading, time
from retinue.core.runtime.watchdog import exit_on_stall

def hold_the_lock():
    ctypes.PyDLL(None).pause()  # of a PyDLL: the interpreter's lock is never given back

def wait_for_a_lock():
    lock = threading.Lock()
    with lock:
        lock.acquire()

async def main():
    with exit_on_stall(float(sys.argv[2])):
        await asyncio.sleep(0.5)
        print("moving", flush=True)
        match sys.argv[1]:
            case "lock":
                hold_the_lock()
            case "lock on a thread":
                threading.Thread(target=hold_the_lock).start()
                await asyncio.sleep(60)
            case "wait":
                wait_for_a_lock()
    time.sleep(3.5)  # it is watched no longer

asyncio.run(main())
print("over", flush=True)
"""


def run(how: str, limit_s: float) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", PROGRAM, how, str(limit_s)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


BLOCKED = """
import asyncio, time
from retinue.core.runtime.watchdog import Watchdog

async def main():
    watchdog = Watchdog()
    watchdog.start()
    for _ in range(2):
        await asyncio.sleep(0.5)
        time.sleep(1.5)  # a call that blocks the loop
    await asyncio.sleep(0.5)
    watchdog.stop()

asyncio.run(main())
"""


def test_a_loop_that_is_blocked_is_told_with_its_stack_each_time() -> None:
    ended = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.count("in main") == 2, ended.stdout  # A busy machine may stall the loop elsewhere.


@pytest.mark.parametrize("how", ["lock", "lock on a thread", "wait"])
def test_one_that_stands_still_ends_and_says_where(how: str) -> None:
    ended = run(how, 2)
    assert (ended.returncode, ended.stdout) == (1, "moving\n")
    assert "Timeout (" in ended.stderr
    assert ("wait_for_a_lock" if how == "wait" else "hold_the_lock") in ended.stderr


def test_one_that_moves_does_not_end() -> None:
    ended = run("nothing", 3)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "moving\nover\n", "")


def test_it_can_be_switched_off() -> None:
    ended = run("nothing", 0)
    assert (ended.returncode, ended.stdout) == (0, "moving\nover\n")
