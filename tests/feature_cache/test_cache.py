"""What the cache gives back, against the layers computed directly; and what it refuses."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from testimate.core.errors import BadInput, Canceled, StoreUnavailable, SubjectChanged
from testimate.core.progress import silent
from testimate.core.subject import Subject
from testimate.feature_cache import FeatureCache
from testimate.feature_cache.role_file import RoleFile
from testimate.feature_cache.shards import Manifest, RoleRecord, load_manifest, locked

ROLES = ("ORI", "FL", "LHL", "CON")
LAYER = {"ORI": "in", "FL": "dense", "LHL": "dense", "CON": "out"}

TO_LEARN_WIDTHS = 1
"""Rows a model is run on once more before anything is kept."""


def filled(cache: FeatureCache, subject: Subject, batch_size: int = 64) -> dict[str, np.ndarray]:
    return dict(cache.outputs(subject, roles=ROLES, batch_size=batch_size))


def never_opened() -> None:
    pytest.fail("The model was opened although everything is in the cache.")


@pytest.mark.parametrize("batch_size", [7, 64, 1_000, 5_000])
def test_every_role_is_what_the_layer_says_whatever_the_batches(stand_in, tmp_path, batch_size):
    model = stand_in.Layers()
    outputs = filled(FeatureCache(tmp_path), stand_in.subject_of(lambda: model), batch_size)
    assert model.rows_run == 1_000 + TO_LEARN_WIDTHS
    for role in ROLES:
        np.testing.assert_array_equal(outputs[role], stand_in.expected(stand_in.INPUTS)[LAYER[role]])
        assert outputs[role].dtype == np.float32


def test_a_known_subject_needs_no_model_and_its_values_cannot_be_written(stand_in, tmp_path):
    first = filled(FeatureCache(tmp_path), stand_in.subject_of(stand_in.Layers))
    again = filled(FeatureCache(tmp_path), stand_in.subject_of(never_opened))
    for role in ROLES:
        assert isinstance(again[role], np.memmap)
        np.testing.assert_array_equal(again[role], first[role])
        with pytest.raises(ValueError, match="read-only"):
            again[role][0] = 0


def test_a_file_in_the_cache_is_a_plain_npy_file_that_numpy_loads(stand_in, tmp_path):
    cache, subject = FeatureCache(tmp_path), stand_in.subject_of(stand_in.Layers)
    outputs = filled(cache, subject)
    kept = np.load(tmp_path / cache.entry_of(subject) / "CON.npy", allow_pickle=False)
    np.testing.assert_array_equal(kept, outputs["CON"])


def test_only_the_layers_that_are_missing_are_run(stand_in, tmp_path):
    cache = FeatureCache(tmp_path)
    first, second = stand_in.Layers(), stand_in.Layers()
    cache.outputs(stand_in.subject_of(lambda: first), roles=("ORI",))
    cache.outputs(stand_in.subject_of(lambda: second), roles=("ORI", "CON"))
    assert (first.asked, second.asked) == ({"in"}, {"out"})


def test_another_model_or_dataset_has_an_entry_of_its_own(stand_in, tmp_path):
    cache, subject = FeatureCache(tmp_path), stand_in.subject_of(stand_in.Layers)
    other = stand_in.Layers(roles={"ORI": "out"})
    other.fingerprint = "other"
    filled(cache, subject)
    changed = Subject(**{**vars(subject), "model_fingerprint": "other", "open_model": lambda: other})
    assert cache.outputs(changed, roles=("ORI",))["ORI"].shape == (1_000, 2)
    assert cache.outputs(subject, roles=("ORI",))["ORI"].shape == (1_000, 6)
    assert len(cache.list()) == 2


def test_a_role_that_another_layer_plays_now_is_computed_anew(stand_in, tmp_path):
    cache = FeatureCache(tmp_path)
    cache.outputs(stand_in.subject_of(stand_in.Layers), roles=("LHL",))
    changed = stand_in.subject_of(lambda: stand_in.Layers(roles={"LHL": "out", "CON": "out"}))
    said = cache.outputs(changed, roles=("LHL", "CON"))  # CON is missing, so the model is opened and asked
    np.testing.assert_array_equal(said["LHL"], stand_in.expected(stand_in.INPUTS)["out"])


def test_fifty_thousand_rows_of_width_2048_are_mapped_and_not_read(stand_in, tmp_path):
    class Many(stand_in.Rows):
        def __len__(self) -> int:
            return 50_000

    subject = Subject(**{**vars(stand_in.subject_of(never_opened)), "dataset": Many()})
    folder = tmp_path / FeatureCache(tmp_path).entry_of(subject)
    folder.mkdir()
    file = RoleFile(folder, "LHL", 50_000, 2_048)  # 410 MB, a sparse file that takes no room
    file.reopen()
    file.finish()
    manifest = Manifest(name="", model="", dataset="", size=50_000, step=50_000)
    manifest.roles["LHL"] = RoleRecord(layer="dense", width=2_048, digests={0: "never looked at"})
    manifest.save(folder)
    tracemalloc.start()
    values = FeatureCache(tmp_path).outputs(subject, roles=("LHL",))["LHL"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert values.shape == (50_000, 2_048)
    assert peak < 1_000_000


@pytest.mark.parametrize("keep", [0, 10, 200, -1])
def test_a_file_cut_short_is_noticed_at_once_and_made_anew(stand_in, tmp_path, keep):
    cache = FeatureCache(tmp_path)
    subject = stand_in.subject_of(stand_in.Layers)
    filled(cache, subject)
    path = tmp_path / cache.entry_of(subject) / "FL.npy"
    path.write_bytes(path.read_bytes()[:keep])
    assert [damage.role for damage in cache.verify()] == ["FL"]
    model = stand_in.Layers()
    again = filled(cache, stand_in.subject_of(lambda: model))
    np.testing.assert_array_equal(again["FL"], stand_in.expected(stand_in.INPUTS)["dense"])
    assert (model.rows_run, model.asked) == (1_000, {"dense"})
    assert cache.verify() == ()


def test_a_flipped_bit_is_found_by_verify_with_its_rows(stand_in, tmp_path):
    cache, subject = FeatureCache(tmp_path), stand_in.subject_of(stand_in.Layers)
    filled(cache, subject, batch_size=50)
    assert cache.verify() == ()
    path = tmp_path / cache.entry_of(subject) / "ORI.npy"
    content = bytearray(path.read_bytes())
    content[-1_000 * 6 * 4 + 450 * 6 * 4] ^= 1  # row 450
    path.write_bytes(content)
    (damage,) = cache.verify()
    assert (damage.role, damage.rows, damage.fingerprint) == ("ORI", (400, 499), cache.entry_of(subject))
    cache.remove(damage.fingerprint)
    assert cache.list() == ()
    np.testing.assert_array_equal(filled(cache, subject)["ORI"], stand_in.INPUTS)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 1}', b'{"version": 99, "roles": {}}', b"\xff"])
def test_a_damaged_manifest_only_costs_the_time_to_compute_again(stand_in, tmp_path, content):
    cache, subject = FeatureCache(tmp_path), stand_in.subject_of(stand_in.Layers)
    filled(cache, subject)
    (tmp_path / cache.entry_of(subject) / "manifest.json").write_bytes(content)
    model = stand_in.Layers()
    again = filled(cache, stand_in.subject_of(lambda: model))
    np.testing.assert_array_equal(again["CON"], stand_in.expected(stand_in.INPUTS)["out"])
    assert model.rows_run == 1_000 + TO_LEARN_WIDTHS


def test_a_list_says_what_is_whole_and_how_large_it_is(stand_in, tmp_path):
    cache, subject = FeatureCache(tmp_path / "absent"), stand_in.subject_of(stand_in.Layers)
    assert cache.list() == ()
    filled(cache, subject)
    (record,) = cache.list()
    assert (record.name, record.size, record.roles, record.whole) == ("Rows", 1_000, ROLES, True)
    assert record.bytes == sum(path.stat().st_size for path in (tmp_path / "absent").rglob("*") if path.is_file())
    with pytest.raises(BadInput, match="contains nothing named"):
        cache.remove("../absent")


def test_a_run_that_is_stopped_keeps_what_is_done_and_goes_on_there(stand_in, tmp_path):
    cache, model = FeatureCache(tmp_path), stand_in.Layers()

    def stop(done: int, total: int, what: str = "") -> None:
        if done >= 500:
            raise Canceled("Stopped.")

    with pytest.raises(Canceled):
        cache.outputs(stand_in.subject_of(lambda: model), roles=ROLES, progress=stop, batch_size=50)
    (record,) = cache.list()
    assert (record.roles, record.whole) == ((), False)
    resumed = stand_in.Layers()
    again = filled(cache, stand_in.subject_of(lambda: resumed), batch_size=50)
    assert (model.rows_run, resumed.rows_run) == (500 + TO_LEARN_WIDTHS, 500)
    np.testing.assert_array_equal(again["FL"], stand_in.expected(stand_in.INPUTS)["dense"])


def test_resuming_does_not_trust_a_range_whose_values_are_not_what_was_written(stand_in, tmp_path):
    cache, subject = FeatureCache(tmp_path), stand_in.subject_of(stand_in.Layers)

    def stop(done: int, total: int, what: str = "") -> None:
        if done >= 500:
            raise Canceled("Stopped.")

    with pytest.raises(Canceled):
        cache.outputs(subject, roles=("ORI",), progress=stop, batch_size=50)
    path = tmp_path / cache.entry_of(subject) / "ORI.npy.partial"
    content = bytearray(path.read_bytes())
    content[-1_000 * 6 * 4] ^= 1  # row 0
    path.write_bytes(content)
    model = stand_in.Layers()
    again = cache.outputs(stand_in.subject_of(lambda: model), roles=("ORI",), batch_size=50)
    np.testing.assert_array_equal(again["ORI"], stand_in.INPUTS)
    assert model.rows_run == 600


def test_progress_counts_rows_up_to_all_of_them(stand_in, tmp_path):
    reports: list[tuple[int, int]] = []

    def tell(done: int, total: int, what: str = "") -> None:
        reports.append((done, total))

    cache, subject = FeatureCache(tmp_path), stand_in.subject_of(stand_in.Layers)
    cache.outputs(subject, roles=("ORI",), progress=tell, batch_size=250)
    assert reports == [(0, 1_000), (250, 1_000), (500, 1_000), (750, 1_000), (1_000, 1_000)]


def test_a_role_the_model_has_not_is_refused_by_name(stand_in, tmp_path):
    with pytest.raises(BadInput, match=r"no layer that plays 'logits'. Expected one of ORI, FL, LHL, CON"):
        FeatureCache(tmp_path).outputs(stand_in.subject_of(stand_in.Layers), roles=("CON", "logits"))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_layer_that_says_no_finite_number_is_refused_by_name_and_row(stand_in, tmp_path, value):
    class Broken(stand_in.Layers):
        def run(self, batch, layers):
            said = {layer: values.copy() for layer, values in super().run(batch, layers).items()}
            said["dense"][batch[:, 0] == stand_in.INPUTS[321, 0], 4] = value
            return said

    cache = FeatureCache(tmp_path)
    with pytest.raises(BadInput, match="Layer 'dense' gives nan or infinity for row 321"):
        filled(cache, stand_in.subject_of(Broken))
    assert [record.whole for record in cache.list()] == [False]


def test_a_layer_of_varying_width_or_wrong_shape_is_refused(stand_in, tmp_path):
    class Varying(stand_in.Layers):
        def run(self, batch, layers):
            self.rows_run += 1
            return {layer: np.ones((len(batch), self.rows_run), dtype=np.float32) for layer in layers}

    class Flat(stand_in.Layers):
        def run(self, batch, layers):
            return {layer: np.ones(len(batch), dtype=np.float32) for layer in layers}

    with pytest.raises(BadInput, match="Layer 'in' is of varying width"):
        FeatureCache(tmp_path).outputs(stand_in.subject_of(Varying), roles=("ORI",))
    with pytest.raises(BadInput, match="Layer 'in' gives an array of shape"):
        FeatureCache(tmp_path / "flat").outputs(stand_in.subject_of(Flat), roles=("ORI",))


def test_a_model_that_is_not_the_subjects_is_refused(stand_in, tmp_path):
    other = stand_in.Layers()
    other.fingerprint = "someone else"
    with pytest.raises(SubjectChanged, match="not the one the test set was opened with"):
        filled(FeatureCache(tmp_path), stand_in.subject_of(lambda: other))


def test_a_subject_without_a_model_and_an_empty_batch_are_refused(stand_in, tmp_path):
    table = Subject(**{**vars(stand_in.subject_of(stand_in.Layers)), "model_fingerprint": None, "open_model": None})
    with pytest.raises(BadInput, match="no model to ask for features"):
        FeatureCache(tmp_path).outputs(table)
    with pytest.raises(BadInput, match="batches of 0"):
        filled(FeatureCache(tmp_path), stand_in.subject_of(stand_in.Layers), batch_size=0)


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(stand_in, tmp_path):
    place = tmp_path / "file"
    place.write_text("a file where a folder should be")
    with pytest.raises(StoreUnavailable, match="Expected a folder that can be written"):
        FeatureCache(place).outputs(stand_in.subject_of(stand_in.Layers), roles=("ORI",), progress=silent)


def test_the_manifest_stays_short_however_many_batches_there_are(stand_in, tmp_path):
    cache, subject = FeatureCache(tmp_path), stand_in.subject_of(stand_in.Layers)
    cache.outputs(subject, roles=("ORI",), batch_size=2)
    manifest = load_manifest(tmp_path / cache.entry_of(subject))
    assert (manifest.step, len(manifest.roles["ORI"].digests)) == (16, 63)  # of 500 batches


def test_a_run_that_waits_for_another_one_says_so_and_can_be_stopped(stand_in, tmp_path):
    def stop(done: int, total: int, what: str = "") -> None:
        raise Canceled(what)

    cache, subject = FeatureCache(tmp_path), stand_in.subject_of(never_opened)
    with (
        locked(tmp_path / cache.entry_of(subject), silent, 0),
        pytest.raises(Canceled, match="waiting for another run"),
    ):
        cache.outputs(subject, roles=("ORI",), progress=stop)


def test_half_an_array_never_has_the_name_of_a_whole_one(stand_in, tmp_path):
    seen: list[str] = []

    def look(done: int, total: int, what: str = "") -> None:
        if done < total:
            seen.extend(path.name for path in Path(tmp_path).rglob("*.npy"))

    FeatureCache(tmp_path).outputs(stand_in.subject_of(stand_in.Layers), roles=ROLES, progress=look, batch_size=50)
    assert seen == []


def test_no_more_than_a_batch_is_in_memory_however_many_rows_there_are(stand_in, tmp_path):
    width, batch_size = 2_000, 64

    class Many(stand_in.Rows):
        def __len__(self) -> int:
            return 5_000

        def batch(self, rows):
            return np.ones((len(rows), 1), dtype=np.float32)

    class Wide(stand_in.Layers):
        def run(self, batch, layers):
            return {layer: np.repeat(batch, width, axis=1) for layer in layers}

    subject = Subject(**{**vars(stand_in.subject_of(Wide)), "dataset": Many()})  # 40 MB in all
    tracemalloc.start()
    FeatureCache(tmp_path).outputs(subject, roles=("LHL",), batch_size=batch_size)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * batch_size * width * 4


def test_asked_for_nothing_by_name_it_gives_the_roles_the_model_has_and_leaves_out_the_huge(stand_in, tmp_path):
    model = stand_in.Layers(roles={"ORI": "in", "LHL": "dense"})  # no class probabilities: one raw number, say
    cache, subject = FeatureCache(tmp_path), stand_in.subject_of(lambda: model)
    assert cache.roles_of(subject) == ("ORI", "LHL")
    assert list(cache.outputs(subject, largest=30_000)) == ["ORI"]  # LHL takes 36,000 bytes
    known = stand_in.subject_of(never_opened)
    assert cache.roles_of(known) == ("ORI", "LHL")
    assert list(cache.outputs(known, largest=30_000)) == ["ORI"]
    assert list(cache.outputs(subject)) == ["ORI", "LHL"]
    assert list(cache.outputs(subject, roles=("LHL",))) == ["LHL"]


def test_what_was_damaged_is_computed_anew_and_nothing_else(stand_in, tmp_path):
    cache, subject = FeatureCache(tmp_path), stand_in.subject_of(stand_in.Layers)
    filled(cache, subject, batch_size=50)
    path = tmp_path / cache.entry_of(subject) / "ORI.npy"
    content = bytearray(path.read_bytes())
    content[-1_000 * 6 * 4 + 450 * 6 * 4] ^= 1  # row 450
    path.write_bytes(content)
    (damage,) = cache.verify()
    cache.forget(damage)
    model = stand_in.Layers()
    again = filled(cache, stand_in.subject_of(lambda: model), batch_size=50)
    np.testing.assert_array_equal(again["ORI"], stand_in.INPUTS)
    assert (model.rows_run, model.asked) == (100, {"in"})
    assert cache.verify() == ()


def test_scores_are_computed_once_and_added_to(tmp_path):
    cache, key, calls = FeatureCache(tmp_path), "f" * 32, []

    def compute(*names: str) -> dict[str, np.ndarray]:
        calls.append(names)
        return {name: np.arange(5.0) / 3 * len(name) for name in names}

    for names in (("dsa",), ("dsa",), ("lsa",), ("dsa", "lsa")):
        scores = cache.scores(key, lambda names=names: compute(*names), names=names, name="Rows, scores", size=5)
    assert calls == [("dsa",), ("lsa",)]
    np.testing.assert_array_equal(scores["lsa"], np.arange(5.0) / 3 * 3)  # to the last bit of float64
    assert not scores["lsa"].flags.writeable
    assert [(record.name, record.roles) for record in cache.list()] == [("Rows, scores", ("dsa", "lsa"))]
    assert cache.verify() == ()
