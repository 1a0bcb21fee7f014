"""Tests where commits and source lines link to: [links] of cugate.ini."""

from __future__ import annotations

from pathlib import Path

import pytest

from cugate_reports import links
from cugate_reports.definitions import PageError
from cugate_reports.links import Links

COMMIT, LINE = "https://host.example/o/r/commit/{commit}", "https://host.example/o/r/blob/{commit}/{path}#L{line}"
BOTH = Links(COMMIT, LINE)
HASH = "0123456789ab"


def test_the_file_is_read_as_cugate_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "cugate.ini"
    above = "# ours\nkernels = build/libmine.so\nsamples = 9\n; and\n"
    file.write_text(f"{above}\n[links]\ncommit = {COMMIT}\n# the line\nline={LINE}\n")
    assert links.read(file) == BOTH
    file.write_text("[links]\ncommit = http://host/{commit}\n")
    assert links.read(file) == Links("http://host/{commit}", None)
    file.write_text(above)
    assert links.read(file) == Links()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("commit = javascript:alert({commit})", "does not begin with https://"),
        ("commit = file:///{commit}", "does not begin with https://"),
        ("commit = //host/{commit}", "does not begin with https://"),
        ("commit = https:///{commit}", "does not begin with https://"),
        ("commit = https://[host/{commit}", "is not an address"),
        ("commit = https://host/a b/{commit}", "does not begin with https://"),
        ("commit = https://host/", r"has to hold \{commit\}, and nothing else"),
        ("commit = https://host/{commit}/{path}", r"has to hold \{commit\}, and nothing else"),
        ("commit = https://{commit}.example/", "may not choose the host"),
        ("line = https://host/{commit}/{path}", r"has to hold \{commit\}, \{line\}, \{path\}"),
        ("line = https://host/{commit}/{path}#{line", "has to hold"),
        ("line = https://host/{commit}/{path}#{}{line}", "has to hold"),
        ("tree = https://host/{commit}", "has no tree: there are commit and line"),
        ("commit = https://host/{commit}\ncommit = https://host/{commit}", "already exists"),
        ("commit", "commit"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "cugate.ini"
    file.write_text(f"kernels = x.so\n[links]\n{text}\n")
    with pytest.raises(PageError, match=words) as told:
        links.read(file)
    assert str(file) in str(told.value)


def test_the_file_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(PageError, match="cannot be read: No such file"):
        links.read(tmp_path / "none.ini")


def test_a_commit_is_a_link_only_where_it_is_one() -> None:
    assert BOTH.commit(HASH) == f"https://host.example/o/r/commit/{HASH}"
    assert BOTH.commit(f"{HASH}-dirty") == f"https://host.example/o/r/commit/{HASH}"
    for commit in (None, "", "main", "abc", "<script>", f"{HASH}/../..", f"{HASH}\n", "0" * 65, f"{HASH}-DIRTY"):
        assert BOTH.commit(commit) is None, commit
    assert Links().commit(HASH) is None


def test_a_line_is_a_link_only_within_the_repository_and_of_a_clean_commit() -> None:
    assert BOTH.line(HASH, "kernels/a b#{line}?.cu", 51) == (
        f"https://host.example/o/r/blob/{HASH}/kernels/a%20b%23%7Bline%7D%3F.cu#L51"
    )
    assert BOTH.line(HASH, "./kernels/x.cu", 1) == f"https://host.example/o/r/blob/{HASH}/kernels/x.cu#L1"
    for commit, path, line in (
        (f"{HASH}-dirty", "x.cu", 1),
        (None, "x.cu", 1),
        (HASH, None, 1),
        (HASH, "x.cu", None),
        (HASH, "x.cu", 0),
        (HASH, "/usr/include/x.h", 1),
        (HASH, "../x.cu", 1),
        (HASH, "a/../../x.cu", 1),
        (HASH, "a\\b.cu", 1),
        (HASH, "a\nb.cu", 1),
    ):
        assert BOTH.line(commit, path, line) is None, (commit, path, line)
    assert Links(COMMIT, None).line(HASH, "x.cu", 1) is None
