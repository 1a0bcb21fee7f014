"""changes.py: how often it alerts for nothing and how soon it finds a step, in simulated nights."""

from __future__ import annotations

import pytest
from bench_changes import YEAR, false_alerts, found_within, spike_alerts
from scipy.stats import beta, chi2


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
    assert _rate_at_most(len(false_alerts(noise, series, nights)), series * nights) <= 0.001


def test_short_histories_do_not_alert_more_often():
    assert _rate_at_most(len(false_alerts("Gaussian", 2000, 20)), 2000 * 20) <= 0.001


def test_a_step_of_3_percent_is_found_within_5_nights():
    found = sum(found_within(before=30, step=0.03, seed=seed) for seed in range(1000))
    assert _share_at_least(found, 1000) >= 0.9


def test_one_night_far_off_does_not_alert():
    assert sum(spike_alerts(seed) for seed in range(500)) <= 5
