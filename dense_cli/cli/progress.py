"""Where a learner's progress is kept, and reading and writing it: a broken file loses nothing but itself."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from dense_cli.cli import console
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.grading.practice.state import Kept, as_data, from_data, with_changes

LARGEST = 1 << 20
"""Bytes of a file of progress; a set with hundreds of questions has some thousands."""

BROKEN = ".broken"


def state_folder(environment: Mapping[str, str], platform: str, home: Path) -> Path:
    """The folder for what a program remembers of its user, as each system has it.

    >>> state_folder({"XDG_STATE_HOME": "/s"}, "linux", Path("/home/a")).as_posix()
    '/s/dense'
    >>> state_folder({"XDG_STATE_HOME": "relative"}, "linux", Path("/home/a")).as_posix()
    '/home/a/.local/state/dense'
    """
    asked = environment.get("XDG_STATE_HOME", "")
    if os.path.isabs(asked):  # the standard: a relative one is to be ignored
        return Path(asked) / "dense"
    local = environment.get("LOCALAPPDATA", "")
    if platform == "win32" and os.path.isabs(local):
        return Path(local) / "dense"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "dense"
    return home / ".local" / "state" / "dense"


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress with one set: its file, what it kept, and whether the file could not be understood."""

    path: Path
    set_id: str
    kept: Kept
    aside: Path | None = None

    def save(self, before: Kept, after: Kept) -> bool:
        """Keep what became of `before`; whether it could be written. The file is the old or the new one.

        What another sitting did meanwhile in other exercises stays.
        """
        kept = with_changes(_kept_in(self.path, self.set_id) or before, before, after)
        text = json.dumps(as_data(kept, self.set_id), ensure_ascii=False, indent=1) + "\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            console.write_atomically(str(self.path), text)
        except (DenseError, OSError, ValueError):
            return False
        return True


def progress_of(set_id: str, folder: Path | None = None) -> Progress:
    """What is kept of a set; nothing where there is no file. A broken file is put aside, not deleted."""
    if folder is None:
        folder = state_folder(os.environ, sys.platform, _home())
    path = folder / f"practice-{set_id}.json"
    kept = _kept_in(path, set_id)
    if kept is not None:
        return Progress(path, set_id, kept)
    aside = path.with_name(path.name + BROKEN)
    try:
        os.replace(path, aside)
    except OSError:
        return Progress(path, set_id, Kept())
    return Progress(path, set_id, Kept(), aside)


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # no home is known: beside the work is better than nowhere
        return Path()


def _kept_in(path: Path, set_id: str) -> Kept | None:
    """What a file keeps: nothing where there is none, None where it cannot be understood."""
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, ValueError):
        return Kept()
    if len(content) > LARGEST:
        return None
    try:
        return from_data(json.loads(content), set_id)
    except (ValueError, RecursionError):
        return None
