"""Files and folders that appear in their place when they are whole, and leave nothing behind when they do not.

What is not whole yet has a name of its own beside that place, one that nobody can have guessed and put a link under."""

from __future__ import annotations

import ctypes
import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

from cugate_reports import signals

MARKER = ".cugate-report"  # in a folder of ours; only such a one, or an empty one, is replaced

Filled = TypeVar("Filled")


class FolderError(Exception):
    """The folder cannot be written; the text says why and what to do."""


def _beside(path: Path) -> Path:
    return path.with_name(f".cugate-{secrets.token_hex(8)}")


@contextmanager
def file(path: Path, mode: str = "w") -> Iterator[IO]:  # type: ignore[type-arg]
    """A new file in the place of what was there, be it a link. mode is "w" for UTF-8 without change of line ends, "wb"
    for bytes."""
    options = {} if "b" in mode else {"newline": "", "encoding": "utf-8", "errors": "surrogatepass"}
    part = _beside(path)
    try:
        with open(part, mode.replace("w", "x"), **options) as stream:  # type: ignore[call-overload]
            yield stream
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)


# ---- Folders --------------------------------------------------------------------------------------------------------


def _refuse_others(folder: Path) -> None:
    if folder.exists() and not (folder / MARKER).exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FolderError(f"{folder} is there and is no report of cugate's: name another folder, or remove it")


def _exchange(one: Path, other: Path) -> None:
    """In one step, so that whoever looks finds either: by two renames there would be neither for a moment, and for good
    if this process ended then. Python has no call for it."""
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
    """Afterwards `new` is what was replaced, if anything was."""
    _refuse_others(folder)  # again: to fill the new one took its time
    if folder.exists():
        _exchange(new, folder)
    else:
        new.rename(folder)


def folder(path: Path, fill: Callable[[Path], Filled]) -> Filled:
    """Makes an empty folder, has it filled, and puts it in the place of an earlier one of ours; what `fill` returned.

    After an exception, be it by Ctrl-C, all is as it was. FolderError when another thing is at `path`, or when it
    cannot be written. A link at `path` stays one, and leads to the new folder."""
    path = Path(os.path.realpath(path))
    new = _beside(path)  # named before it is made, so that it is removed whenever this ends
    try:
        try:
            _refuse_others(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            new.mkdir()
        except OSError as reason:
            raise FolderError(f"cannot write beside {path}: {reason.strerror}") from None
        filled = fill(new)
        (new / MARKER).touch()  # which may say more: what `fill` wrote there
        with signals.later():
            _take_place(new, path)
            shutil.rmtree(new, ignore_errors=True)
        return filled
    except OSError as reason:
        raise FolderError(f"cannot write {path}: {reason}") from None
    finally:
        with signals.later():
            shutil.rmtree(new, ignore_errors=True)
