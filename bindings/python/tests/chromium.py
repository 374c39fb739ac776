"""A headless Chromium, driven over its pipe by the DevTools protocol. Tests that need one are there where one is.

`OBEYA_TEST_CHROMIUM` names the program, as in `cargo xtask clients`; without it `chromium` is looked for. Pictures of what tests look at
go to the folder that `OBEYA_TEST_PICTURES` names.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

PROGRAM = os.environ.get("OBEYA_TEST_CHROMIUM") or shutil.which("chromium")

_FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --hide-scrollbars --remote-debugging-pipe"
)


_PATIENCE = 90_000
"""Milliseconds after which a condition that is not true is a failure."""


@dataclass
class Page:
    """A page in a browser."""

    commands: BinaryIO
    answers: BinaryIO
    session: str = ""
    number: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Calls a method of the protocol and returns its result."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def open(self, address: str) -> None:
        """Opens an address and waits until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def size(self, width: int, height: int, *, phone: bool = False) -> None:
        """Sets the size of the window in CSS pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def look(self, scheme: str) -> None:
        """Prefers a light or a dark look."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def run(self, script: str) -> Any:
        """Evaluates an expression of JavaScript, and waits for it if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, condition: str) -> None:
        """Waits until an expression of JavaScript is true: it is evaluated before each frame that is drawn."""
        self.run(
            f"""new Promise((done, fail) => {{
              const end = performance.now() + {_PATIENCE};
              const look = () => ({condition}) ? done() : performance.now() > end ? fail("never true") : requestAnimationFrame(look);
              look();
            }})"""
        )

    def picture(self, name: str) -> None:
        """Takes a picture of the whole page where `OBEYA_TEST_PICTURES` names a folder."""
        folder = os.environ.get("OBEYA_TEST_PICTURES")
        if folder:
            taken = self.call("Page.captureScreenshot", captureBeyondViewport=True)
            Path(folder, f"{name}.png").write_bytes(base64.b64decode(taken["data"]))

    def print(self) -> bytes:
        """The page as it is printed, as PDF."""
        taken = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(taken["data"])

    def said(self) -> list[str]:
        """What the browser has complained about: refused scripts and styles, and errors."""
        return [
            json.dumps(event["params"])
            for event in self.events
            if event.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Security.certificateError")
        ]

    def _next(self) -> dict[str, Any]:
        text = bytearray()
        while (letter := self.answers.read(1)) != b"\0":
            assert letter, "Chromium has ended"
            text += letter
        message: dict[str, Any] = json.loads(text)
        return message


@contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """Starts a browser with an empty profile, and ends it."""
    assert PROGRAM
    to_read, commands = os.pipe()
    answers, to_write = os.pipe()

    def place() -> None:
        # Chromium reads from 3 and writes to 4. First out of the way: the pipes may have these numbers.
        high = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_read, to_write)]
        os.dup2(high[0], 3)
        os.dup2(high[1], 4)

    arguments = [PROGRAM, *_FLAGS.split(), f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(
        arguments, preexec_fn=place, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        os.close(to_read)
        os.close(to_write)
        with open(commands, "wb") as written, open(answers, "rb") as read:
            page = Page(written, read)
            target = page.call("Target.createTarget", url="about:blank")["targetId"]
            page.session = page.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Log", "Runtime"):
                page.call(f"{domain}.enable")
            try:
                yield page
            finally:
                process.terminate()
