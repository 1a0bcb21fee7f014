"""What reports/cugate_reports/changes.py achieves, by simulation: a table of false alerts, steps found and time.

    PYTHONPATH=reports build/python/bin/python reports/tests/bench_changes.py

Everything is seeded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from cugate_reports.changes import find_changes

YEAR = 365
NEAR = 2  # nights: within so many of its place, a change point is still the same one


def indices(values: np.ndarray) -> list[int]:
    return [change.index for change in find_changes(values)]


def _correlated(rng: np.random.Generator, nights: int, correlation: float = 0.3) -> np.ndarray:
    noise = rng.standard_normal(nights)
    for night in range(1, nights):
        noise[night] = correlation * noise[night - 1] + noise[night] * np.sqrt(1 - correlation**2)
    return noise


# Series without a change: a level of 100 and noise of 1 unless the name says otherwise.
# To add one: a name, and what makes so many nights of it.
NOISES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "Gaussian": lambda rng, n: 100 + rng.standard_normal(n),
    "Student t(5)": lambda rng, n: 100 + rng.standard_t(5, n) / np.sqrt(5 / 3),
    "outliers, 1 % of +10 %": lambda rng, n: 100 + rng.standard_normal(n) + 10 * (rng.random(n) < 0.01),
    "5 % of nights missing": lambda rng, n: np.where(rng.random(n) < 0.05, np.nan, 100 + rng.standard_normal(n)),
    "constant": lambda rng, n: np.full(n, 100.0),
    "wobble, 2 % of 0.0007 %": lambda rng, n: 100 + 0.0007 * (rng.random(n) < 0.02),
    "exact but 5 % of +1.6 %": lambda rng, n: 100 + 1.6 * (rng.random(n) < 0.05),
    "exact but 10 % of +1.6 %": lambda rng, n: 100 + 1.6 * (rng.random(n) < 0.1),
    "pool of 2 GPUs, 4 % apart": lambda rng, n: 100 + 0.5 * rng.standard_normal(n) + 4 * (rng.random(n) < 0.2),
    "pool of 8 GPUs, +-2 %": lambda rng, n: (
        100 + 0.5 * rng.standard_normal(n) + 2 * rng.standard_normal(8)[rng.integers(0, 8, n)]
    ),
    "slow drift, 5 % a year": lambda rng, n: 100 + rng.standard_normal(n) + 5 * np.arange(n) / YEAR,
    "noise triples on night 100": lambda rng, n: 100 + rng.standard_normal(n) * np.where(np.arange(n) < 100, 1, 3),
    "correlation 0.3": lambda rng, n: 100 + _correlated(rng, n),
}


def alerts(values: np.ndarray) -> list[tuple[int, int]]:
    """Returns what a reader of the nightly page sees as new, (nights of history, change point), searching every night
    anew.
    """
    seen: list[int] = []
    found = []
    for nights in range(1, len(values) + 1):
        for index in indices(values[:nights]):
            if all(abs(index - other) > NEAR for other in seen):
                found.append((nights, index))
                seen.append(index)
    return found


def _unchanged_alerts(noise: str, nights: int, seed: int) -> list[tuple[int, int]]:
    return alerts(NOISES[noise](np.random.default_rng([seed, nights]), nights))


def false_alerts(noise: str, series: int, nights: int = YEAR) -> list[tuple[int, int]]:
    """Returns the alerts in so many series without a change, searched by as many processes as there are cores."""
    with ProcessPoolExecutor() as pool:
        one = partial(_unchanged_alerts, noise, nights)
        return [alert for found in pool.map(one, range(series), chunksize=8) for alert in found]


def stepped(before: int, nights: int, step: float, seed: int, noise: float = 0.01) -> np.ndarray:
    """Returns a level of 100 with Gaussian noise that is higher by the share `step` from night `before` on."""
    levels = np.where(np.arange(nights) < before, 1, 1 + step)
    return 100 * levels * (1 + noise * np.random.default_rng([seed, before]).standard_normal(nights))


def found_within(before: int, step: float, seed: int, nights: int = 5) -> bool:
    """Whether a step is found while its level is at most so many nights old."""
    values = stepped(before, before + nights, step, seed)
    return any(abs(index - before) <= NEAR for end in range(1, nights + 1) for index in indices(values[: before + end]))


def spike_alerts(seed: int, before: int = 30) -> bool:
    """Whether one night of +10 %, and five ordinary ones after it, lead to an alert."""
    values = stepped(before, before + 6, 0, seed)
    values[before] *= 1.1
    return any(indices(values[:end]) for end in range(before + 1, before + 7))


def _milliseconds(times: int) -> float:
    values = stepped(YEAR, YEAR, 0, 1)
    start = time.perf_counter()
    for _ in range(times):
        indices(values)
    return 1000 * (time.perf_counter() - start) / times


def _alert_row(name: str, series: int) -> str:
    found = false_alerts(name, series)
    early = sum(nights <= 20 for nights, _ in found)
    return f"{name:<28}{1000 * len(found) / series / YEAR:>8.2f}{1000 * early / series / 20:>18.2f}"


def _step_row(before: int, step: float) -> str:
    shares = (sum(found_within(before, step, seed, nights) for seed in range(1000)) / 10 for nights in (3, 4, 5, 10))
    return f"{step:>+6.0%} after {before:>3} nights     " + "".join(f"{share:>8.1f} %" for share in shares)


def _later_alerts(step: float, series: int = 50) -> float:
    """Counts alerts that are not of the step on night 30, per 1,000 series-nights of a year."""
    found = [alert for seed in range(series) for alert in alerts(stepped(30, YEAR, step, seed))]
    return 1000 * sum(abs(index - 30) > NEAR for _, index in found) / series / YEAR


def main() -> None:
    print(f"{'per 1,000 series-nights':<28}{'alerts':>8}{'in the first 20':>18}")
    for name in NOISES:
        print(_alert_row(name, 200 if name == "Gaussian" else 60), flush=True)
    with ProcessPoolExecutor() as pool:
        print(f"\n{'found within (nights)':<28}" + "".join(f"{nights:>10}" for nights in (3, 4, 5, 10)))
        cases = [(10, 0.03), (30, 0.03), (100, 0.03), (300, 0.03), (30, 0.02), (100, 0.02), (30, 0.05), (30, 0.1)]
        for row in pool.map(_step_row, *zip(*cases, strict=True)):
            print(row, flush=True)
        for step, rate in zip((0.03, 0.3), pool.map(_later_alerts, (0.03, 0.3)), strict=True):
            print(f"other alerts in the year around a step of {step:+.0%}: {rate:.2f} per 1,000 series-nights")
        print(f"one night of +10 % alerts: {sum(map(spike_alerts, range(1000))) / 10:.1f} %")
    print(f"\n365 nights: {_milliseconds(100):.2f} ms a series")


if __name__ == "__main__":
    main()
