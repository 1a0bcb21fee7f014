"""Signals that are to stop this process, where they would do harm."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

STOPS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def later() -> Iterator[None]:
    """Those that come meanwhile come at its end: for what has to be done whole, and for forks (at one Python calls
    functions of its own, and an exception in one of them is lost)."""
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, _: came.append(number)) for number in STOPS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)
