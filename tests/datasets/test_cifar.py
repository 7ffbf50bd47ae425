"""CIFAR: both published forms give the same arrays, and a pickle that asks for more is not followed."""

import gzip
import io
import os
import pickle
import struct
import tarfile
from pathlib import Path

import numpy as np
import pytest

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.datasets import cifar
from testimate.datasets.cifar import convert_cifar, read_cifar
from testimate.datasets.open import open_dataset_file
from tests.each import each

RNG = np.random.default_rng(6)
TRAINING = RNG.integers(0, 256, (10, 32, 32, 3), dtype=np.uint8)
TEST = RNG.integers(0, 256, (3, 32, 32, 3), dtype=np.uint8)
LABELS, TEST_LABELS = [3, 1, 0, 2, 2, 1, 0, 3, 3, 0], [1, 2, 0]
NAMES = ["airplane", "automobile", "bird", "cat"]


def rows(images: np.ndarray) -> np.ndarray:
    """As CIFAR lays them out: 1,024 red numbers, then green, then blue (Krizhevsky 2009, the data set's page)."""
    return np.concatenate([images[..., channel].reshape(len(images), -1) for channel in range(3)], axis=1)


def python_2_pickle(images: np.ndarray, labels: list[int]) -> bytes:
    """A batch instruction by instruction as Python 2's cPickle wrote the published files (protocol 2)."""

    def text(word: bytes) -> bytes:
        return b"U" + bytes((len(word),)) + word

    data = rows(images).tobytes()
    whole = b"".join(b"K" + bytes((label,)) for label in labels)
    return b"".join(
        (
            *(b"\x80\x02}q\x01(", text(b"batch_label"), b"q\x02", text(b"training batch 1 of 5"), b"q\x03"),
            *(text(b"labels"), b"q\x04]q\x05(", whole, b"e", text(b"data"), b"q\x06"),
            *(b"cnumpy.core.multiarray\n_reconstruct\nq\x07cnumpy\nndarray\nq\x08K\x00\x85", text(b"b"), b"\x87Rq\t"),
            *(b"(K\x01M", struct.pack("<H", len(images)), b"M", struct.pack("<H", 3_072), b"\x86cnumpy\ndtype\nq\n"),
            *(
                text(b"u1"),
                b"K\x00K\x01\x87Rq\x0b(K\x03",
                text(b"|"),
                b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89",
            ),
            *(
                b"T",
                struct.pack("<I", len(data)),
                data,
                b"tb",
                text(b"filenames"),
                b"q\x0c]q\r(",
                text(b"a.png"),
                b"eu.",
            ),
        )
    )


def python_3_pickle(images: np.ndarray, labels: list[int]) -> bytes:
    return pickle.dumps({b"data": rows(images), b"labels": labels, b"filenames": []}, protocol=2)


def binary(images: np.ndarray, labels: list[int]) -> bytes:
    return b"".join(bytes((label,)) + row.tobytes() for label, row in zip(labels, rows(images), strict=True))


def files_of(write, ending: str = "") -> dict[str, bytes]:
    batches = {
        f"data_batch_{n + 1}{ending}": write(TRAINING[2 * n : 2 * n + 2], LABELS[2 * n : 2 * n + 2]) for n in range(5)
    }
    if ending:
        names = {"batches.meta.txt": "\n".join(NAMES).encode() + b"\n\n"}
    else:
        names = {"batches.meta": pickle.dumps({"label_names": NAMES, "num_vis": 3_072}, protocol=2)}
    return batches | {f"test_batch{ending}": write(TEST, TEST_LABELS)} | names


FORMS = {
    "Python 2": files_of(python_2_pickle),
    "Python 3": files_of(python_3_pickle),
    "binary": files_of(binary, ".bin"),
}


def folder_of(place: Path, files: dict[str, bytes]) -> Path:
    place.mkdir(parents=True)
    for name, content in files.items():
        (place / name).write_bytes(content)
    return place


def archive_of(path: Path, files: dict[str, bytes], *more: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in reversed(files.items()):  # the published archives are in no order
            member = tarfile.TarInfo(f"cifar-10-batches-py/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for member in more:
            archive.addfile(member)
    return path


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("packed", [False, True])
def test_every_published_form_converts_to_the_same_arrays(tmp_path, form, packed):
    source = archive_of(tmp_path / "c.tar.gz", FORMS[form]) if packed else folder_of(tmp_path / "c", FORMS[form])
    convert_cifar(source, tmp_path / "c.npz")
    with np.load(tmp_path / "c.npz") as read:
        assert (read["x_train"] == TRAINING).all()
        assert (read["x_test"] == TEST).all()
        assert read["y_train"].tolist() == LABELS
        assert read["class_names"].tolist() == NAMES
    opened = open_dataset_file(tmp_path / "c.npz")
    assert (opened.dataset.batch(np.arange(3)) == TEST).all()
    assert opened.truth is not None
    assert opened.truth.tolist() == TEST_LABELS
    assert opened.classes == tuple(NAMES)
    assert opened.training is not None
    assert len(opened.training.dataset) == 10


@pytest.mark.parametrize("packed", [False, True])
def test_the_binary_form_is_a_dataset_without_conversion(tmp_path, packed):
    files = FORMS["binary"]
    source = archive_of(tmp_path / "c.tar.gz", files) if packed else folder_of(tmp_path / "c", files)
    opened = open_dataset_file(source)
    assert (opened.dataset.batch(np.arange(3)) == TEST).all()
    assert opened.training is not None
    assert opened.training.truth is not None
    assert opened.training.truth.tolist() == LABELS


@pytest.mark.parametrize("packed", [False, True])
def test_the_pickled_form_is_not_opened_but_sent_to_the_terminal(tmp_path, packed):
    files = FORMS["Python 2"]
    source = archive_of(tmp_path / "c.tar.gz", files) if packed else folder_of(tmp_path / "c", files)
    with pytest.raises(BadInput, match=rf"testimate convert cifar {source.name} --out DATA\.npz"):
        open_dataset_file(source)


def test_cifar_100_takes_the_fine_labels(tmp_path):
    record = bytes((7, 1)) + rows(TEST[:1]).tobytes()
    names = {"fine_label_names.txt": b"apple\nbear\n"}
    read = read_cifar(folder_of(tmp_path / "binary", {"train.bin": record * 2, "test.bin": record} | names))
    assert read.test is not None
    assert read.test.labels.tolist() == [1]
    batch = {"data": rows(TEST[:1]), "fine_labels": [1], "coarse_labels": [7]}
    files = {"test": pickle.dumps(batch), "train": pickle.dumps(batch)}
    files["meta"] = pickle.dumps({"fine_label_names": ["apple", "bear"], "coarse_label_names": ["x"]})
    read = read_cifar(folder_of(tmp_path / "pickled", files), pickles=True)
    assert read.test is not None
    assert read.test.labels.tolist() == [1]
    assert read.classes == ("apple", "bear")


def test_a_conversion_gives_the_same_bytes_again_and_leaves_nothing_half_written(tmp_path):
    source = folder_of(tmp_path / "c", FORMS["Python 2"])
    convert_cifar(source, tmp_path / "a.npz")
    convert_cifar(source, tmp_path / "b.npz")
    convert_cifar(source, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with pytest.raises(BadInput, match=r"ends in .npz"):
        convert_cifar(source, tmp_path / "a.zip")
    with pytest.raises(StoreUnavailable, match=r"'d.npz' could not be written"):
        convert_cifar(source, tmp_path / "nowhere" / "d.npz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "b.npz", "c"]


class Marks:
    """Leaves a mark where it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_runs_a_program_leaves_no_mark(tmp_path, protocol):
    mark = tmp_path / "mark"
    evil = pickle.dumps({"data": rows(TEST), "labels": TEST_LABELS, "more": Marks(mark)}, protocol=protocol)
    source = folder_of(tmp_path / "c", FORMS["Python 2"] | {"test_batch": evil})
    with pytest.raises(BadInput, match=r"was not read. Expected a file from the archive that CIFAR's authors publish"):
        convert_cifar(source, tmp_path / "c.npz")
    assert not mark.exists()
    assert not (tmp_path / "c.npz").exists()
    pickle.loads(evil)
    assert mark.exists(), "the file would have left a mark"


@each(
    "body",
    [
        b"cos\nsystem\n(U\x04exitR.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04exit\x85R.",
        b"cnumpy\nload\n.",
        b"cbuiltins\neval\n.",
        b"(ios\nsystem\n.",
        b"\x80\x02}r\xff\xff\xff\x7f.",
        b"\x80\x02\x8e\xff\xff\xff\xff\xff\xff\xff\x0f.",
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n\x8a\x05\0\0\0\0\x01\x85U\x01b\x87R.",
        b"}U\x04dataP1\ns.",
        b"\x80\x02}",
        b"garbage",
        b"",
        b"\x80\x02]q\0h\0a.",
        b"\x80\x02(((((.",
        b"}cnumpy\ndtype\n)RK\x01s.",
        b"}U\x04datacnumpy\nndarray\n)RNbs.",
        b"}U\x04datacnumpy\nndarray\n)R(K\x01K\xffK\xff\x86cnumpy\ndtype\nU\x02u1\x85R\x89U\x01xtbs.",
        b"}U\x04datacnumpy\nndarray\n)R(K\x01K\x01K\x01\x86cnumpy\ndtype\nU\x01O\x85R\x89U\x01xtbs.",
    ],
)
def test_hand_made_pickles_are_refused_with_a_sentence(body):
    with pytest.raises(BadInput, match=r"Expected (a file from the archive that CIFAR's authors publish|CIFAR's own)"):
        cifar._pickled(body, "data_batch_1")


@each(
    ("body", "sentence"),
    [
        (b"(ios\nsystem\n.", "has the instruction INST"),
        (b"\x80\x02}r\xff\xff\xff\x7f.", "claims more objects than it has bytes"),
        (b"cos\nsystem\n(U\x04exitR.", "names os.system"),
    ],
)
def test_a_pickle_is_looked_through_before_it_is_followed(body, sentence):
    with pytest.raises(BadInput, match=sentence):
        cifar._pickled(body, "data_batch_1")


def test_batches_that_contradict_themselves_are_refused(tmp_path):
    good = FORMS["Python 2"]
    cases = {
        "does not contain 3,072 pixels and a label": python_2_pickle(TEST, [1]),
        "class 9 and there are 4 names": python_2_pickle(TEST, [1, 9, 0]),
        "was not read": python_2_pickle(TEST, TEST_LABELS)[:-20],
    }
    for number, (sentence, batch) in enumerate(cases.items()):
        with pytest.raises(BadInput, match=sentence):
            read_cifar(folder_of(tmp_path / str(number), good | {"test_batch": batch}), pickles=True)
    with pytest.raises(BadInput, match="cut off in the middle of a picture"):
        read_cifar(folder_of(tmp_path / "cut", FORMS["binary"] | {"test_batch.bin": bytes(100)}))
    with pytest.raises(BadInput, match="contains no CIFAR batches"):
        read_cifar(folder_of(tmp_path / "none", {"a": b""}))


@pytest.mark.parametrize("name", ["/etc/x/data_batch_1", "../data_batch_1", "a/../../test_batch", "c:\\test_batch"])
def test_an_archive_whose_names_climb_out_is_refused_and_writes_nothing(tmp_path, name):
    path = archive_of(tmp_path / "c.tar.gz", FORMS["binary"], tarfile.TarInfo(name))
    with pytest.raises(BadInput, match="lies outside it"):
        read_cifar(path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_an_archive_are_refused(tmp_path, kind):
    member = tarfile.TarInfo("test_batch.bin")
    member.type, member.linkname = kind, "/etc/passwd"
    with pytest.raises(BadInput, match="a link or a device"):
        read_cifar(archive_of(tmp_path / "c.tar.gz", FORMS["binary"], member))


def test_an_archive_that_unpacks_too_far_is_refused_while_it_unpacks(tmp_path, monkeypatch):
    path = archive_of(tmp_path / "c.tar.gz", FORMS["binary"] | {"padding": bytes(2_000_000)})
    assert path.stat().st_size < 200_000
    monkeypatch.setattr(cifar, "MAX_ARCHIVE_BYTES", 1_000_000)
    with pytest.raises(BadInput, match=r"or more bytes when unpacked. Expected at most 1,000,000"):
        read_cifar(path)
    monkeypatch.setattr(cifar, "MAX_BATCH_BYTES", 100_000)
    with pytest.raises(BadInput, match="bytes in 'cifar-10-batches-py/padding'"):
        read_cifar(path)


def test_a_cut_archive_is_refused(tmp_path):
    whole = archive_of(tmp_path / "c.tar.gz", FORMS["binary"]).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInput, match="damaged or cut off"):
        open_dataset_file(tmp_path / "cut.tar.gz")
    (tmp_path / "not.tar.gz").write_bytes(gzip.compress(b"\0" * 600))
    with pytest.raises(BadInput, match="binary data of an unknown kind"):
        open_dataset_file(tmp_path / "not.tar.gz")
