"""Masks and thumbnails beside pictures are no inputs; folders that are called so and hold other pictures are classes."""

import numpy as np
from PIL import Image

from testimate.datasets.open import open_dataset_file
from tests.each import each


def write_pictures(folder, count, *, side=24, seed=0):
    """Colored pictures of many colors, by their stems."""
    folder.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 256, (count, side, side, 3), dtype=np.uint8)
    for place, one in enumerate(pixels):
        Image.fromarray(one).save(folder / f"{place:03}.png")
    return pixels


def mask_of(pixels):
    return Image.fromarray(((pixels.mean(axis=2) > 127) * 255).astype(np.uint8))


BESIDE = {
    "a word in its name": lambda root, kind, place: root / kind / f"{place:03}_mask.png",
    "a folder of its name in each class": lambda root, kind, place: root / kind / "masks" / f"{place:03}.png",
    "ISIC's word": lambda root, kind, place: root / kind / f"{place:03}_segmentation.png",
}


@each("layout", BESIDE)
def test_masks_are_left_out_and_counted(tmp_path, layout):
    root = tmp_path / layout
    for kind in ("cat", "owl"):
        for place, pixels in enumerate(write_pictures(root / kind, 12)):
            path = BESIDE[layout](root, kind, place)
            path.parent.mkdir(exist_ok=True)
            mask_of(pixels).save(path)
    opened = open_dataset_file(root)
    assert len(opened.dataset) == 24
    assert opened.classes == ("cat", "owl")
    assert (
        str(opened.reading)
        .splitlines()[0]
        .endswith("left out: `masks` 24 beside their pictures, such as " + _first(root, layout))
    )
    assert len(open_dataset_file(root, apart=False).dataset) == 48  # as subjects that were added before have them


def _first(root, layout):
    return str(BESIDE[layout](root, "cat", 0).relative_to(root))


def test_a_folder_of_masks_beside_one_of_pictures_leaves_the_labels_of_these(tmp_path):
    root = tmp_path / "set"
    for place, pixels in enumerate(write_pictures(root / "images", 10)):
        (root / "masks").mkdir(exist_ok=True)
        mask_of(pixels).save(root / "masks" / f"{place:03}.png")
    (root / "labels.csv").write_text("image,label\n" + "".join(f"{n:03}.png,{'ab'[n % 2]}\n" for n in range(10)))
    opened = open_dataset_file(root)
    assert opened.known is not None
    assert [opened.classes[answer] for answer in opened.known.answers] == [*"ababababab"]


def test_thumbnails_are_smaller_pictures_of_the_same_proportions(tmp_path):
    for kind in ("cat", "owl"):
        for place, pixels in enumerate(write_pictures(tmp_path / "set" / kind, 6)):
            small = tmp_path / "set" / kind / "thumbs" / f"{place:03}.jpg"
            small.parent.mkdir(exist_ok=True)
            Image.fromarray(pixels).resize((8, 8)).save(small)
    assert len(open_dataset_file(tmp_path / "set").dataset) == 12


@each("names", [("mask", "no_mask"), ("small", "large"), ("preview", "film")])
def test_folders_that_are_called_so_and_hold_other_pictures_are_classes(tmp_path, names):
    for seed, name in enumerate(names):
        write_pictures(tmp_path / names[0] / name, 8, seed=seed)
    opened = open_dataset_file(tmp_path / names[0])
    assert len(opened.dataset) == 16
    assert {*opened.classes} == {*names}


def test_animated_and_turned_pictures_are_counted_in_the_reading(tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    frames = [Image.fromarray(np.full((4, 4, 3), value, np.uint8)) for value in (0, 200)]
    frames[0].save(folder / "a.png", save_all=True, append_images=frames[1:])
    turned = Image.Exif()
    turned[0x0112] = 6
    frames[1].save(folder / "b.jpg", exif=turned)
    opened = open_dataset_file(folder)
    assert opened.reading is not None
    assert opened.reading.doubtful == (
        "Photographs turned by EXIF: 1, given to the model and shown as stored, not turned.",
        "Animated pictures: 1, of which the first frame is taken.",
    )
