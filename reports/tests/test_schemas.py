"""Tests the schemas of `--format json` on reports of every kind, and that the schemas find what is wrong."""

from __future__ import annotations

import copy
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import RECORDED, TOP
from schemas import FOLDER, complaints, documents, schema_of

CUGATE = Path(os.environ.get("CUGATE") or TOP / "build/cugate").resolve()
MADE_UP = TOP / "tests/cli/made_up"
GOLDEN = TOP / "tests/data/golden"
CUBIN = TOP / "build/tests/standin/kernels.cubin"
STANDIN = CUGATE.parent / "tests/standin"


def printed(*words: object, code: int, environment: dict[str, str] | None = None) -> str:
    """What cugate prints as JSON."""
    done = subprocess.run(
        [CUGATE, *map(str, words)], cwd=TOP, capture_output=True, env={**os.environ, **(environment or {})}
    )
    assert done.returncode == code, done.stderr.decode(errors="replace")
    return done.stdout.decode()


@pytest.mark.parametrize("document", ["check", "explain", "aa"])
def test_it_is_a_schema(document: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema_of(document))
    assert {file.name for file in FOLDER.iterdir()} == {f"{name}.schema.json" for name in ("check", "explain", "aa")}


def kind_of(root: dict[str, Any]) -> str | None:
    """The document that it is, by the key that the others lack; None: another file."""
    keys = {"judgements": "check", "stories": "explain", "offenders": "aa"}
    return next((kind for key, kind in keys.items() if key in root), None)


def test_the_expected_outputs_are_valid() -> None:
    found = {}
    for path in sorted(GOLDEN.glob("*.json")):
        for root in documents(path.read_text()):
            if kind := kind_of(root):
                assert complaints(kind, root) == [], path
                found[kind] = path
    assert set(found) == {"check", "explain"}


@pytest.mark.parametrize("run", sorted(path.name for path in MADE_UP.glob("*.json")))
def test_comparisons_of_all_made_up_runs_are_valid(run: str) -> None:
    done = subprocess.run(
        [CUGATE, "compare", "--format", "json", MADE_UP / "before.json", MADE_UP / run], cwd=TOP, capture_output=True
    )
    printed_now = list(documents(done.stdout.decode()))
    assert printed_now or done.returncode in (2, 4)  # nothing was compared
    for root in printed_now:
        assert complaints("check", root) == []
        assert root["exit_code"] == done.returncode


def test_every_way_to_check_is_valid(tmp_path: Path) -> None:
    """Recorded, of machine code, computed, and of a program that runs on the stand-in for a GPU."""
    check = ["check", "--format", "json"]
    standing_in = {
        "LD_LIBRARY_PATH": str(STANDIN),
        "LD_PRELOAD": str(STANDIN / "libcupti.so.13"),
        "STANDIN_DIR": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path),
    }
    program = ["--", STANDIN / "program", "plain"]
    kernels = ["--kernels", TOP / "build/libkernels.so", "-k", "hierarchy/thread_index"]
    reports = {
        "replay": printed(*check, "--replay", RECORDED, "--baselines", "baselines", code=0),
        "static": printed(*check, "--static=sm_90", "--baselines", "none", "--", CUBIN, code=4),
        "program": printed(*check, "--baselines", "none", *program, code=4, environment=standing_in),
    }
    simulated = subprocess.run(
        [CUGATE, *check, "--simulate=nvidia-h200", "--all", *kernels], cwd=TOP, capture_output=True
    )
    reports["simulate"] = simulated.stdout.decode()
    for way, text in reports.items():
        root = json.loads(text)
        assert complaints("check", root) == [], way
    computed = json.loads(reports["simulate"])["computed"]
    assert computed and computed["kernels"] == 1
    assert len(json.loads(reports["replay"])["judgements"]) > 1000


def test_what_is_wrong_is_found() -> None:
    root = json.loads((GOLDEN / "compare_worse.json").read_text())
    assert complaints("check", root) == []
    wrong: dict[str, Any] = {
        "$.schema: 1 was expected": {"schema": 2},
        "'passed' is not one of": {"verdict": "passed"},
        "is not of type 'array'": {"judgements": {}},
        "'speed' was unexpected": {"speed": 1},
    }
    for words, change in wrong.items():
        assert any(words in complaint for complaint in complaints("check", {**root, **change})), words
    for key in root:
        less = {name: value for name, value in root.items() if name != key}
        assert f"$: '{key}' is a required property" in complaints("check", less)
    row = copy.deepcopy(root)
    row["judgements"][0]["now"] = "22"
    assert complaints("check", row) == ["$.judgements[0].now: '22' is not of type 'number', 'null'"]
