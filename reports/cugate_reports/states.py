"""What people said of a red night: seen, expected until a day, or mended by a commit (`cugate-report state`).

It is kept in the history, one state a night. Other red nights of the same kernels, or of some of them, have it too:
those right before, and later ones until the day that was said, but not once they are said to be mended, since then they
are worse again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec import Struct

from cugate_reports.extracts import NOT_JUDGED, VERDICTS

if TYPE_CHECKING:
    from cugate_reports.nights import Nights


class State(Struct, kw_only=True, omit_defaults=True):
    """What was said of a night: by whom and when (UTC). until is a day, mended a commit."""

    schema: Literal[1] = 1
    by: str
    date: str
    until: str | None = None
    mended: str | None = None
    words: str | None = None


@dataclass(frozen=True)
class RedNight:
    """A night with kernels that are red. state: what was said of it, or of another night, `of`."""

    night: int
    kernels: list[str]
    state: State | None
    of: int
    again: State | None  # the same kernels were said to be mended

    @property
    def word(self) -> str:
        """Returns open, seen, expected or fixed."""
        if self.state is None:
            return "open"
        return "fixed" if self.state.mended else "expected" if self.state.until else "seen"


def green_again(nights: Nights, one: RedNight) -> int | None:
    """Returns the night since which none of its kernels is red or in doubt. None while one is, or if one was not judged
    since.
    """
    last = max(night for night, red in enumerate(nights.red) if not set(red).isdisjoint(one.kernels))
    good = np.arange(len(nights.dates)) > last
    for kernel in one.kernels:
        if kernel not in nights.rows or not good.any():
            return None
        worst = nights.over(kernel).verdicts.min(axis=1, initial=NOT_JUDGED)
        good &= (worst > VERDICTS.index("unsure")) & (worst < NOT_JUDGED)
    return int(good.argmax()) if good.any() else None


def red_nights(nights: Nights) -> list[RedNight]:
    """Returns the red nights, oldest first."""
    found: list[RedNight] = []
    said: RedNight | None = None  # the last one with a state
    for night, kernels in enumerate(nights.red):
        if not kernels:
            continue
        state, of, again = nights.states[night], night, None
        if state is None and said and said.state and set(kernels) <= set(said.kernels):
            if said.state.mended:
                again = said.state
            elif not said.state.until or nights.dates[night][:10] <= said.state.until:
                state, of = said.state, said.of
        found.append(RedNight(night, kernels, state, of, again))
        said = found[-1] if state else said
    for place in range(len(found) - 2, -1, -1):  # of what was red on the nights right before it is said too
        one, later = found[place : place + 2]
        is_next = later.night == one.night + 1 and later.of >= later.night
        if not one.state and is_next and set(one.kernels) <= set(later.kernels):
            found[place] = replace(one, state=later.state, of=later.of)
    return found
