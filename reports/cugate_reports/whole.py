"""Files and folders that appear when they are complete, and leave nothing behind when they do not.

Until then they have a name of their own beside their place, which nobody can guess and put a link under. Such a name
that is a day old was left by a writer that was killed, and the next writer there removes it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, TypeVar

from cugate_reports import signals

MARKER = ".cugate-report"  # marks a folder of ours; only such a one, or an empty one, is replaced

Filled = TypeVar("Filled")


class FolderError(Exception):
    """The folder cannot be written; the text says why and what to do."""


def _beside(path: Path) -> Path:
    return path.with_name(f".cugate-{secrets.token_hex(8)}")


_LEFT = re.compile(r"\.cugate-[0-9a-f]{16}")
_DAY = 24 * 3600


@cache  # cached for files that are written one after the other: reading a large folder for each takes long
def _remove_left(folder: Path) -> None:
    for path in folder.glob(".cugate-*"):
        with suppress(OSError):  # another process has just removed it
            facts = path.lstat()
            if _LEFT.fullmatch(path.name) and facts.st_uid == os.geteuid() and facts.st_mtime < time.time() - _DAY:
                shutil.rmtree(path) if stat.S_ISDIR(facts.st_mode) else path.unlink()


@contextmanager
def file(path: Path, mode: str = "w") -> Iterator[IO]:  # type: ignore[type-arg]
    """A new file in place of what was there, even a link. mode is "w" for UTF-8 without changing line ends, "wb" for
    bytes.
    """
    options = {} if "b" in mode else {"newline": "", "encoding": "utf-8", "errors": "surrogatepass"}
    _remove_left(path.parent)
    part = _beside(path)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        with open(descriptor, mode, **options) as stream:  # type: ignore[call-overload]
            yield stream
            stream.flush()
            part.rename(path)
    finally:
        part.unlink(missing_ok=True)


# ---- Folders --------------------------------------------------------------------------------------------------------


def _refuse_others(folder: Path) -> None:
    if folder.exists() and not (folder / MARKER).exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FolderError(f"{folder} exists and is not a cugate report: name another folder, or remove it")


def _exchange(one: Path, other: Path) -> None:
    """Exchanges two names in one step, so that one of the two is always there. After the first of two renames there
    would be neither, for good if this process ended then. Python has no call for it.
    """
    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE of <linux/fs.h>
    library = ctypes.CDLL(None, use_errno=True)
    if library.renameat2(here, os.fsencode(one), here, os.fsencode(other), swap) == 0:
        return
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
        raise FolderError(
            f"cannot replace {other}: this file system does not exchange two folders in one step: remove that folder "
            "first, or name one elsewhere"
        )
    raise OSError(code, os.strerror(code), str(other))


def _take_place(new: Path, folder: Path) -> None:
    """Puts `new` in its place; afterwards `new` is what was replaced, if anything was."""
    _refuse_others(folder)  # once more, since filling the new one took time
    if folder.exists():
        _exchange(new, folder)
    else:
        new.rename(folder)


def folder(path: Path, fill: Callable[[Path], Filled]) -> Filled:
    """Makes an empty folder, has it filled, and puts it in place of an earlier one of ours. Returns what `fill`
    returned.

    After an exception, even Ctrl-C, everything is as before. FolderError when something else is at `path`, or it
    cannot be written. A link at `path` stays, and leads to the new folder.
    """
    path = Path(os.path.realpath(path))
    try:
        _refuse_others(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_left(path.parent)
        new = _beside(path)
        new.mkdir()
    except OSError as reason:
        raise FolderError(f"cannot write beside {path}: {reason.strerror}") from None
    try:
        filled = fill(new)
        (new / MARKER).touch()  # `fill` may have written more there
        with signals.later():
            _take_place(new, path)
            shutil.rmtree(new, ignore_errors=True)
        return filled
    except OSError as reason:
        raise FolderError(f"cannot write {path}: {reason}") from None
    finally:
        with signals.later():
            shutil.rmtree(new, ignore_errors=True)
