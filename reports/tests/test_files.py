"""Tests good and bad files: each is read as what it is, or refused with the reason, and nothing else ever happens."""

from __future__ import annotations

import json
import math
import random
import re
import statistics
from pathlib import Path
from typing import Any

import make
import pytest
from conftest import TOP

from cugate_reports import files
from cugate_reports.files import Analysis, BadFile, Explanation, Report, Row, Run
from cugate_reports.history import History

RUN = make.run()
NEGATIVE = make.run(kernels={"copy/plain": {"time": [20010, -1, 20020]}})


def changed(*path: str | int, to: Any = None) -> bytes:
    """Returns RUN with one of its members replaced, or removed."""
    document = make.run_document()
    at: Any = document
    for step in path[:-1]:
        at = at[step]
    if to is None:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return make.encoded(document)


def with_text(old: str, new: str) -> bytes:
    """Returns RUN with one text replaced."""
    text = RUN.decode()
    assert old in text
    return text.replace(old, new, 1).encode()


DEEP = 100_000
TIME = ("kernels", "copy/plain", "metrics", "time")

# Files that are read, and as what. To add one: its name, its bytes, its type and how many things are in it.
GOOD: dict[str, tuple[bytes, type, int]] = {
    "a run": (RUN, Run, 1),
    "a run on one line": (json.dumps(make.run_document()).encode(), Run, 1),
    "a run of several sessions": (make.run(dates=[make.date_of(1), make.date_of(2)]), Run, 1),
    "a run without kernels": (make.run(kernels={}), Run, 1),
    "members of a later version": (changed("later", to={"a": [1, {"b": None}]}), Run, 1),
    "a later member of a session": (changed("sessions", 0, "later", to=[1]), Run, 1),
    "a session without a date": (make.run(date=None), Run, 1),
    "a negative sample": (NEGATIVE, Run, 1),
    "an unknown state": (make.run(kernels={"a/b": {"time": "of another world"}}), Run, 1),
    "a kernel that crashed": (
        changed("kernels", "copy/plain", to={"status": "crashed", "reason": "signal 11"}),
        Run,
        1,
    ),
    "an empty name": (make.run(kernels={"": {"": 1}}), Run, 1),
    "a hostile name": (make.run(kernels={"../../<script>\x1b[2J\u202e\0'\"; drop table": {"time": 1}}), Run, 1),
    "a long name": (make.run(kernels={"x" * 100_000: {"time": 1}}), Run, 1),
    "a character beyond 16 bits": (make.run(kernels={"\U0001f600": {"time": 1}}, host="\U0001f600"), Run, 1),
    "a whole number as a double": (with_text("20010", "20010.0"), Run, 1),
    "the largest double": (with_text("20010", "1.7976931348623157e308"), Run, 1),
    "a baseline": (make.baseline(), Run, 1),
    "a report": (make.report(RUN), Report, 1),
    "a report about nothing": (make.report(RUN, []), Report, 1),
    "an explanation": (make.explanations(RUN, ["copy/plain"]), Explanation, 1),
    "explanations": (make.explanations(RUN), Explanation, 2),
    "explanations on a line": (make.explanations(RUN).replace(b"\n", b" "), Explanation, 2),
    "explanations among space": (b"\n\n" + make.explanations(RUN).replace(b"}{", b"}\r\n\t {") + b"\n", Explanation, 2),
    "an analysis": (make.analysis(), Analysis, 1),
}

# Files that are refused, with words of the reason. Places in a file are named by JSON paths.
BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "truncated"),
    "space": (b" \n\t", "truncated"),
    "binary": (bytes(range(256)), "is not JSON: 'utf-8' codec can't decode byte 0x80"),
    "zeros": (bytes(4096), "is not JSON"),
    "gzip": (b"\x1f\x8b\x08\0" + bytes(100), "is not JSON"),
    "text": (b"nights to remember\n", "is not JSON: Expecting value: line 1 column 1"),
    "truncated": (RUN[:-3], "is not JSON: Expecting"),
    "truncated in a text": (RUN[: RUN.index(b"runner") + 3], "is not JSON: Unterminated string"),
    "something after its end": (RUN + b"x", "is not JSON: Expecting value"),
    "two runs in one file": (RUN + RUN, "trailing characters"),
    "a byte order mark": (b"\xef\xbb\xbf" + RUN, "is not JSON"),
    "UTF-16": (RUN.decode().encode("utf-16"), "is not JSON: 'utf-8' codec can't decode"),
    "invalid UTF-8": (RUN.replace(b"runner", b"r\xff\xfe"), "can't decode byte 0xff"),
    "UTF-8 of a surrogate": (RUN.replace(b"runner", b"\xed\xa0\x80"), "can't decode byte 0xed"),
    "a lone surrogate": (with_text("runner", "\\ud800"), "malformed"),
    "a lone surrogate as a name": (with_text("copy/plain", "\\udfff"), "malformed"),
    "half a pair": (with_text("runner", "\\ud800\\u0041"), "surrogate"),
    "a number": (b"1", "Expected `object`, got `int`"),
    "a list": (b"[]", "Expected `object`, got `array`"),
    "null": (b"null", "Expected `object`, got `null`"),
    "an empty object": (b"{}", "is none of the files that cugate writes"),
    "another program's": (b'{"name": "package", "version": "1"}', "is none of the files that cugate writes"),
    "brackets": (b"[" * DEEP, "recursion"),
    "brackets and their ends": (b"[" * DEEP + b"]" * DEEP, "recursion"),
    "objects": (b'{"kernels":' * DEEP, "recursion"),
    "brackets in a member": (with_text('"schema"', f'"deep": {"[" * DEEP}{"]" * DEEP}, "schema"'), "recursion"),
    "brackets for samples": (changed(*TIME, to="S").replace(b'"S"', b"[" * DEEP + b"]" * DEEP), "recursion"),
    "brackets after an explanation": (make.explanations(RUN) + b"[" * DEEP, "recursion"),
    "NaN": (with_text("20010", "NaN"), "malformed"),
    "Infinity": (with_text("20010", "-Infinity"), "malformed"),
    "1e999": (with_text("20010", "1e999"), "Number out of range - at `$.kernels[...].metrics[...].sessions[0][0]`"),
    "5,000 digits": (with_text("20010", "9" * 5000), "out of range - at `$.kernels[...].metrics[...].sessions[0][0]`"),
    "SMs without number": (with_text("132", "1" + "0" * 30), "`int` <= 9223372036854775807 - at `$.device.sm_count`"),
    "SMs of 5,000 digits": (with_text("132", "9" * 5000), "out of range - at `$.device.sm_count`"),
    "SMs below nothing": (with_text("132", "-1"), "Expected `int` >= 0 - at `$.device.sm_count`"),
    "half an SM": (with_text("132", "0.5"), "Expected `int`, got `float` - at `$.device.sm_count`"),
    "another schema": (changed("schema", to=2), "Invalid enum value 2 - at `$.schema`"),
    "a text for a schema": (changed("schema", to="1"), "Expected `int`, got `str` - at `$.schema`"),
    "no schema": (changed("schema"), "missing required field `schema`"),
    "the later of two schemas": (with_text('"schema": 1', '"schema": 1, "schema": 2'), "Invalid enum value 2"),
    "a part of a run": (changed("shard", to={"number": 2, "of": 8}), "it is shard 2 of 8: `cugate merge` makes"),
    "no device": (changed("device"), "missing required field `device`"),
    "a device's name": (changed("device", to="NVIDIA H200"), "Expected `object`, got `str` - at `$.device`"),
    "a nameless device": (changed("device", "name", to=""), "length >= 1 - at `$.device.name`"),
    "a long device": (changed("device", "name", to="x" * 257), "length <= 256 - at `$.device.name`"),
    "a device with a 0 byte": (
        changed("device", "name", to="a\0b"),
        "matching regex '^[^\\\\0]*$' - at `$.device.name`",
    ),
    "a long capability": (changed("device", "compute_capability", to="9" * 21), "at `$.device.compute_capability`"),
    "a device's later member": (changed("device", "cores", to=1), "unknown field `cores` - at `$.device`"),
    "a table that no page shows": (
        make.run(1, {f"a/k{number}": {f"m{number}": 1} for number in range(3000)}),
        "has 3,000 kernels and 3,000 metrics, and the pages show tables of 8,388,608 values and 10,000 metrics at most",
    ),
    "a kernel of more metrics": (
        make.run(1, {"a/b": {f"m{n}": 1 for n in range(10001)}}),
        "1 kernel and 10,001 metrics",
    ),
    "a long collector": (changed("sessions", 0, "collector", to="c" * 65), "at `$.sessions[0].collector`"),
    "no session": (changed("sessions", to=[]), "length >= 1 - at `$.sessions`"),
    "no sessions": (changed("sessions"), "missing required field `sessions`"),
    "a number for a date": (changed("sessions", 0, "date", to=20261121), "got `int` - at `$.sessions[0].date`"),
    "a text for a roof": (changed("sessions", 0, "roofs", to={"dram": "fast"}), "at `$.sessions[0].roofs[...]`"),
    "a list of kernels": (changed("kernels", to=[]), "Expected `object`, got `array` - at `$.kernels`"),
    "null for a kernel": (with_text('"status": "ok"', '"status": null'), "got `null` - at `$.kernels[...].status`"),
    "a text for a sample": (changed(*TIME, "sessions", to=[["1"]]), "got `str` - at `$.kernels[...].metrics[...].se"),
    "true for a sample": (changed(*TIME, "sessions", to=[[True]]), "Expected `float`, got `bool`"),
    "null for a sample": (with_text("20010", "null"), "Expected `float`, got `null`"),
    "samples of no session": (changed(*TIME, "sessions", to=[1, 2]), "Expected `array`, got `int`"),
    "a report of another schema": (make.report(RUN, schema=7), "is no report of schema 1: Invalid enum value 7"),
    "a report without a session": (make.report(RUN, sessions=[]), "is no report of schema 1"),
    "a nameless judgement": (make.report(RUN, [{"verdict": "same", "base": 1}]), "`kernel` - at `$.judgements[0]`"),
    "a text for a line": (
        make.report(RUN, [{"kernel": "a/b", "verdict": "regressed", "causes": [{"line": "51"}]}]),
        "Expected `int | null`, got `str` - at `$.judgements[0].causes[0].line`",
    ),
    "half an explanation": (make.explanations(RUN)[:-2], "is not JSON"),
    "an explanation and a run": (make.explanations(RUN) + RUN, "is no explanation of schema 1"),
    "an explanation without roofs": (make.explanations(RUN, roofline=None), "at `$.roofline`"),
    "an analysis without figures": (make.analysis(views=None), "is no analysis of schema 1"),
    "an analysis of no device": (make.analysis(device=""), "at `$.device`"),
}


@pytest.mark.parametrize("name", GOOD)
def test_good_files_are_recognised(name: str) -> None:
    data, kind, count = GOOD[name]
    found = files.recognise(data)
    assert [type(one) for one in found] == [kind] * count


# Files that are well-formed, but cannot be in a history.
BAD |= {
    "no date": (make.run(date=None), "has no session with a date"),
    "an empty date": (make.run(date=""), "has no session with a date"),
    "a nonsense date": (make.run(date="yesterday"), "whose date is not like 2026-11-21T08:00:00.000Z: 'yesterday'"),
    "no such day": (make.run(date="2026-02-30T08:00:00.000Z"), "whose date is not like"),
    "no such hour": (make.run(date="2026-11-21T25:00:00.000Z"), "whose date is not like"),
    "a day alone": (make.run(date="2026-11-21"), "whose date is not like"),
    "a local time": (make.run(date="2026-11-21T08:00:00+09:00"), "whose date is not like"),
    "a week": (make.run(date="2026-W47-6"), "whose date is not like"),
    "Arabic digits": (make.run(date="\u0662\u0660\u0662\u0666-11-21T08:00:00.000Z"), "whose date is not like"),
    "a date with a 0 byte": (make.run(date="2026-11-21T08:00:00.000Z\0"), "whose date is not like"),
    "a date and a line": (make.run(date="2026-11-21T08:00:00.000Z\n"), "whose date is not like"),
    "a long date": (make.run(date="2026-11-21T08:00:00." + "0" * 1000 + "Z"), "whose date is not like"),
    "a path for a date": (make.run(date="../../../../etc/cron.d/x"), "whose date is not like"),
    "one bad date of two": (
        make.run(dates=[make.date_of(0), "soon"]),
        "whose date is not like 2026-11-21T08:00:00.000Z: 'soon'",
    ),
    "a baseline without a date": (make.baseline(date=None), "has no session with a date"),
    "an analysis without a date": (make.analysis(last_date=None), "has no session with a date"),
    "a nonsense analysis": (make.analysis(last_date="2026\0"), "whose date is not like"),
    "a nonsense explanation": (make.explanations(make.run(date="\0")), "whose date is not like"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_with_their_reason(name: str, history: History, tmp_path: Path) -> None:
    data, words = BAD[name]
    history.ingest(RUN)
    before = (tmp_path / "history.db").read_bytes()
    with pytest.raises(BadFile) as refusal:
        history.ingest(data)
    assert words in str(refusal.value)
    assert len(str(refusal.value)) < 300
    assert (tmp_path / "history.db").read_bytes() == before


# ---- Reading from disk


def test_what_is_too_large_is_too_large_for_the_harness_as_well() -> None:
    """The limits are the harness's, for run files and for imported files."""
    for header, name in (("model/run_file.h", "RUN_FILE_LIMIT"), ("import/import.c", "FILE_LIMIT")):
        text = (TOP / "harness" / header).read_text()
        found = re.search(rf"#define {name} \(\D*(\d+)u? << (\d+)\)", text)
        assert found and int(found[1]) << int(found[2]) == files.FILE_LIMIT


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FILE_LIMIT", 1 << 20)
    path = tmp_path / "run.json"
    path.write_bytes(b"1" * (1 << 20))
    assert len(files.read_bytes(path)) == 1 << 20
    path.write_bytes(b"1" * ((1 << 20) + 1))
    with pytest.raises(BadFile, match="is larger than 1 MiB"):
        files.read_bytes(path)
    with pytest.raises(BadFile, match="is larger than 1 MiB"):
        files.read_bytes(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nothing.json", "cannot be read: No such file or directory"),
        ("folder.json", "cannot be read: Is a directory"),
        ("file.json/run.json", "cannot be read: Not a directory"),
        ("loop.json", "cannot be read: Too many levels of symbolic links"),
        ("x" * 300, "cannot be read: File name too long"),
        ("/proc/self/mem", "cannot be read: Input/output error"),
    ],
)
def test_what_cannot_be_read_is_refused(path: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "file.json").write_bytes(RUN)
    (tmp_path / "loop.json").symlink_to(tmp_path / "loop.json")
    with pytest.raises(BadFile, match=words):
        files.read_bytes(tmp_path / path)


def test_many_texts_in_one_file_take_no_longer_than_they_are_long() -> None:
    """Splitting a million texts takes a second. If each cost the length of the rest, it would take hours."""
    assert len(files.split_texts(b"1 " * 300_000)) == 300_000
    with pytest.raises(BadFile, match="Expected `object`, got `int`"):
        files.recognise(b"1 " * 300_000)


# ---- Values


@pytest.mark.parametrize(
    ("sessions", "value"),
    [
        ([], math.nan),
        ([[]], math.nan),
        ([[7]], 7),
        ([[3, 1, 2]], 2),
        ([[4, 1, 2, 3]], 2.5),
        ([[1, 2, 30], [5]], 3.5),  # the median of each session, then their mean: not the median of all
        ([[1], [], [3]], 2),  # the metric was not measured in the second session
        ([[0, 0, 0], [0]], 0),
        ([[0.1], [0.1], [0.1]], 0.1),  # the mean of equal values is exact
        ([[1, -1, 1]], math.nan),
        ([[1], [-0.5]], math.nan),
        ([[1.7e308], [1.7e308]], 1.7e308),
        ([[1.7e308, 1.7e308]], math.nan),  # an impossible value, whose median is too large for a double
    ],
)
def test_value_is_the_mean_of_the_sessions_medians(sessions: list[list[float]], value: float) -> None:
    assert Row(sessions=sessions).value() == pytest.approx(value, rel=0, abs=0, nan_ok=True)


def test_values_of_the_recorded_run_are_those_of_the_gate() -> None:
    """The run has one session, so a value is the median of its samples."""
    document = make.recorded_run("access", "reduce", "transpose")
    run = files.parse(make.encoded(document), Run)
    seen = 0
    for kernel, result in document["kernels"].items():
        for metric, row in result["metrics"].items():
            value = run.kernels[kernel].metrics[metric].value()
            if "sessions" in row:
                assert value == pytest.approx(statistics.fmean(map(statistics.median, row["sessions"])), rel=1e-14)
                seen += 1
            else:
                assert math.isnan(value)
    assert seen > 300


# ---- What ties files together


def test_sessions_key_is_about_the_model_and_each_session() -> None:
    def key(**more: Any) -> str:
        run = files.parse(make.run(**more), Run)
        return files.sessions_key(run.device, run.sessions)

    keys = [
        key(),
        key(night=1),
        key(host="other"),
        key(gpu_uuid="GPU-2"),
        key(device={**make.DEVICE, "ecc": False}),
        key(device={**make.DEVICE, "memory_bytes": 1}),
        key(dates=[make.date_of(0), make.date_of(1)]),
        key(dates=[make.date_of(1), make.date_of(0)]),
    ]
    assert len(set(keys)) == len(keys)
    assert key(commit="another", driver="1", kernels={}) == key()
    report = files.parse(make.report(RUN), Report)
    assert files.sessions_key(report.device, report.sessions) == key()


def test_every_committed_baseline_and_recording_is_read() -> None:
    baselines = sorted((TOP / "baselines").rglob("*.json"))
    assert baselines
    for path in baselines:
        found = files.recognise(path.read_bytes())
        assert [type(one) for one in found] == [Run] and found[0].is_baseline()
    assert not files.parse(make.encoded(make.recorded_run("access")), Run).is_baseline()


# ---- Whatever happens to a file on its way


def _flip(chance: random.Random, data: bytearray) -> None:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _cut(chance: random.Random, data: bytearray) -> None:
    start = chance.randrange(len(data))
    del data[start : start + chance.choice((1, 2, 10, 1000))]


def _truncate(chance: random.Random, data: bytearray) -> None:
    del data[chance.randrange(1, len(data)) :]


def _repeat(chance: random.Random, data: bytearray) -> None:
    start, to = chance.randrange(len(data)), chance.randrange(len(data))
    data[to:to] = data[start : start + chance.choice((1, 2, 10, 1000))]


TOKENS = (
    b'{ } [ ] , : " \\ null true -1 1e999 1e-400 NaN 0.1e1 9999999999999999999999 "\\ud800" "\\u0000" \xff \0'.split()
)


def _insert(chance: random.Random, data: bytearray) -> None:
    place = chance.randrange(len(data))
    data[place:place] = chance.choice(TOKENS)


BYTE_CHANGES = (_flip, _cut, _truncate, _repeat, _insert)
NASTY = (
    None,
    True,
    -1,
    0,
    1e308,
    -0.0,
    10**30,
    "",
    "\0",
    "x" * 300,
    "\u202e",
    [],
    [[]],
    [[[]]],
    {},
    {"": None},
    [None],
)


def _replace_node(chance: random.Random, document: Any) -> None:
    """Walks down a random path of a document and changes what is there."""
    at = document
    while True:
        if not at:
            return
        step = chance.choice(list(at)) if isinstance(at, dict) else chance.randrange(len(at))
        if isinstance(at[step], dict | list) and at[step] and chance.random() < 0.85:
            at = at[step]
            continue
        match chance.randrange(4):
            case 0:
                del at[step]
            case 1 if isinstance(at, dict):
                at[chance.choice(("", "\0", "a/b", "sessions", "kernels", "\U0001f600"))] = at.pop(step)
            case _:
                at[step] = chance.choice(NASTY)
        return


def _use(data: bytes) -> list[Run | Report | Explanation | Analysis]:
    """Does all that is done to a file before it is stored."""
    found = files.recognise(data)
    for one in found:
        if isinstance(one, Run):
            assert all(
                row.value() >= 0 or math.isnan(row.value()) for k in one.kernels.values() for row in k.metrics.values()
            )
        if isinstance(one, Run | Report):
            files.sessions_key(one.device, one.sessions)
    return found


def _seeds() -> list[bytes]:
    document = make.recorded_run("hierarchy", "transpose")
    for result in document["kernels"].values():  # keeps a seventh of the file, with all kinds of members
        result.pop("lines", None)
    run = make.encoded(document)
    return [run, make.report(run), make.explanations(run, ["transpose/padded"]), make.analysis()]


@pytest.mark.parametrize("kind", range(4), ids=("run", "report", "explanation", "analysis"))
def test_changed_bytes_are_read_or_refused(kind: int) -> None:
    chance = random.Random(kind)
    seed = make.encoded(json.loads(_seeds()[kind]))
    read = 0
    for _ in range(1000):
        data = bytearray(seed)
        for _ in range(chance.choice((1, 1, 3))):
            chance.choice(BYTE_CHANGES)(chance, data)
            if not data:
                break
        try:
            read += bool(_use(bytes(data)))
        except BadFile as reason:
            assert str(reason)
    assert read < 1000


@pytest.mark.parametrize("kind", range(4), ids=("run", "report", "explanation", "analysis"))
def test_changed_members_are_read_or_refused(kind: int, history: History) -> None:
    """Half of the documents are ingested as well, where a few more members matter."""
    chance = random.Random(kind)
    seed = _seeds()
    if kind in (1, 2):
        history.ingest(seed[0])
    read = kept = 0
    for number in range(500):
        document = json.loads(seed[kind])
        for _ in range(chance.choice((1, 1, 2, 5))):
            _replace_node(chance, document)
        data = make.encoded(document)
        try:
            read += bool(_use(data))
            if number % 2:
                kept += bool(history.ingest(data))
        except BadFile as reason:
            assert str(reason)
    assert 0 < kept < read < 500


def test_pages_say_of_every_collector_that_nothing_ran_on_a_gpu() -> None:
    origins = (Path(__file__).parents[2] / "harness/model/origin.c").read_text()
    rows = re.findall(r"\[ORIGIN_\w+\] =\s*\{(.*?)\n        \}", origins, re.DOTALL)
    loud = {row.split('.collector = "')[1].split('"')[0] for row in rows if ".loud" in row and ".collector" in row}
    assert len(loud) > 1
    assert loud == set(files.UNMEASURED)
