"""Makes the report again and again, in a thread. When that fails, the last good one stays, with the time from which it is."""

from __future__ import annotations

import datetime
import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass

from obeya import APIError
from obeya._report._gather import Figures


@dataclass(frozen=True)
class State:
    """What the wall knows."""

    figures: Figures | None = None
    """The last good figures; None before the first."""
    made: datetime.datetime | None = None
    """When they were read."""
    away: datetime.datetime | None = None
    """Since when reading has failed; None if it has succeeded last."""


@dataclass(frozen=True)
class Shown:
    """The page of a state, ready to be sent."""

    body: bytes
    tag: str
    """A digest of it. Another page has another one."""
    ready: bool
    """Whether it has figures."""


class Builder:
    """The state of a wall, and the thread that renews it."""

    def __init__(
        self, gather: Callable[[], Figures], show: Callable[[State], str], every: float, say: Callable[[str], None]
    ) -> None:
        """`gather` reads the figures, `show` makes a page of a state, `every` is in seconds, and `say` receives a message about each failure."""
        self._gather = gather
        self._show = show
        self._every = every
        self._say = say
        self._stopped = threading.Event()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="obeya-wall", daemon=True)
        self._state = State()
        self._shown = self._rendered()

    @property
    def shown(self) -> Shown:
        """The page of the moment. It is replaced as a whole."""
        return self._shown

    def start(self) -> None:
        """Begins to renew the state, after the time between two reports."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread. A report that is being made is not waited for: it changes nothing."""
        self._stopped.set()

    def renew(self) -> None:
        """Reads once. A service that does not answer, or refuses, changes the state and is no error.

        Raises:
            Unknown: Something that the report is asked for does not exist.
        """
        try:
            figures = self._gather()
        except (APIError, OSError) as error:
            if self._state.away is None:
                self._say(f"error: {error}")
            self._set(State(self._state.figures, self._state.made, self._state.away or _now()))
        else:
            if self._state.away is not None:
                self._say("the service answers again")
            self._set(State(figures, _now()))

    def wait(self, tag: str, timeout: float) -> Shown:
        """The page as soon as it is another one than that of the tag, and that of the moment after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._shown.tag != tag, timeout)
        return self._shown

    def _run(self) -> None:
        while not self._stopped.wait(self._every):
            try:
                self.renew()
            except Exception as error:
                # A wall hangs in a room without a keyboard: whatever is wrong is said, and the next
                # attempt may succeed.
                self._say(f"error: {error}")
                self._set(State(self._state.figures, self._state.made, self._state.away or _now()))

    def _set(self, state: State) -> None:
        if self._stopped.is_set():
            return
        self._state = state
        with self._changed:
            self._shown = self._rendered()
            self._changed.notify_all()

    def _rendered(self) -> Shown:
        body = self._show(self._state).encode()
        return Shown(body, hashlib.sha256(body).hexdigest()[:32], self._state.figures is not None)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)
