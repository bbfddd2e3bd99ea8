"""A checkpoint: one ``.safetensors`` file, shards with their index, or a folder with either."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from dense_cli.errors import DenseError, some
from dense_cli.frozen import dataclass, field
from dense_cli.models.headers import Header, bounded_document, header
from dense_cli.models.tensor_entries import Tensor
from dense_cli.reading.collecting import without_collecting

INDEX = ".safetensors.index.json"
SUFFIX = ".safetensors"
SHARD = re.compile(r"(.*)-(\d{5})-of-(\d{5})\.safetensors", re.DOTALL)
USUAL = ("model.safetensors", "model" + INDEX)
"""What model libraries look for in a folder, in this order."""

MOST_SHARDS = 10_000
OTHERS = (".bin", ".pt", ".pth", ".ckpt", ".gguf", ".h5", ".msgpack", ".npz")
"""Weights in formats that are not read here."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something worth knowing that is no mismatch: its id, whose it is, and the facts."""

    id: str
    name: str
    facts: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All tensors of a checkpoint by name, and the file that is the home of each. `name` is what was typed.

    `shard`: which of how many, where one shard was given alone. `headers` are those of the files.
    """

    name: str
    tensors: Mapping[str, Tensor]
    homes: Mapping[str, str]
    findings: tuple[Finding, ...] = ()
    shard: tuple[int, int] | None = None
    headers: Mapping[str, Header] = field(default_factory=dict)

    def holder(self, tensor: str) -> Header:
        """The file that holds a tensor."""
        return self.headers[self.homes[tensor]]


def checkpoint(typed: str) -> Checkpoint:
    """The headers of what `typed` names: a file, an index, or a folder.

    Raises DenseError for what cannot be read: all that `headers.header` raises, "weights-none" and
    "weights-several" for a folder, "weights-shard-missing", "weights-shard-outside", "weights-index".
    """
    with without_collecting():
        return _checkpoint(os.path.expanduser(typed.removeprefix("@")), typed)


def _checkpoint(path: str, typed: str) -> Checkpoint:
    try:
        folder = os.path.isdir(path)
    except ValueError:  # a null character in the name
        raise DenseError("weights-unreadable", typed=typed) from None
    if folder:
        return _of_folder(path, typed)
    if path.lower().endswith(".json"):
        return _sharded(path, typed, typed)
    found = SHARD.fullmatch(os.path.basename(path))
    shard = (int(found[2]), int(found[3])) if found and int(found[3]) > 1 else None
    return _unlisted(typed, {typed: header(path, typed)}, shard)


def _of_folder(path: str, typed: str) -> Checkpoint:
    names = _names(path, typed)
    chosen = next((name for name in USUAL if name in names), None)
    indexes = [name for name in names if name.endswith(INDEX)]
    files = [name for name in names if name.endswith(SUFFIX)]
    if chosen is None and len(indexes) == 1:
        chosen = indexes[0]
    if chosen is None and len(files) == 1 and not SHARD.fullmatch(files[0]):
        chosen = files[0]
    if chosen is not None:
        inside = os.path.join(path, chosen)
        if chosen.endswith(INDEX):
            return _sharded(inside, os.path.join(typed, chosen), typed)
        return _unlisted(typed, {chosen: header(inside, os.path.join(typed, chosen))})
    if not files:
        others = [name for name in names if name.lower().endswith(OTHERS)]
        key = "weights-none-but" if others else "weights-none"
        raise DenseError(key, typed=typed, found=some(others))
    _check_numbered(files, typed)
    return _unlisted(
        typed, {name: header(os.path.join(path, name), os.path.join(typed, name)) for name in files}
    )


def _names(path: str, typed: str) -> list[str]:
    try:
        return sorted(os.listdir(path))
    except OSError:
        raise DenseError("weights-unreadable", typed=typed) from None


def _check_numbered(files: list[str], typed: str) -> None:
    """Whether files without an index are all the shards of one checkpoint."""
    numbered = [SHARD.fullmatch(name) for name in files]
    parts = {(found[1], int(found[3])) for found in numbered if found}
    if len(parts) != 1 or None in numbered:
        raise DenseError("weights-several", typed=typed, found=some(files), example=files[0])
    [(stem, number)] = parts
    there = {int(found[2]) for found in numbered if found}
    for place in range(1, min(number, MOST_SHARDS) + 1):
        if place not in there:
            absent = f"{stem}-{place:05d}-of-{number:05d}{SUFFIX}"
            raise DenseError("weights-shard-missing", typed=typed, part=absent)


def _sharded(path: str, name: str, typed: str) -> Checkpoint:
    """All shards that an index names, and what the index says wrongly."""
    data, twice = bounded_document(path, name)
    places = data.get("weight_map")
    if not isinstance(places, dict) or set(map(type, places.values())) - {str}:
        raise DenseError("weights-index", typed=name)
    files = sorted(set(places.values()))
    if len(files) > MOST_SHARDS:
        raise DenseError("weights-index", typed=name)
    folder, named = (os.path.join(os.path.dirname(one), "") for one in (path, name))
    headers: dict[str, Header] = {}
    for file in files:
        if not _is_inside(file):
            raise DenseError("weights-shard-outside", typed=name, part=file)
        try:
            headers[file] = header(folder + file, named + file)
        except DenseError as error:
            if error.key == "weights-not-found":
                raise DenseError("weights-shard-missing", typed=name, part=file) from None
            raise
    findings = [Finding("duplicate_name", key) for key in dict.fromkeys(key for key, _ in twice)]
    homes = places
    if not _lists(places, headers):
        homes = _homes(headers)
        findings += _misplaced(places, headers, homes)
    findings += _wrong_total(data.get("metadata"), headers, os.path.basename(name))
    return _joined(typed, headers, homes, places, findings)


def _is_inside(file: str) -> bool:
    """Whether a name in an index stays in the index's folder, on every system."""
    parts = file.replace("\\", "/").split("/")
    return not ({"", ".", ".."} & set(parts) or ":" in parts[0] or "\0" in file)


def _lists(places: Mapping[str, str], headers: Mapping[str, Header]) -> bool:
    """Whether an index names each tensor, the one file that holds it, and nothing else."""
    names = [name for one in headers.values() for name in one.tensors]
    files = [file for file, one in headers.items() for _ in one.tensors]
    return len(places) == len(names) and [*map(places.get, names)] == files


def _homes(headers: Mapping[str, Header]) -> dict[str, str]:
    """The file in which each tensor is, the last of several."""
    homes: dict[str, str] = {}
    for file, one in headers.items():
        homes.update(dict.fromkeys(one.tensors, file))
    return homes


def _misplaced(
    places: Mapping[str, str], headers: Mapping[str, Header], homes: Mapping[str, str]
) -> Iterator[Finding]:
    """Tensors that are not in the shard that the index names, and those that it does not name."""
    for name, file in places.items():
        if name not in headers[file].tensors:
            if name in homes:
                yield Finding("wrong_shard", name, {"expected": file, "found": homes[name]})
            else:
                yield Finding("wrong_shard", name, {"expected": file, "found": ""})
    for name, file in homes.items():
        if name not in places:
            yield Finding("not_in_index", name, {"file": file})


def _wrong_total(metadata: object, headers: Mapping[str, Header], name: str) -> Iterator[Finding]:
    told = metadata.get("total_size") if isinstance(metadata, dict) else None
    if told is None:
        return
    found = sum(one.size for one in headers.values())
    if isinstance(told, bool) or told != found:
        shown = told if isinstance(told, int) and not isinstance(told, bool) else str(told)[:40]
        yield Finding("total_size", name, {"expected": shown, "found": found})


def _unlisted(typed: str, headers: Mapping[str, Header], shard: tuple[int, int] | None = None) -> Checkpoint:
    """The same of files that no index lists."""
    return _joined(typed, headers, _homes(headers), {}, shard=shard)


def _joined(
    typed: str,
    headers: Mapping[str, Header],
    homes: Mapping[str, str],
    places: Mapping[str, str],
    findings: Iterable[Finding] = (),
    shard: tuple[int, int] | None = None,
) -> Checkpoint:
    """One view of all files, whose tensors are at `homes`; an index says that they are at `places`."""
    tensors: dict[str, Tensor] = {}
    twice = dict.fromkeys([name for one in headers.values() for name in one.twice])
    if len(homes) < sum([len(one.tensors) for one in headers.values()]):
        homes = _chosen_homes(headers, places, twice)
        tensors = {name: headers[file].tensors[name] for name, file in homes.items()}
    else:
        for one in headers.values():
            tensors.update(one.tensors)
    findings = (*findings, *(Finding("duplicate_name", name) for name in twice))
    return Checkpoint(typed, tensors, homes, findings, shard, headers)


def _chosen_homes(
    headers: Mapping[str, Header], places: Mapping[str, str], twice: dict[str, None]
) -> dict[str, str]:
    """The file of each tensor; of several the one that the index names, else the first. Notes what is there
    `twice`."""
    homes: dict[str, str] = {}
    for file, one in headers.items():
        twice.update(dict.fromkeys(one.twice))
        for name in one.tensors:
            if name in homes:
                twice[name] = None
                if places.get(name) != file:
                    continue
            homes[name] = file
    return homes
