"""Delays signals that would stop this process where that would do harm."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

STOPS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def later() -> Iterator[None]:
    """Delays signals until the end of the block.

    It is for what must be done completely, and for forks: Python calls functions of its own at a fork, and an
    exception in one of them is lost.
    """
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, _: came.append(number)) for number in STOPS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)
