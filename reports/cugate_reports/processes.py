"""Work that is spread over processes, such that nothing can be waited for that does not come.

Each process has a pipe of its own and shares no lock with another: one that is ended, at whatever moment, leaves the
others free, and shows as the end of its pipe. (multiprocessing.Pool has one queue for all. A process that a signal ends
while it reads takes the lock of that queue with it, and to terminate the pool waits for that lock.)"""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from cugate_reports import signals

Job = TypeVar("Job")
Made = TypeVar("Made")


class ProcessError(Exception):
    """A process ended before its work did; the text says how."""


def _serve(
    jobs: Sequence[Job], do: Callable[[Job], Any], place: int, pipe: Connection, others: Iterable[Connection]
) -> None:
    """Runs in a process: does one job, then those that arrive by its pipe, until that ends. It ignores signals to the
    whole group, since the parent ends it.
    """
    for number in signals.STOPS:
        signal.signal(number, signal.SIG_IGN)
    for other in others:  # the parent's ends: if one stays open here, its process does not see the end of the parent
        other.close()
    try:
        while True:
            failure = made = None
            try:
                made = do(jobs[place])
            except Exception as reason:  # the parent has to know any reason
                failure = reason, traceback.format_exc()
            pipe.send((failure, place, made))
            place = pipe.recv()
    except (EOFError, OSError):
        return  # the parent has ended, or needs no more


def _next(pipe: Connection, process: BaseProcess, places: Iterator[int]) -> tuple[int, Any]:
    """Takes the result of a job, returns it with its index, and hands out the next job."""
    try:
        failure, done, made = pipe.recv()
        for place in places:
            pipe.send(place)
            break
    except (EOFError, OSError):
        process.join()
        raise ProcessError(
            f"one of the processes that share this work ended before it was done, with status {process.exitcode}: "
            "perhaps there was too little memory"
        ) from None
    if failure:
        raise failure[0] from ProcessError(failure[1])
    return done, made


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
    context, places = multiprocessing.get_context("fork"), iter(range(len(jobs)))
    processes: dict[Connection, BaseProcess] = {}
    gc.collect()
    gc.freeze()  # else the first garbage collection of each process would copy all shared memory
    try:
        for place in itertools.islice(places, len(os.sched_getaffinity(0))):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(jobs, do, place, theirs, [*processes, ours]), daemon=True)
            with signals.later():
                process.start()
                processes[ours] = process
            theirs.close()
        found: dict[int, Made] = {}
        while len(found) < len(jobs):
            for pipe in wait(list(processes)):
                place, made = _next(pipe, processes[pipe], places)  # type: ignore[index, arg-type]
                found[place] = made
                done(len(found))
        return [found[place] for place in range(len(jobs))]
    finally:
        with signals.later():
            for pipe, process in processes.items():
                pipe.close()
                process.kill()
                process.join()
