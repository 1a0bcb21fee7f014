"""Work that is spread over processes."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from cugate_reports import signals

Job = TypeVar("Job")
Made = TypeVar("Made")

_work: tuple[Sequence[Any], Callable[[Any], Any]]  # of a forked process: what there is to do, and how


class ProcessError(Exception):
    """A process ended before its work did; the text says so."""


def _begin(jobs: Sequence[Any], do: Callable[[Any], Any]) -> None:
    """Runs first in a process. It ignores signals to the whole group, since the parent ends it."""
    global _work
    _work = jobs, do
    for number in signals.STOPS:
        signal.signal(number, signal.SIG_IGN)


def _do(place: int) -> Any:
    jobs, do = _work
    return do(jobs[place])


def spread(jobs: Sequence[Job], do: Callable[[Job], Made], done: Callable[[int], object]) -> list[Made]:
    """Calls do(job) for each job in forked processes, as many at once as there are processors, and done(how many) here
    after each. A job that is alone is done here.

    Forked processes have all that this one has. Returns the results in the order of the jobs. An exception of `do`
    is raised here, with the process's own traceback as its cause. However this ends, no process is left.
    """
    if len(jobs) == 1:
        made = do(jobs[0])
        done(1)
        return [made]
    gc.collect()
    gc.freeze()  # else the first garbage collection of each process would copy all shared memory
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(len(os.sched_getaffinity(0)), context, _begin, (jobs, do))
    try:
        with signals.later():
            futures = [pool.submit(_do, place) for place in range(len(jobs))]
        for count, future in enumerate(as_completed(futures), 1):
            future.result()
            done(count)
        return [future.result() for future in futures]
    except BrokenProcessPool:
        raise ProcessError(
            "one of the processes that share this work ended before it was done: perhaps there was too little memory"
        ) from None
    finally:
        with signals.later():
            for process in multiprocessing.active_children():
                process.kill()
            pool.shutdown(cancel_futures=True)
