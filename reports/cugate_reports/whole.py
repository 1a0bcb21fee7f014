"""Files and folders that appear in their place when they are whole, and leave nothing behind when they do not.

What is not whole yet has a name of its own beside that place, one that nobody can have guessed and put a link under.
Its writer holds a lock on it that ends with the process, however that ends: one that nobody holds is what a writer left
that was killed, and the next one there removes it. Where there are no locks nobody removes anything."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, TypeVar

from cugate_reports import signals

MARKER = ".cugate-report"  # in a folder of ours; only such a one, or an empty one, is replaced

Filled = TypeVar("Filled")


class FolderError(Exception):
    """The folder cannot be written; the text says why and what to do."""


def _beside(path: Path) -> Path:
    return path.with_name(f".cugate-{secrets.token_hex(8)}")


_LEFT = re.compile(r"\.cugate-[0-9a-f]{16}")


def _make_file(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)


def _open_folder(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _make_folder(path: Path) -> int:
    path.mkdir()
    return _open_folder(path)


def _is_ours(descriptor: int, path: Path) -> bool:
    """Whether it is locked now; where there are no locks nobody takes it either. One who has it has just taken it for
    left, and removes it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return _is_still(descriptor, path)


def _is_still(descriptor: int, path: Path) -> bool:
    """Whether the name still stands for what is open."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except OSError:
        return False


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _make_beside(path: Path, make: Callable[[Path], int]) -> tuple[Path, int]:
    """Its name, and what holds its lock until it is closed."""
    _remove_left(path.parent)
    descriptor = None
    try:
        with signals.later():
            while True:
                new = _beside(path)
                descriptor = make(new)
                if _is_ours(descriptor, new):
                    return new, descriptor
                os.close(descriptor)
                descriptor = None
    except BaseException:  # such as Ctrl-C, which came meanwhile
        if descriptor is not None:
            _remove(new)
            os.close(descriptor)
        raise


def _remove_if_left(path: Path) -> None:
    is_folder = stat.S_ISDIR(path.lstat().st_mode)
    # For writing, because NFS locks nothing else.
    descriptor = _open_folder(path) if is_folder else os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_uid == os.geteuid() and _is_still(descriptor, path):
            _remove(path)
    finally:
        os.close(descriptor)


@cache  # once for files that are written one after the other: to read a large folder for each of them takes long
def _remove_left(folder: Path) -> None:
    for path in folder.glob(".cugate-*"):
        if _LEFT.fullmatch(path.name):
            with suppress(OSError):  # somebody has it, or has just removed it
                _remove_if_left(path)


@contextmanager
def file(path: Path, mode: str = "w") -> Iterator[IO]:  # type: ignore[type-arg]
    """A new file in the place of what was there, be it a link. mode is "w" for UTF-8 without change of line ends, "wb"
    for bytes."""
    options = {} if "b" in mode else {"newline": "", "encoding": "utf-8", "errors": "surrogatepass"}
    part, descriptor = _make_beside(path, _make_file)
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
    try:
        _refuse_others(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        new, lock = _make_beside(path, _make_folder)
    except OSError as reason:
        raise FolderError(f"cannot write beside {path}: {reason.strerror}") from None
    try:
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
            os.close(lock)
