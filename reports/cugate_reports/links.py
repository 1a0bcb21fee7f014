"""Where the pages link to: [links] of a file like cugate.ini (harness/command/config.h).

    [links]
    commit = https://host/owner/repo/commit/{commit}
    line = https://host/owner/repo/blob/{commit}/{path}#L{line}

What came from a run file becomes part of an address only where it is a commit's hash or a path within the repository,
and is quoted there. Without the file, or without the key, there are no links."""

from __future__ import annotations

import configparser
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urlsplit

from cugate_reports.definitions import PageError

_WORDS = {"commit": {"commit"}, "line": {"commit", "path", "line"}}  # words that each key must have
_WORD = re.compile(r"\{(commit|path|line)\}")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_DIRTY = "-dirty"  # follows the commit of a tree with changes


def plain_commit(commit: str | None) -> str | None:
    """Returns the hash of a commit, also of one with changes on top; None where it is none."""
    plain = (commit or "").removesuffix(_DIRTY)
    return plain if _COMMIT.fullmatch(plain) else None


def is_dirty(commit: str | None) -> bool:
    """Whether the tree had changes on top of the commit."""
    return (commit or "").endswith(_DIRTY)


@dataclass(frozen=True)
class Links:
    commit_address: str | None = None
    line_address: str | None = None

    def commit(self, commit: str | None) -> str | None:
        """Returns the address of a commit, also of one with changes on top; None where there is none."""
        plain = plain_commit(commit)
        if not self.commit_address or not plain:
            return None
        return self.commit_address.replace("{commit}", plain)

    def line(self, commit: str | None, path: str | None, line: int | None) -> str | None:
        """Returns the address of a source line. In a tree with changes the line may differ, so there is none."""
        if not self.line_address or not path or not line or line < 1 or not _COMMIT.fullmatch(commit or ""):
            return None
        parts = PurePosixPath(path).parts
        if path.startswith("/") or ".." in parts or "\\" in path or not path.isprintable():
            return None
        values = {"commit": commit, "path": quote("/".join(parts), safe="/"), "line": str(line)}
        return _WORD.sub(lambda found: str(values[found[1]]), self.line_address)


def _checked(path: Path, key: str, address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError as reason:
        raise PageError(f"{path}: [links] {key}: {address!r} is not an address: {reason}") from None
    if parts.scheme not in ("http", "https") or not parts.netloc or not address.isprintable() or " " in address:
        raise PageError(f"{path}: [links] {key}: {address!r} does not begin with https:// or http://")
    held = set(_WORD.findall(address))
    if held != _WORDS[key] or "{" in _WORD.sub("", address):
        wanted = ", ".join(f"{{{word}}}" for word in sorted(_WORDS[key]))
        raise PageError(
            f"{path}: [links] {key}: the address has to hold {wanted}, and nothing else in braces: {address}"
        )
    if any("{" in part for part in (parts.scheme, parts.netloc)):
        raise PageError(f"{path}: [links] {key}: a run file may not choose the host: {address}")
    return address


def read(path: Path) -> Links:
    """Reads the links of a file; PageError where they are wrong. Keys above [links] do not matter here."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as reason:
        raise PageError(f"{path}: cannot be read: {getattr(reason, 'strerror', None) or reason}") from None
    first = next((place for place, line in enumerate(lines) if line.strip() == "[links]"), len(lines))
    parser = configparser.ConfigParser(interpolation=None, comment_prefixes=(";", "#"), default_section="")
    try:
        parser.read_string("\n".join([""] * first + lines[first:]), str(path))
    except configparser.Error as reason:
        raise PageError(f"{path}: {reason}") from None
    found = dict(parser["links"]) if parser.has_section("links") else {}
    if unknown := [key for key in found if key not in _WORDS]:
        raise PageError(f"{path}: [links] has no {unknown[0]}: there are {' and '.join(_WORDS)}")
    addresses = {key: _checked(path, key, address) for key, address in found.items()}
    return Links(addresses.get("commit"), addresses.get("line"))
