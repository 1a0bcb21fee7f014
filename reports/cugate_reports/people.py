"""Who is asked about a change: the authors of the commits between two nights, and owners of a file, as git has them.

The repository is where the pages are made. What it does not know, nobody is named for: without a repository, in a
shallow clone, or if the commit of a night is not in it. No commit of a run file gets to git but as a hash.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from cugate_reports.links import plain_commit

_MOST = 200  # commits that are read between two nights
_SECONDS = 20
_CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")  # the first that exists, as GitHub takes them


@dataclass(frozen=True)
class Commit:
    hash: str
    author: str
    title: str


@dataclass(frozen=True)
class Asked:
    """commits: those between the two nights, the newest first, only those of the blamed file if there are any; empty
    where they are not known. of: how many there are in all. owners: of the blamed file.
    """

    commits: list[Commit]
    of: int
    owners: list[str]

    @property
    def authors(self) -> list[str]:
        return list(dict.fromkeys(commit.author for commit in self.commits))


NOBODY = Asked([], 0, [])


@dataclass(frozen=True)
class Repository:
    """A folder of a git repository; None: nobody is known."""

    folder: Path | None = None

    def _git(self, *words: str) -> str | None:
        """Returns what git prints; None if it fails."""
        if self.folder is None:
            return None
        command = ["git", "-C", str(self.folder), "--no-optional-locks", "-c", "log.showSignature=false", *words]
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout.decode(errors="replace") if done.returncode == 0 else None

    @cached_property
    def head(self) -> str:
        """Returns the commit that is checked out, "" without one. When it changes, more may be known."""
        return (self._git("rev-parse", "--verify", "--quiet", "HEAD") or "").strip()

    @property
    def user(self) -> str:
        """Returns the name that git has of who works here, "" without one."""
        return (self._git("config", "user.name") or "").strip()

    def _between(self, before: str, after: str, *paths: str) -> list[Commit]:
        form = "--format=%H%x1f%an%x1f%s"
        told = self._git("log", "--no-merges", f"--max-count={_MOST}", form, f"{before}..{after}", "--", *paths)
        lines = [line.split("\x1f") for line in (told or "").splitlines()]
        return [Commit(line[0][:12], line[1], line[2]) for line in lines if len(line) == 3]

    def _owners(self, commit: str, path: str) -> list[str]:
        for name in _CODEOWNERS:
            if (text := self._git("show", f"{commit}:{name}")) is not None:
                return owners(text, path)
        return []

    @cache  # noqa: B019 - a repository lives as long as pages are made
    def asked(self, before: str | None, after: str | None, path: str | None) -> Asked:
        """before and after: the commits of two nights, as their sessions have them; path: the blamed file, within the
        repository.
        """
        first, last = plain_commit(before), plain_commit(after)
        path = None if path is None or path.startswith("/") or ".." in Path(path).parts else path
        if not self.head or not last:
            return NOBODY
        found = self._owners(last, path) if path else []
        commits = self._between(first, last) if first and first != last else []
        of_file = self._between(first, last, f":(top,literal){path}") if first and path and commits else []
        return Asked(of_file or commits, len(commits), found)


def owners(text: str, path: str) -> list[str]:
    """Returns the owners of a path by the text of a CODEOWNERS file: those of the last pattern that matches."""
    found: list[str] = []
    for line in text.splitlines():
        pattern, *names = line.partition("#")[0].split() or [""]
        if pattern and _pattern(pattern).match(path):
            found = names
    return found


def _pattern(pattern: str) -> re.Pattern[str]:
    """Returns what a pattern of CODEOWNERS matches: as in .gitignore, a name anywhere or, with a slash before its end,
    a path from the top, with all below a folder. `*` matches within a name and `**` across.
    """
    anchored = "/" in pattern.rstrip("/")
    body = re.escape(pattern.strip("/")).replace(r"\*\*/", "(.*/)?").replace(r"\*\*", ".*")
    body = body.replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    # GitHub takes docs/* as the files of that folder alone
    end = "/.*$" if pattern.endswith("/") else "$" if pattern.endswith("/*") else "(/.*)?$"
    return re.compile(("^" if anchored else "^(.*/)?") + body + end)
