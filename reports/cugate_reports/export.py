"""What a history gives back: run files as they were ingested, those that belong to one A/A, or values as a table."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import TextIO

from cugate_reports import files, whole
from cugate_reports.files import Run
from cugate_reports.history import History, Stored


def _name(stored: Stored) -> str:
    return f"{stored.date.replace(':', '')}-{stored.key[:8]}.json"


def write_runs(history: History, folder: Path, last: int | None) -> int:
    """Writes the last runs of each GPU model, byte by byte as they were ingested; how many."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for device in history.devices():
        for stored in history.read("run", device, last):
            with whole.file(folder / _name(stored), "wb") as stream:
                stream.write(stored.body)
            count += 1
    return count


def _code(run: Run) -> dict[str, tuple[list[str | None], list[str]]]:
    """The machine code of each kernel's launches, and what was measured of it: a metric that came later is no noise."""
    return {
        kernel: ([launch.code for launch in result.launches], sorted(result.metrics))
        for kernel, result in run.kernels.items()
    }


def write_alike(history: History, folder: Path, last: int | None) -> int:
    """Of the last runs of the newest one's GPU model, those of the newest one's machine code and metrics, for `cugate
    aa`; how many.

    That command takes one session a file. So a run that was measured again, to confirm what looked worse, is cut to its
    first session; to leave it out would be to leave out the very nights on which the gate was in doubt.
    """
    folder.mkdir(parents=True, exist_ok=True)
    devices = history.devices()
    if not devices:
        return 0
    newest = next(iter(history.read("run", devices[0], 1)))
    code, count = _code(files.parse(newest.body, Run)), 0
    for stored in history.read("run", devices[0], last):
        run = files.parse(stored.body, Run)
        if _code(run) != code:
            continue
        document = json.loads(stored.body)
        if len(document["sessions"]) > 1:
            document["sessions"] = document["sessions"][:1]
            for result in document["kernels"].values():
                for row in result.get("metrics", {}).values():
                    row.pop("pairs", None)
                    if "sessions" in row:
                        row["sessions"] = row["sessions"][:1]
        with whole.file(folder / _name(stored)) as stream:
            json.dump(document, stream)
        count += 1
    return count


def _cell(text: str | None) -> str:
    """A text as a spreadsheet shows it and does not calculate: before what would make it a formula there is a ', and
    before a ' too, so that whoever takes one away has the text again."""
    return f"'{text}" if text and text[0] in "=+-@'\t\r\n" else text or ""


def write_values(history: History, stream: TextIO, last: int | None) -> int:
    """One row a value that was measured; the first line names the columns. How many runs they are of. See _cell."""
    rows = csv.writer(stream)
    rows.writerow(("date", "device", "gpu_uuid", "driver", "commit", "kernel", "metric", "unit", "value"))
    count = 0
    for device in history.devices():
        for stored in history.read("run", device, last):
            run = files.parse(stored.body, Run)
            session = run.sessions[-1]
            for kernel, result in run.kernels.items():
                for metric, row in result.metrics.items():
                    value, unit = row.value(), run.metrics.get(metric, files.Note()).unit
                    if not math.isnan(value):
                        facts = (run.device.name, session.gpu_uuid, session.driver, session.commit)
                        texts = map(_cell, (stored.date, *facts, kernel, metric, unit))
                        rows.writerow((*texts, repr(value)))
            count += 1
    return count
