"""Tests changes.py: what it finds, and how it handles odd series. test_change_rates.py tests how often it is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_change_rates import false_alerts, indices

from cugate_reports.changes import Change, find_changes


@pytest.mark.parametrize("noise", ["constant", "wobble, 2 % of 0.0007 %"])
def test_counters_that_repeat_do_not_alert(noise):
    assert false_alerts(noise, 10) == 0


def test_levels_and_nights_of_two_steps():
    values = np.repeat([100.0, 103.0, 50.0], [20, 10, 15])
    assert find_changes(values) == [Change(20, 100, 103), Change(30, 103, 50)]


@pytest.mark.parametrize("step", [0.001, -0.001, 0.5])
def test_exact_counter_that_moves_for_good(step):
    values = np.repeat([7e9, 7e9 * (1 + step)], [30, 5])
    assert indices(values) == [30]


@pytest.mark.parametrize("far", [0.0, 1e3, 1e12])
@pytest.mark.parametrize("before", [6, 30, 350])
@pytest.mark.parametrize("after", range(9))
def test_two_nights_off_are_no_change(far, before, after):
    values = np.full(before + 2 + after, 100.0)
    values[[before, before + 1]] = far
    assert find_changes(values) == []


def test_from_zero_and_to_zero():
    (up,) = find_changes(np.repeat([0.0, 5.0], [30, 5]))
    assert up == Change(30, 0, 5)
    (down,) = find_changes(np.repeat([5.0, 0.0], [30, 5]))
    assert (down.index, down.after) == (30, 0)


def test_a_step_after_code_became_ten_times_faster():
    noise = 1 + 0.01 * np.random.default_rng(3).standard_normal(130)
    assert indices(np.repeat([1000.0, 100.0, 105.0], [100, 20, 10]) * noise) == [100, 120]


def test_nights_without_a_value_keep_their_place():
    values = np.full(50, np.nan)
    values[3:20:2] = 10
    values[[4, 6, 21]] = [-1, np.inf, -np.inf]  # no metric can be these
    values[24:50:2] = 11
    assert find_changes(values) == [Change(24, 10, 11)]


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0] * 3, [1.0, 1.0, 1.0, 9.0, 9.0, 9.0, 9.0], [math.nan] * 40])
def test_too_few_nights_have_no_change(values):
    assert find_changes(np.array(values)) == []


def test_values_are_left_as_they_were():
    values = np.repeat([100.0, math.nan, 103.0], [20, 1, 10])
    values.flags.writeable = False
    assert indices(values) == [21]
    assert indices(np.repeat([[100, 7], [103, 7]], 10, axis=0)[:, 0]) == [10]  # a column, and whole numbers
