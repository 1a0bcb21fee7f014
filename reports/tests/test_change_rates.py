"""changes.py: how often it alerts for nothing and how soon it finds a step, in seeded nights."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pytest
from scipy.stats import beta, chi2

from cugate_reports.changes import find_changes

YEAR = 365
NEAR = 2  # nights: within so many of its place, a change point is still the same one


def indices(values: np.ndarray) -> list[int]:
    return [change.index for change in find_changes(values)]


# Series without a change: a level of 100 and noise of 1 unless the name says otherwise.
# To add one: a name, and what makes so many nights of it.
NOISES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "Gaussian": lambda rng, n: 100 + rng.standard_normal(n),
    "Student t(5)": lambda rng, n: 100 + rng.standard_t(5, n) / np.sqrt(5 / 3),
    "outliers, 1 % of +10 %": lambda rng, n: 100 + rng.standard_normal(n) + 10 * (rng.random(n) < 0.01),
    "constant": lambda rng, n: np.full(n, 100.0),
    "wobble, 2 % of 0.0007 %": lambda rng, n: 100 + 0.0007 * (rng.random(n) < 0.02),
}


def _alerts(noise: str, nights: int, seed: int) -> int:
    """Counts what a reader of the nightly page sees as new in a series without a change, searching every night anew."""
    values, seen = NOISES[noise](np.random.default_rng([seed, nights]), nights), []
    for end in range(1, nights + 1):
        seen += [index for index in indices(values[:end]) if all(abs(index - other) > NEAR for other in seen)]
    return len(seen)


def false_alerts(noise: str, series: int, nights: int = YEAR) -> int:
    """Counts the alerts in so many series without a change, searched by as many processes as there are cores."""
    with ProcessPoolExecutor() as pool:
        return sum(pool.map(partial(_alerts, noise, nights), range(series), chunksize=8))


def stepped(before: int, nights: int, step: float, seed: int) -> np.ndarray:
    """Returns a level of 100 with noise of 1 % that is higher by the share `step` from night `before` on."""
    levels = np.where(np.arange(nights) < before, 1, 1 + step)
    return 100 * levels * (1 + 0.01 * np.random.default_rng([seed, before]).standard_normal(nights))


def found_within(before: int, step: float, seed: int, nights: int = 5) -> bool:
    """Whether a step is found while its level is at most so many nights old."""
    values = stepped(before, before + nights, step, seed)
    return any(abs(index - before) <= NEAR for end in range(1, nights + 1) for index in indices(values[: before + end]))


def spike_alerts(seed: int, before: int = 30) -> bool:
    """Whether one night of +10 %, and five ordinary ones after it, lead to an alert."""
    values = stepped(before, before + 6, 0, seed)
    values[before] *= 1.1
    return any(indices(values[:end]) for end in range(before + 1, before + 7))


def _rate_at_most(events: int, nights: int) -> float:
    """The upper end of the one-sided 95 % confidence interval of a Poisson rate (Garwood, Biometrika 28, 1936)."""
    return float(chi2.ppf(0.95, 2 * (events + 1))) / 2 / nights


def _share_at_least(successes: int, trials: int) -> float:
    """The lower end of the one-sided 95 % confidence interval of a share (Clopper and Pearson, Biometrika 26, 1934)."""
    return float(beta.ppf(0.05, successes, trials - successes + 1))


# Every history from 1 night to so many is searched. Long ones take most of the time, so only one noise has a year.
@pytest.mark.parametrize(
    ("noise", "series", "nights"),
    [("Gaussian", 55, YEAR), ("Student t(5)", 200, 100), ("outliers, 1 % of +10 %", 200, 100)],
)
def test_at_most_one_false_alert_in_1000_series_nights(noise, series, nights):
    assert series * nights >= 20_000
    assert _rate_at_most(false_alerts(noise, series, nights), series * nights) <= 0.001


def test_short_histories_do_not_alert_more_often():
    assert _rate_at_most(false_alerts("Gaussian", 2000, 20), 2000 * 20) <= 0.001


def test_a_step_of_3_percent_is_found_within_5_nights():
    found = sum(found_within(before=30, step=0.03, seed=seed) for seed in range(1000))
    assert _share_at_least(found, 1000) >= 0.9


def test_one_night_far_off_does_not_alert():
    assert sum(spike_alerts(seed) for seed in range(500)) <= 5
