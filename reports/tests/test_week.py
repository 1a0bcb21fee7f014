"""Tests the page of the week: what it lists, since which night, and whom it names."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import make
import pytest
from conftest import reports
from test_site import write
from test_views import loaded

from cugate_reports import definitions, people, site, states, views, week
from cugate_reports.people import Asked, Commit, Repository

Verdict = tuple[str, float, float]  # a kernel's verdict on its time, its base and its time

OLD, NEW = "0" * 12, "1" * 12
LIMIT = 5.0


def night(number: int, kernels: dict[str, Verdict], judged: bool = True, **facts: Any) -> list[bytes]:
    """Makes the files of a night; a kernel with the verdict "missing" is not in its run."""
    run = make.run(number, {k: {"time": now} for k, (v, _, now) in kernels.items() if v != "missing"}, **facts)
    rows = [
        make.judgement(k, "time", v, base=base, now=now, limit=LIMIT)
        for k, (v, base, now) in kernels.items()
        if v != "missing"
    ]
    return [run, make.report(run, rows)] if judged else [run]


def quiet(count: int, **facts: Any) -> list[bytes]:
    same = {"a/x": ("same", 100.0, 100.0), "b/y": ("same", 50.0, 50.0)}
    return [one for number in range(count) for one in night(number, same, **facts)]


SLOW: dict[str, Verdict] = {"a/x": ("regressed", 100.0, 130.0), "b/y": ("same", 50.0, 50.0)}


# ---- What is listed


def test_a_kernel_is_slower_since_the_first_red_night_of_those_up_to_now(tmp_path: Path) -> None:
    """A night without the kernel, or that was not judged, does not end it."""
    well: dict[str, Verdict] = {"a/x": ("same", 100.0, 100.0), "b/y": SLOW["b/y"]}
    documents = [*quiet(4), *night(4, SLOW, commit=OLD), *night(5, well, commit=OLD)]
    documents += night(6, SLOW, commit=NEW, driver="590.1")
    documents += [*night(7, {"b/y": SLOW["b/y"]}), *night(8, SLOW, judged=False), *night(9, SLOW, commit=NEW)]
    nights = loaded(tmp_path, *documents)
    found = week.week(nights)
    (one,) = found.slower
    assert (one.kernel, one.night, one.earlier, one.before, one.now) == ("a/x", 6, 5, 100.0, 130.0)
    assert (one.of_gate, one.words) == (True, "30.0 % longer")
    assert one.around == [("driver", "580.159.04", "590.1")]
    assert [session and session.commit for session in week.commits_of(nights, one)] == [OLD, NEW]
    assert (found.first, found.days, found.of_days, found.judged) == (3, 7, 7, True)
    assert len(one.values) == 8, "the nights of the week and the one before"


def test_what_is_slow_for_longer_is_not_of_this_week(tmp_path: Path) -> None:
    documents = [*quiet(2), *(one for number in range(2, 12) for one in night(number, SLOW))]
    found = week.week(loaded(tmp_path, *documents))
    assert (found.slower, found.longer) == ([], ["a/x"])


def test_days_without_a_night_are_counted(tmp_path: Path) -> None:
    documents = [*night(0, SLOW), *night(3, SLOW), *night(20, SLOW), *night(24, SLOW)]
    found = week.week(loaded(tmp_path, *documents))
    assert (found.first, found.days, found.of_days, found.longer) == (2, 2, 7, ["a/x"])


def test_one_night_does_not_know_when_it_began(tmp_path: Path) -> None:
    (one,) = week.week(loaded(tmp_path, *night(0, SLOW))).slower
    assert (one.night, one.earlier, one.around) == (0, None, [])


@pytest.mark.parametrize("judged", [True, False])
def test_nothing_is_slower(tmp_path: Path, judged: bool) -> None:
    documents = quiet(7) if judged else [one for number in range(7) for one in night(number, SLOW, judged=False)]
    found = week.week(loaded(tmp_path, *documents))
    assert (found.slower, found.longer, found.doubt, found.unknown) == ([], [], [], [])
    assert found.judged == judged


def test_a_level_decides_only_where_the_gate_does_not(tmp_path: Path) -> None:
    documents = []
    for number in range(30):
        now = 100.0 if number < 26 else 110.0
        documents += night(number, {f"a/{verdict}": (verdict, 100.0, now) for verdict in ("improved", "info", "same")})
    found = week.week(loaded(tmp_path, *documents))
    assert ([one.kernel for one in found.slower], found.within) == (["a/info"], 2)
    assert [(one.night, one.earlier, one.of_gate) for one in found.slower] == [(26, 25, False)]


def test_what_is_not_known_is_not_called_well(tmp_path: Path) -> None:
    tonight: dict[str, Verdict] = {"a/x": ("unsure", 100.0, 130.0), "b/y": ("missing", 50.0, 50.0)}
    found = week.week(loaded(tmp_path, *quiet(3), *night(3, tonight)))
    assert (found.slower, found.doubt, found.unknown) == ([], ["a/x"], ["b/y"])


def test_the_most_lost_time_comes_first(tmp_path: Path) -> None:
    tonight: dict[str, Verdict] = {
        "a/x": ("regressed", 10.0, 30.0),
        "b/y": ("regressed", 1000.0, 1100.0),
        "c/z": ("regressed", 10.0, 2000.0),
    }
    found = week.week(loaded(tmp_path, *night(0, tonight))).slower
    assert [one.kernel for one in found] == ["c/z", "b/y", "a/x"]
    assert [one.words for one in found] == ["200 times as long", "10.0 % longer", "3.0 times as long"]


def test_worse_is_red_whichever_direction_that_is(tmp_path: Path) -> None:
    """An earlier cugate's run does not say which direction is better: then the metric files do."""
    run = make.run(0, {"a/x": {"time": 110.0, "achieved_occupancy": 40.0, "mine": 3.0}})
    rows = [
        make.judgement("a/x", "time", base=100.0, now=110.0, limit=10.0),
        make.judgement("a/x", "achieved_occupancy", base=50.0, now=40.0, limit=10.0),
        make.judgement("a/x", "mine", base=1.0, now=3.0, limit=1.0),
    ]
    document = json.loads(run)
    document["metrics"]["mine"]["better"] = "higher"
    run = json.dumps(document).encode()
    heat = views.heat_map(loaded(tmp_path, run, make.report(run, rows)))
    assert dict(zip(heat.metrics, heat.moves[0].tolist(), strict=True)) == {
        "achieved_occupancy": 1.0,
        "mine": -2.0,
        "time": 1.0,
    }


# ---- Who is asked


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, list[str]]:
    """A repository with three commits, and their hashes."""
    folder = tmp_path_factory.mktemp("repository")
    hashes = []

    def git(*words: str) -> str:
        facts = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "HOME": str(folder)}
        facts |= {"GIT_COMMITTER_NAME": "c", "GIT_COMMITTER_EMAIL": "c@c", "PATH": "/usr/bin:/bin"}
        return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, env=facts).stdout.decode()

    git("init", "-q")
    for author, path in (("Ann & Co", "kernels/a.cu"), ("Bob", "kernels/b.cu"), ("Ann & Co", "docs/a.md")):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(author)
        (folder / "CODEOWNERS").write_text("* @all\n/kernels/ @gpu @people # ours\n")
        git("add", ".")
        git("-c", f"user.name={author}", "-c", "user.email=a@a", "commit", "-q", "-m", f"{path}: faster")
        hashes.append(git("rev-parse", "HEAD").strip())
    return Repository(folder), hashes


def test_the_authors_between_two_nights_are_asked(repository: tuple[Repository, list[str]]) -> None:
    git, (first, second, third) = repository
    both = git.asked(first[:12], third[:12] + "-dirty", None)
    assert (both.authors, both.of, both.owners) == (["Ann & Co", "Bob"], 2, [])
    of_file = git.asked(first, third, "kernels/b.cu")
    assert of_file == Asked([Commit(second[:12], "Bob", "kernels/b.cu: faster")], 2, ["@gpu", "@people"])
    assert git.asked(first, third, "kernels/a.cu").commits == both.commits, "none of them is of that file"
    assert git.asked(third, third, "docs/a.md") == Asked([], 0, ["@all"]), "the same commit"


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ("f" * 40, "e" * 40, "kernels/a.cu"),  # commits of another repository
        (None, None, "kernels/a.cu"),
        ("--output=x", "--exec=y", "kernels/a.cu"),
        ("HEAD~1", "HEAD", "kernels/a.cu"),
    ],
)
def test_nobody_is_named_for_what_is_not_known(
    repository: tuple[Repository, list[str]], before: str | None, after: str | None, path: str
) -> None:
    assert repository[0].asked(before, after, path) == people.NOBODY


def test_without_a_repository_nobody_is_named(tmp_path: Path) -> None:
    for folder in (None, tmp_path / "absent"):
        assert Repository(folder).asked("0" * 12, "1" * 12, "a.cu") == people.NOBODY
        assert Repository(folder).head == ""


@pytest.mark.parametrize(
    ("pattern", "has", "lacks"),
    [
        ("*", "a/b.cu", None),
        ("*.cu", "a/b.cu", "a/b.cuh"),
        ("/a.cu", "a.cu", "b/a.cu"),
        ("kernels/", "x/kernels/a.cu", "kernels"),
        ("/kernels/", "kernels/a/b.cu", "x/kernels/a.cu"),
        ("kernels/*", "kernels/a.cu", "kernels/a/b.cu"),
        ("kernels/**", "kernels/a/b.cu", "x/kernels/a.cu"),
        ("**/tests", "a/tests/b.cu", "a/test/b.cu"),
        ("a.b", "a.b", "axb"),
    ],
)
def test_a_pattern_of_codeowners_matches_as_githubs(pattern: str, has: str, lacks: str | None) -> None:
    assert people.owners(f"{pattern} @a", has) == ["@a"]
    assert lacks is None or people.owners(f"{pattern} @a", lacks) == []
    assert people.owners(f"{pattern} @a\n{pattern}\n", has) == [], "the last one counts, also if it names nobody"


# ---- The page


def text_of(folder: Path, documents: Sequence[bytes], repository: Repository = site.NO_REPOSITORY) -> dict[str, str]:
    """Returns the words of the main part of pages, by their names."""
    write(folder, *documents, repository=repository, most=0)
    found = {}
    for name in ("index", "changes", "gpu"):
        main = re.search(r"<main>(.*)</main>", (folder / f"page/{name}.html").read_text(), re.DOTALL)
        assert main
        words = re.sub(r"<svg.*?</svg>|<[^>]*>", "", main[1].replace("</td>", " "), flags=re.DOTALL)
        found[name] = " ".join(words.replace("&lt;", "<").replace("&gt;", ">").split())
    return found


def test_the_page_says_which_since_when_and_who_is_asked(
    tmp_path: Path, repository: tuple[Repository, list[str]], figures: None
) -> None:
    git, (first, second, third) = repository
    cause = {"file": "kernels/b.cu", "line": 7, "text": "sum += a[i];", "now": 3.0}
    slow, report = night(7, SLOW, commit=third[:12])
    document = json.loads(report)
    document["judgements"][0] |= {"causes": [cause], "base_sessions": 20, "pairs": 14, "pairs_worse": 13, "limit": 6.0}
    pages = text_of(tmp_path, [*quiet(7, commit=first[:12]), slow, json.dumps(document).encode()], git)
    assert "1 kernel got slower this week: since when, and whom to ask." in pages["index"]
    page = pages["changes"]
    assert page.startswith("1 kernel got slower this week The week is the seven days up to 2023-11-21 22:13 UTC.")
    for words in (
        "7 nights were measured.",
        "A launch takes 30.0 % longer, 130 ns in place of 100 ns. The gate calls it worse on the one night since "
        "then; its limit is 6 ns, by the floor of 2 % or 250 ns; in 13 of 14 pairs with the base build it was worse.",
        f"It began on the night of 2023-11-21 22:13 UTC, with commit {third[:12]}; the night before, 2023-11-20 "
        f"22:13 UTC, had {first[:12]}.",
        "The gate blames kernels/b.cu:7: sum += a[i];",
        f"Ask Bob, who wrote commit {second[:12]}, &ldquo;kernels/b.cu: faster&rdquo; to that file, of 2 between the "
        "two nights.",
        "The file is owned by @gpu, @people.",
    ):
        assert words in page
    assert (tmp_path / "page/figures/week.png").exists()


def test_the_page_of_one_night_and_of_a_week_in_which_all_is_well(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "well").mkdir()
    one = text_of(tmp_path / "one", night(0, SLOW, commit=NEW))["changes"]
    assert "1 night was measured. No night is known from before" in one
    assert "so this one is held against the baseline alone." in one
    assert (
        f"It was like that on its first recorded night, 2023-11-14 22:13 UTC, at commit {NEW}: it is unknown when"
        in one
    )
    assert "No author is named, because the commits between are not in this repository." in one
    assert not (tmp_path / "one/page/figures/week.png").exists(), "one night is no line"
    well = text_of(tmp_path / "well", [*quiet(2), *night(5, {"a/x": ("same", 100.0, 100.0)}, commit=NEW)])
    assert "Nothing is known to have got slower this week." in well["index"], "b/y was not measured"
    assert "3 nights were measured, and none on 3 of these days." in well["changes"]
    assert "Not measured tonight, so not known: b/y." in well["changes"]
    well = text_of(tmp_path / "well", night(6, {"a/x": SLOW["b/y"], "b/y": SLOW["b/y"]}))
    assert "Nothing got slower this week." in well["index"] and "Which, since when" not in well["changes"]


def test_words_that_explain_themselves(tmp_path: Path) -> None:
    """A tree with changes, another GPU, more than the whole of a roof, and a kernel of tensor cores."""
    uuid = "GPU-12345678-1234-1234-1234-123456789012"
    slow = night(2, {**SLOW, "c/z": ("improved", 50.0, 40.0)}, commit=f"{OLD}-dirty", gpu_uuid=uuid)
    slow[1] = make.encoded(json.loads(slow[1]) | {"notes": [f"measured on a GPU that is new: {uuid}"]})
    line = {"seconds": 1e-6, "flops": 900.0, "intensity": 2.0, "roofs": {"dram": {"roof": 4e12}}, "bound": "shared"}
    above = make.explanations(slow[0], ["a/x"], roofline={**line, "share": 1.055})
    tensor = make.explanations(slow[0], ["b/y"], roofline={**line, "share": 0.5, "stated_flops": 2000.0})
    pages = text_of(tmp_path, [*quiet(2, commit=OLD), *slow, above + tensor])
    assert "No author is named: the tree had changes that are in no commit." in pages["changes"]
    assert "measured on a GPU that is new: GPU-12345678." in pages["index"]
    assert f">{uuid}" not in (tmp_path / "page/index.html").read_text(), "it is no prose"
    assert "c/z improved time 50 ns \u2192 40 ns, -20.0 %" in pages["index"].replace("&rarr;", "\u2192")
    assert "GPU GPU-00000000 another one of this model, GPU-12345678" in pages["index"]
    assert "A kernel with more than 100 % of a roof was faster than those: they are measured" in pages["gpu"]
    assert "a/x shared memory 105.50 % 2.00 900 MFLOP/s" in pages["gpu"]
    assert "b/y is left out too: of the operations that the problem needs less than half were counted" in pages["gpu"]


COUNTS = ("excess_wavefronts", "instructions", "shared_wavefronts")
AGAIN = "same code, launches and inputs, so not computed again"


def computed(number: int, commit: str, now: tuple[int, ...] = ()) -> list[bytes]:
    """Makes the files of a night without a GPU; without values the kernel has the baseline's code."""
    facts = dict.fromkeys(("driver", "cuda", "cupti", "gpu_uuid")) | {"collector": "sim", "commit": commit}
    run = make.run(number, {"a/x": {**dict(zip(COUNTS, now, strict=False)), "registers": 22.0}}, **facts)
    rows = []
    for metric, base, value in zip(COUNTS, (0, 500, 1000), now or (None, None, None), strict=True):
        row = make.judgement("a/x", metric, "info", base=base, limit=None, reason=AGAIN)
        more = {"verdict": "same" if value == base else "regressed", "limit": 0, "reason": None}
        rows.append(row | ({"now": None, "change": None} if value is None else {"now": value, **more}))
    rows.sort(key=lambda row: row["verdict"] != "regressed")
    return [run, make.report(run, rows, exit_code=1 if now else 0)]


def test_computed_nights_are_about_counts(
    tmp_path: Path, repository: tuple[Repository, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    git, (first, second, _) = repository
    documents = [one for number in range(7) for one in computed(number, first[:12])]
    text = text_of(tmp_path, documents, git)
    assert "Nothing got worse this week." in text["index"] and "a/x info instructions 500 0 n/a" in text["index"]
    documents += computed(7, second[:12], (16000, 500, 17000))
    nights = loaded(tmp_path, *documents)
    assert [panel.metric for panel in views.panels(nights, "a/x")] == [COUNTS[0], COUNTS[2], COUNTS[1]]
    shared = views.kernel_series(nights, "a/x")[1]
    assert (shared.panel.title, shared.values.tolist()) == ("Shared wavefronts", [1000.0] * 7 + [17000.0])
    text = text_of(tmp_path, [], git)
    assert "1 kernel got worse this week: since when, and whom to ask." in text["index"]
    assert f"Worse since 2023-11-21 22:13 UTC, at commit {second[:12]}; ask Bob." in text["index"]
    assert "regressed shared_wavefronts 17,000 17.0 x" in text["index"] and "time lost" not in text["index"]
    week_page = text["changes"]
    assert week_page.startswith("1 kernel got worse this week") and "7 nights were computed." in week_page
    assert "No time is known of them, so this is about other rows." in week_page
    assert "Shared wavefronts: 17.0 times as much, 17,000 in place of 1,000." in week_page
    assert "The gate calls it worse on the one night since then; the count is exact, and its limit is 0." in week_page
    assert "Ask Bob, who wrote commit" in week_page
    assert "None in these nights. What is worse is so by the gate, which judges one night." in week_page
    kernel = (tmp_path / "page/kernels/a-x.html").read_text()
    assert kernel.count("<strong>COMPUTED: no kernel ran on a GPU.</strong> Counts of the machine code") == 1
    assert "Built by nvcc 13.0.88" in kernel and "<strong>Ask Bob</strong>" in kernel


def test_a_red_night_has_a_state(tmp_path: Path) -> None:
    """It is said by a command, kept in the history, and other nights of the same kernels have it too."""
    red: dict[str, Verdict] = {"a/x": SLOW["a/x"], "b/y": ("regressed", 50.0, 90.0)}
    files = [*night(0, red), *night(1, SLOW), *quiet(3)[4:], *night(3, SLOW), *night(4, red), *night(5, SLOW)]
    text = text_of(tmp_path, files)["index"]
    assert "open Not looked at yet. cugate-report state --seen does" in text
    said = ["state", "--history", tmp_path / "history.db", "--by", "Ann"]
    for words, last in (
        (["--night", "2023-11-18", "--expected-until", "2023-11-18", "--because", "a wider tile"], "open: a/x"),
        (["--night", "2023-11-15", "--mended-by", "0123456"], "open: a/x"),
        (["--seen"], "seen, says Ann: a/x"),
    ):
        told = reports(*said, *words)
        assert (told.returncode, told.stderr) == (0, ""), told.stderr
        assert told.stdout.splitlines()[-1].endswith(last), told.stdout
    assert reports(*said, "--night", "2023-11-16", "--seen").returncode == 2, "that one is not red"
    nights = [(one.night, one.word, one.of) for one in states.red_nights(loaded(tmp_path))]
    assert nights == [(0, "open", 0), (1, "fixed", 1), (3, "expected", 4), (4, "expected", 4), (5, "seen", 5)]
    text = text_of(tmp_path, night(6, SLOW))["index"]
    assert text.count("seen says Ann on ") == 3 and text.count("of the night of 2023-11-19 22:13 UTC") == 2
    assert "a/x, b/y expected until 2023-11-18, says Ann on " in text and ": a wider tile" in text
    assert "a/x fixed by commit 0123456, says Ann on " in text
    assert reports(*said, "--mended-by", "0123456").stdout.splitlines()[-2].endswith("seen, says Ann: a/x")
    text = text_of(tmp_path, night(7, SLOW))["index"]
    assert "It is worse again: Ann said on" in text
    kernel = (tmp_path / "page/kernels/a-x.html").read_text()
    assert "that commit 0123456 fixed it." in kernel
    assert "green again" not in text, "a/x is red"
    first = (tmp_path / "page/index.html").read_text()
    assert f'<strong title="{definitions.docs()["time"]}">time</strong>' in first
    text = text_of(tmp_path, quiet(9)[16:])["index"]
    assert (
        "It is worse again: Ann said on" in text and "fixed it. It is green again since 2023-11-22 22:13 UTC." in text
    )
    assert text.count("All are green again since") == 2, "on both nights b/y was red too"
