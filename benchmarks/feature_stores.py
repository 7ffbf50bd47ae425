"""The feature cache's own files beside zarr 3 and Parquet: writing, reading, resuming and checking the same values."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.measured import ROOT, measured, others

SIZES = ((60_000, 84), (50_000, 2_048))
"""Inputs and width: LeNet-5's last hidden layer on MNIST, and a ResNet's."""
BATCH, PICKED, PAGES = 256, 1_000, 32

Rows = NDArray[np.intp]
Values = NDArray[np.float32]


class Store(Protocol):
    """Values (size, width) float32 in a folder, written range by range and read again."""

    def __init__(self, folder: Path, size: int, width: int, step: int) -> None: ...

    def begin(self) -> None:
        """Makes what is written into."""

    def keep(self, rows: range, batches: Iterator[Values]) -> None:
        """Writes one range, batch by batch."""

    def finish(self) -> None:
        """Called once every range is written."""

    def finished(self) -> int:
        """How many rows a killed run left that need not be computed again; they are read as far as that needs."""

    def all(self) -> Values:
        """Every value."""

    def some(self, rows: Rows) -> Values:
        """The values of these rows, rising."""

    def sound(self) -> bool:
        """Whether every value is what was written."""


class _Ours:
    """An .npy file beside a manifest with a SHA-256 of each range, as ``testimate.feature_cache`` writes them."""

    def __init__(self, folder: Path, size: int, width: int, step: int) -> None:
        from testimate.feature_cache.shards import Manifest, RoleRecord, load_manifest

        new = Manifest("made up", "m", "d", size, step, {"LHL": "hidden"}, {"LHL": RoleRecord("hidden", width)})
        self._folder, self._manifest = folder, load_manifest(folder) or new
        self._file = self._manifest.file(folder, "LHL")

    def begin(self) -> None:
        self._file.reopen()

    def keep(self, rows: range, batches: Iterator[Values]) -> None:
        with self._file.writing(rows) as writer:
            for values in batches:
                writer.add(values)
            self._manifest.roles["LHL"].digests[rows.start] = writer.finish()
        self._manifest.save(self._folder)

    def finish(self) -> None:
        self._file.finish()

    def finished(self) -> int:
        kept = self._manifest.roles["LHL"].digests
        whole = [rows for rows in self._manifest.ranges() if rows.start in kept]
        return sum(len(rows) for rows in whole if self._file.digest(rows) == kept[rows.start])

    def all(self) -> Values:
        values = self._file.read()
        assert values is not None
        return values

    def some(self, rows: Rows) -> Values:
        return self.all()[rows]

    def sound(self) -> bool:
        return self.finished() == self._manifest.size


class _Zarr:
    """An array of zarr 3, a chunk a range with its CRC-32C; a chunk is a file of its own."""

    packed = False

    def __init__(self, folder: Path, size: int, width: int, step: int) -> None:
        self._path, self._shape, self._step = folder / "LHL.zarr", (size, width), step

    def begin(self) -> None:
        import zarr

        self._array: Any = zarr.create_array(
            self._path,
            shape=self._shape,
            chunks=(self._step, self._shape[1]),
            dtype="float32",
            compressors=[*([zarr.codecs.ZstdCodec()] if self.packed else []), zarr.codecs.Crc32cCodec()],
            fill_value=0,
            config={"write_empty_chunks": True},  # or a range of zeros would look as if it were never written
        )

    def keep(self, rows: range, batches: Iterator[Values]) -> None:
        self._array[rows.start : rows.stop] = np.concatenate(list(batches))  # half a chunk would be read again first

    def finish(self) -> None:
        pass

    def finished(self) -> int:
        whole = 0
        for start in range(0, self._shape[0], self._step):
            if (self._path / "c" / str(start // self._step) / "0").exists():
                whole += len(self._open()[start : start + self._step])  # reading checks it
        return whole

    def all(self) -> Values:
        return self._open()[:]

    def some(self, rows: Rows) -> Values:
        return self._open().oindex[rows]

    def sound(self) -> bool:
        try:
            return self.finished() == self._shape[0]
        except (ValueError, RuntimeError):
            return False

    def _open(self) -> Any:
        import zarr

        return zarr.open_array(self._path, mode="r")


class _PackedZarr(_Zarr):
    """The same, each chunk compressed by Zstandard."""

    packed = True


class _Parquet:
    """A Parquet file a range, one list of fixed length a row, pages with their CRC-32; a file cannot be gone on with."""

    packed = "none"

    def __init__(self, folder: Path, size: int, width: int, step: int) -> None:
        self._folder, self._size, self._width, self._step = folder, size, width, step

    def begin(self) -> None:
        pass

    def keep(self, rows: range, batches: Iterator[Values]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        values = np.concatenate(list(batches))
        lists = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), self._width)
        table, half = pa.table({"LHL": lists}), self._folder / "half"
        kind: Any = self.packed
        pq.write_table(table, half, compression=kind, use_dictionary=False, write_page_checksum=True)
        half.replace(self._path(rows.start))  # a file that is half written has no footer

    def finish(self) -> None:
        pass

    def finished(self) -> int:
        starts = [start for start in range(0, self._size, self._step) if self._path(start).exists()]
        return sum(len(self._read(start)) for start in starts)

    def all(self) -> Values:
        return np.concatenate([self._read(start) for start in range(0, self._size, self._step)])

    def some(self, rows: Rows) -> Values:
        found = [self._read(start)[rows[rows // self._step == start // self._step] - start] for start in self._in(rows)]
        return np.concatenate(found)

    def sound(self) -> bool:
        try:
            return self.finished() == self._size
        except OSError:
            return False

    def _in(self, rows: Rows) -> list[int]:
        return [int(place) * self._step for place in np.unique(rows // self._step)]

    def _path(self, start: int) -> Path:
        return self._folder / f"LHL-{start:09}.parquet"

    def _read(self, start: int) -> Values:
        import pyarrow.parquet as pq

        column = pq.read_table(self._path(start), page_checksum_verification=True)["LHL"].combine_chunks()
        return column.values.to_numpy().reshape(-1, self._width)


class _PackedParquet(_Parquet):
    """The same, compressed by Zstandard."""

    packed = "zstd"


STORES: dict[str, type[Store]] = {
    "Testimate's .npy": _Ours,
    "zarr": _Zarr,
    "zarr, Zstandard": _PackedZarr,
    "Parquet": _Parquet,
    "Parquet, Zstandard": _PackedParquet,
}


def main() -> None:
    """Prints the tables."""
    print("## What features are kept in: our files, zarr 3, Parquet\n")
    print(
        f"Values after a ReLU, half of them 0, seed 0, in batches of {BATCH} and the ranges the cache takes; every store\n"
        "checks what it wrote by range. Processor seconds on one core and MB at their peak above the start, least of 3.\n"
        f"*All*: every value summed once. *Rows*: {PICKED} random rows, opened again. *Page*: {PAGES} rows that follow each\n"
        "other. *Kept*: of a run that is killed within the range at the middle, the share of the rows before that range\n"
        "that need not be computed again. *Flip*: whether one changed byte is found, by reading and by a check of all.\n"
    )
    print("| inputs x width | kept in | write | all | rows | page | check | MB on disk | kept | flip: read, check |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---|")
    with others() as packages:
        for size, width in SIZES:
            for name in STORES:
                print(_row(name, size, width, packages), flush=True)


def _row(name: str, size: int, width: int, packages: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        given = (folder, name, str(size), str(width))
        write = measured(writing, *given, repeat=3, extra=packages)
        whole, rows, page, check = (
            measured(work, *given, repeat=3, extra=packages)
            for work in (reading_all, reading_rows, reading_page, checking)
        )
        assert check.answer is True
        cells = [f"{one.seconds:.3f} s, {one.megabytes:.0f} MB" for one in (write, whole, rows, page, check)]
        flipped = measured(reading_a_flipped_byte, *given, extra=packages).answer
        kept = _kept_of_a_killed_run(name, size, width, packages)
    found = ", ".join("found" if one else "not found" for one in flipped)
    return f"| {size:,} x {width:,} | {name} | {' | '.join(cells)} | {write.answer:.1f} | {kept:.0%} | {found} |"


def _imported(name: str) -> None:
    """Imports what the store needs, which is not measured."""
    if issubclass(STORES[name], _Zarr):
        import zarr  # noqa: F401 - loaded before the clock runs
    elif issubclass(STORES[name], _Parquet):
        import pyarrow.parquet  # noqa: F401 - loaded before the clock runs
    else:
        from testimate.feature_cache import shards  # noqa: F401 - loaded before the clock runs


def _opened(folder: str, name: str, size: str, width: str) -> Store:
    return STORES[name](Path(folder), int(size), int(width), _step(int(size)))


def _step(size: int) -> int:
    """Rows in a range, as ``feature_cache.filling`` takes them."""
    from testimate.feature_cache.filling import LEAST_BATCHES, MOST_RANGES

    batches = -(-size // BATCH)
    return BATCH * max(LEAST_BATCHES, -(-batches // MOST_RANGES))


def _ranges(size: int) -> list[range]:
    step = _step(size)
    return [range(start, min(start + step, size)) for start in range(0, size, step)]


def _batches(block: Values, rows: range, killed_after: int | None = None) -> Iterator[Values]:
    """What the model says about a range; the process dies where it is to be killed."""
    for number, start in enumerate(range(0, len(rows), BATCH)):
        if number == killed_after:
            os.kill(os.getpid(), signal.SIGKILL)
        yield block[start : min(start + BATCH, len(rows))]


def _block(size: int, width: int) -> Values:
    made = np.random.default_rng(0).standard_normal((_step(size), width), dtype=np.float32)
    return np.maximum(made, 0)


def writing(folder: str, name: str, size: str, width: str) -> Callable[[], float]:
    """Writes everything into an empty folder; megabytes on disk."""
    _imported(name)
    block = _block(int(size), int(width))

    def work() -> float:
        for path in Path(folder).iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        store = _opened(folder, name, size, width)
        store.begin()
        for rows in _ranges(int(size)):
            store.keep(rows, _batches(block, rows))
        store.finish()
        return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1e6

    return work


def reading_all(folder: str, name: str, size: str, width: str) -> Callable[[], float]:
    """Sums every value."""
    _imported(name)
    return lambda: float(_opened(folder, name, size, width).all().sum(dtype=np.float64))


def reading_rows(folder: str, name: str, size: str, width: str) -> Callable[[], float]:
    """Reads random rows."""
    _imported(name)
    rows = np.sort(np.random.default_rng(1).choice(int(size), PICKED, replace=False))
    return lambda: float(_opened(folder, name, size, width).some(rows).sum(dtype=np.float64))


def reading_page(folder: str, name: str, size: str, width: str) -> Callable[[], float]:
    """Reads rows that follow each other."""
    _imported(name)
    rows = np.arange(int(size) // 2, int(size) // 2 + PAGES)
    return lambda: float(_opened(folder, name, size, width).some(rows).sum(dtype=np.float64))


def checking(folder: str, name: str, size: str, width: str) -> Callable[[], bool]:
    """Holds everything against its digests."""
    _imported(name)
    return lambda: _opened(folder, name, size, width).sound()


def reading_a_flipped_byte(folder: str, name: str, size: str, width: str) -> Callable[[], list[bool]]:
    """Whether a changed byte in the middle of the largest file is found: by reading all, by checking all."""

    def work() -> list[bool]:
        path = max((path for path in Path(folder).rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        store = _opened(folder, name, size, width)
        try:
            store.all()
            read = False
        except (ValueError, RuntimeError, OSError):
            read = True
        return [read, not store.sound()]

    return work


def _kept_of_a_killed_run(name: str, size: int, width: int, packages: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        given = (folder, name, str(size), str(width))
        paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), packages]), "PYTHONWARNINGS": "ignore"}
        call = [sys.executable, "-m", "benchmarks.feature_stores", *given]
        done = subprocess.run(call, env={**os.environ, **paths}, cwd=ROOT, check=False)
        assert done.returncode == -signal.SIGKILL
        middle = _ranges(size)[len(_ranges(size)) // 2].start
        return int(measured(counting, *given, extra=packages).answer) / middle


def counting(folder: str, name: str, size: str, width: str) -> Callable[[], int]:
    """Rows that a killed run left whole."""
    return lambda: _opened(folder, name, size, width).finished()


def _killed(folder: str, name: str, size: str, width: str) -> None:
    """Writes up to the middle and dies within a range."""
    store, block, ranges = _opened(folder, name, size, width), _block(int(size), int(width)), _ranges(int(size))
    store.begin()
    for number, rows in enumerate(ranges):
        store.keep(rows, _batches(block, rows, 1 if number == len(ranges) // 2 else None))


if __name__ == "__main__":
    _killed(*sys.argv[1:])
