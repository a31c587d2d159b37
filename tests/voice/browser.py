"""A headless Chromium whose microphone plays a tone, driven by the DevTools protocol."""

import asyncio
import json
import os
import signal
import subprocess
import wave
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import requests

from tests.support.programs import chromium
from tests.support.waiting import eventually

_RATE = 48_000


_MICROPHONE = """
  navigator.mediaDevices.getUserMedia = async () => {
    const context = new AudioContext();
    await context.resume();
    const [tone, volume, microphone] = [context.createOscillator(), context.createGain(),
      context.createMediaStreamDestination()];
    tone.frequency.value = %f;
    volume.gain.value = 0.25;
    tone.connect(volume).connect(microphone);
    tone.start();
    return microphone.stream;
  }"""


class Tab:
    """A page of a browser."""

    def __init__(self, channel: str) -> None:
        self._channel = channel

    def open(self, url: str) -> None:
        """Open a page."""
        self._send("Page.navigate", url=url)
        eventually(lambda: self.evaluate("document.readyState") == "complete", within=30.0, every=0.1)

    def evaluate(self, script: str) -> Any:
        """The value of an expression on the page."""
        answer = self._send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def play(self, hertz: float) -> None:
        """Replace the page's microphone by a tone of its own."""
        self.evaluate(_MICROPHONE % hertz)

    def _send(self, method: str, **parameters: Any) -> Any:
        return asyncio.run(_exchange(self._channel, method, parameters))


class Browser:
    """One browser, whose tabs have the same microphone unless they are given their own."""

    def __init__(self, folder: Path, hertz: float) -> None:
        folder.mkdir(parents=True)
        microphone = folder / "microphone.wav"
        write_tone(microphone, hertz)
        self._profile = folder / "profile"
        self._process = subprocess.Popen(
            [
                chromium() or "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--use-fake-ui-for-media-stream",
                "--use-fake-device-for-media-stream",
                f"--use-file-for-fake-audio-capture={microphone}",
                "--autoplay-policy=no-user-gesture-required",
                "--disable-features=WebRtcHideLocalIpsWithMdns,AudioServiceOutOfProcess",
                "--remote-debugging-port=0",
                f"--user-data-dir={self._profile}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._port = int(eventually(self._told_port, within=60.0))

    def open(self, url: str) -> Tab:
        """Open a page in a new tab."""
        made = requests.put(f"http://127.0.0.1:{self._port}/json/new?about:blank", timeout=30).json()
        tab = Tab(made["webSocketDebuggerUrl"])
        tab.open(url)
        return tab

    def close(self) -> None:
        """End the browser. Debian starts it by a shell, which would not pass the signal on."""
        os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait(30)

    def _told_port(self) -> str:
        file = self._profile / "DevToolsActivePort"
        return file.read_text().split("\n")[0] if file.exists() else ""


async def _exchange(page: str, method: str, parameters: dict[str, Any]) -> Any:
    async with aiohttp.ClientSession() as session, session.ws_connect(page, max_msg_size=0) as channel:
        await channel.send_str(json.dumps({"id": 1, "method": method, "params": parameters}))
        async for message in channel:
            answer = json.loads(message.data)
            if answer.get("id") == 1:
                assert "error" not in answer, answer
                return answer["result"]
    raise AssertionError("the browser closed the connection")


def write_tone(path: Path, hertz: float, seconds: int = 10) -> None:
    """A WAV file with a tone."""
    samples = 8000 * np.sin(2 * np.pi * hertz * np.arange(seconds * _RATE) / _RATE)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(_RATE)
        file.writeframes(samples.astype("<i2").tobytes())
