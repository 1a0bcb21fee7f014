"""Files and folders that appear when they are complete, and leave nothing behind when they do not.

Until then they have a name of their own beside their place, which nobody can guess and put a link under. The writer
holds a lock that ends with the process, however that ends. A name without a lock was left by a writer that was
killed, and the next writer there removes it. Where there are no locks nobody removes anything.
"""

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

MARKER = ".cugate-report"  # marks a folder of ours; only such a one, or an empty one, is replaced

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
    """Whether this process got the lock; without locks nobody else takes the name either. Another process that has the
    lock found the name before it was locked, and removes it.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return _is_still(descriptor, path)


def _is_still(descriptor: int, path: Path) -> bool:
    """Whether the name still refers to the open file or folder."""
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
    """Makes it under a temporary name. Returns that name, and what holds its lock until it is closed."""
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
    except BaseException:  # such as a Ctrl-C in between
        if descriptor is not None:
            _remove(new)
            os.close(descriptor)
        raise


def _remove_if_left(path: Path) -> None:
    is_folder = stat.S_ISDIR(path.lstat().st_mode)
    # Opened for writing, because NFS locks nothing else.
    descriptor = _open_folder(path) if is_folder else os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_uid == os.geteuid() and _is_still(descriptor, path):
            _remove(path)
    finally:
        os.close(descriptor)


@cache  # cached for files that are written one after the other: reading a large folder for each takes long
def _remove_left(folder: Path) -> None:
    for path in folder.glob(".cugate-*"):
        if _LEFT.fullmatch(path.name):
            with suppress(OSError):  # another process has it, or has just removed it
                _remove_if_left(path)


@contextmanager
def file(path: Path, mode: str = "w") -> Iterator[IO]:  # type: ignore[type-arg]
    """A new file in place of what was there, even a link. mode is "w" for UTF-8 without changing line ends, "wb" for
    bytes.
    """
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
        new, lock = _make_beside(path, _make_folder)
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
            os.close(lock)
