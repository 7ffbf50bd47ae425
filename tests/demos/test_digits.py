"""The digits demo: its accuracy and faults, its pictures, and what happens to its kept weights."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from sklearn.datasets import load_digits

from testimate.core import fingerprint
from testimate.core.errors import BadInput, Canceled, StoreUnavailable, SubjectChanged
from testimate.core.subject import Subject
from testimate.demos import digits_network
from testimate.demos.catalog import DEMOS
from testimate.demos.digits import bundled_digits, open_digits
from testimate.demos.png import gray_png


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    open_digits(folder)
    return folder


@pytest.fixture
def copy(project: Path, tmp_path: Path) -> Path:
    """A project of its own with the same kept weights."""
    place = tmp_path / "demos" / "digits"
    place.mkdir(parents=True)
    (place / weights_of(project).name).write_bytes(weights_of(project).read_bytes())
    return tmp_path


def weights_of(folder: Path) -> Path:
    (path,) = (folder / "demos" / "digits").iterdir()
    return path


def probabilities_of(subject: Subject) -> np.ndarray:
    assert subject.open_model is not None
    model = subject.open_model()
    rows = np.arange(len(subject.dataset))
    return model.run(subject.dataset.batch(rows), [model.roles["CON"]])[model.roles["CON"]]


def test_the_network_reads_about_nine_in_ten_digits_right_and_errs_at_every_severity(project):
    subject = open_digits(project)
    probabilities = probabilities_of(subject)
    wrong = probabilities.argmax(axis=1) != subject.truth
    confidence = probabilities.max(axis=1)[wrong]
    assert len(wrong) == 1_497
    assert 0.88 <= 1 - wrong.mean() <= 0.92
    assert (confidence < 0.5).sum() >= 10
    assert ((confidence >= 0.5) & (confidence < 0.8)).sum() >= 10
    assert (confidence >= 0.8).sum() >= 10


def test_the_recorded_probabilities_are_those_of_the_kept_weights_by_plain_torch(project):
    net = digits_network.network()
    net.load_state_dict(torch.load(weights_of(project), weights_only=True))
    subject = open_digits(project)
    with torch.no_grad():
        expected = net.eval()(torch.tensor(subject.dataset.batch(np.arange(99)))).softmax(1).numpy()
    np.testing.assert_allclose(probabilities_of(subject)[:99], expected, rtol=1e-5, atol=1e-7)


def test_a_second_training_gives_the_same_weights_and_leaves_torch_as_it_was(project, tmp_path):
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    assert open_digits(tmp_path).fingerprint == open_digits(project).fingerprint
    assert weights_of(tmp_path).read_bytes() == weights_of(project).read_bytes()
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == threads


def test_the_hand_written_adam_takes_the_steps_of_torchs_own():
    weights = [torch.tensor([1.0, -2.0, 3.0]), torch.tensor([[0.5]])]
    theirs = [weight.clone().requires_grad_() for weight in weights]
    mine, reference = digits_network.Adam(weights), torch.optim.Adam(theirs, lr=digits_network.LEARNING_RATE)
    for step in range(1, 20):
        gradients = [torch.tensor([0.1 * step, -3.0, 0.001]), torch.tensor([[float(step % 3)]])]
        mine.take(gradients)
        for weight, gradient in zip(theirs, gradients, strict=True):
            weight.grad = gradient
        reference.step()
    for weight, their in zip(weights, theirs, strict=True):
        torch.testing.assert_close(weight, their.detach())


def test_training_and_operational_inputs_together_are_all_the_digits_and_share_none(project):
    everything = load_digits()
    subject = open_digits(project)
    shown = (subject.dataset.batch(np.arange(1_497))[:, 0] * 16).astype(int)
    ours = {image.tobytes() for image in shown.reshape(-1, 64)}
    all_of_them = {image.tobytes() for image in everything.images.astype(int).reshape(-1, 64)}
    assert len(all_of_them - ours) == len(everything.images) - 1_497  # no digit is in the set twice
    places = {
        image.tobytes(): digit for image, digit in zip(everything.images.astype(int), everything.target, strict=True)
    }
    assert [places[image.tobytes()] for image in shown] == subject.truth.tolist()


def test_the_file_is_read_as_scikit_learn_reads_it():
    images, digits = bundled_digits()
    theirs = load_digits()
    np.testing.assert_array_equal(images * 16, theirs.images)
    np.testing.assert_array_equal(digits, theirs.target)


def test_a_shown_digit_is_a_png_whose_pixels_are_the_inputs_as_ink_on_paper(project):
    dataset = open_digits(project).dataset
    for row in (0, 800, 1_496):
        shown = dataset.show(row)
        assert shown.modality == "image"
        with Image.open(io.BytesIO(shown.image), formats=["PNG"]) as picture:
            assert picture.mode == "L"
            np.testing.assert_array_equal(
                np.asarray(picture), np.rint(255 - 255 * dataset.batch(np.array([row]))[0, 0])
            )
    for row in (-1, 1_497):
        with pytest.raises(BadInput, match="There is no row"):
            dataset.show(row)


def test_a_png_of_any_shape_is_read_back_pixel_for_pixel_by_pillow():
    pixels = np.random.default_rng(0).integers(0, 256, (5, 19), dtype=np.uint8)
    with Image.open(io.BytesIO(gray_png(pixels)), formats=["PNG"]) as picture:
        picture.verify()
    with Image.open(io.BytesIO(gray_png(pixels)), formats=["PNG"]) as picture:
        np.testing.assert_array_equal(np.asarray(picture), pixels)


def test_a_known_demo_opens_without_a_framework_and_listing_demos_imports_no_framework(project):
    program = (
        "import sys; from pathlib import Path; from testimate.demos.catalog import DEMOS; list(DEMOS.values());"
        "assert not {'torch', 'sklearn', 'pandas', 'pyarrow'} & set(sys.modules), 'listing imports a framework';"
        "DEMOS['digits'].open(Path(sys.argv[1]), lambda done, total, what='': None);"
        "assert not {'torch', 'sklearn', 'pandas', 'scipy'} & set(sys.modules), 'opening imports a framework'"
    )
    subprocess.run([sys.executable, "-c", program, str(project)], check=True, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "foreign"])
def test_damaged_or_foreign_weights_are_noticed_and_trained_again(project, copy, damage):
    path, sound = weights_of(copy), weights_of(project).read_bytes()
    foreign = io.BytesIO()
    torch.save(torch.nn.Linear(2, 2).state_dict(), foreign)
    flipped = bytearray(sound)
    flipped[len(sound) // 2] ^= 1
    path.write_bytes(
        {"cut": sound[:-99], "flipped": bytes(flipped), "empty": b"", "foreign": foreign.getvalue()}[damage]
    )
    subject = open_digits(copy)
    assert subject.fingerprint == open_digits(project).fingerprint
    assert weights_of(copy).read_bytes() == sound
    assert probabilities_of(subject).shape == (1_497, 10)


def test_foreign_weights_under_a_forged_name_run_no_code_and_are_refused(copy):
    weights_of(copy).unlink()
    content = io.BytesIO()
    torch.save(digits_network.network(), content)  # a whole object, which could run any program
    digest = fingerprint.of_bytes(content.getvalue())
    (copy / "demos" / "digits" / f"digits-1-{digest}.pt").write_bytes(content.getvalue())
    subject = open_digits(copy)
    with pytest.raises(BadInput, match="do not fit the digits network"):
        subject.open_model()


def test_weights_changed_after_the_demo_was_opened_are_not_run(copy):
    subject = open_digits(copy)
    weights_of(copy).write_bytes(b"other")
    with pytest.raises(SubjectChanged, match="were changed on disk"):
        subject.open_model()
    weights_of(copy).unlink()
    with pytest.raises(SubjectChanged, match="are gone"):
        subject.open_model()


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(tmp_path):
    (tmp_path / "demos").write_text("a file where a folder should be")
    with pytest.raises(StoreUnavailable, match="could not be kept"):
        open_digits(tmp_path)


def test_training_can_be_stopped_and_leaves_nothing_behind(tmp_path):
    def stop(done: int, total: int, what: str = "") -> None:
        if done == 3:
            raise Canceled("Stopped.")

    with pytest.raises(Canceled):
        open_digits(tmp_path, stop)
    assert not list(tmp_path.rglob("*.pt"))


def test_every_demo_says_what_it_is():
    for name, demo in DEMOS.items():
        assert demo.name == name
        assert demo.title
        assert demo.description.endswith(".")
