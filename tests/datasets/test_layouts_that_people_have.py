"""Folders of pictures and sounds as public sets are laid out: which folders are splits, and which table has the labels."""

import io
import zipfile

import numpy as np
import pytest
import soundfile
from PIL import Image

from testimate.core.errors import BadInput
from testimate.datasets.open import open_dataset_file
from testimate.tables.rules import LATEST, LONE
from tests.each import each


def picture(number: int) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.full((4, 4), number, np.uint8)).save(file, "PNG")
    return file.getvalue()


def sound() -> bytes:
    file = io.BytesIO()
    soundfile.write(file, np.zeros(80, np.float32), 8_000, format="WAV")
    return file.getvalue()


def laid_out(folder, files):
    """A zip of these files: the text of a table, or the place of a picture or a sound."""
    path = folder / "set.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number, (name, content) in enumerate(files.items()):
            made = content or (sound() if name.endswith(".wav") else picture(number))
            archive.writestr(name, made)
    return path


def classes_of(opened):
    return [opened.classes[answer] for answer in opened.known.answers]


SPLITS = {
    "COCO": (["train2017/1.png", "val2017/2.png", "val2017/3.png"], (2, 1), 0),
    "with a word more": (["train_images/1.png", "test_images/2.png", "sample/3.png"], (1, 1), 1),
    "twice the same folder": (
        [
            "seg_train/seg_train/a/1.png",
            "seg_test/seg_test/a/2.png",
            "seg_test/seg_test/b/3.png",
            "seg_pred/seg_pred/4.png",
        ],
        (2, 1),
        1,
    ),
    "YOLO's export": (["train/images/1.png", "valid/images/2.png", "test/images/3.png"], (1, 1), 0),
}


@pytest.mark.parametrize("kind", SPLITS)
def test_folders_that_say_in_several_words_which_split_they_are_name_no_classes(tmp_path, kind):
    names, sizes, apart = SPLITS[kind]
    opened = open_dataset_file(laid_out(tmp_path, dict.fromkeys(names)))
    assert (len(opened.dataset), len(opened.training.dataset)) == sizes
    assert dict(opened.facts).get("files in no split", "0").startswith(str(apart))
    assert not {"images", "seg_test", "val2017"} & {*opened.classes}


def test_classes_with_a_word_of_a_split_in_their_names_stay_classes(tmp_path):
    names = ["freight_train/1.png", "test_bus/2.png", "car/3.png"]
    assert open_dataset_file(laid_out(tmp_path, dict.fromkeys(names))).classes == ("car", "freight_train", "test_bus")


def test_a_set_that_was_stored_before_keeps_its_classes(tmp_path):
    path = laid_out(tmp_path, dict.fromkeys(["train2017/1.png", "val2017/2.png"]))
    assert open_dataset_file(path, rules=LONE).classes == ("train2017", "val2017")
    assert open_dataset_file(path, rules=LATEST).classes == ()


def test_a_table_that_names_the_inputs_has_their_labels_wherever_it_lies_and_whatever_it_is_called(tmp_path):
    urban = "slice_file_name,fsID,fold,classID,class\n" + "".join(
        f"{name}.wav,{100 + number},{1 + number % 2},{(1, 0)[number % 2]},{('siren', 'drill')[number % 2]}\n"
        for number, name in enumerate("abcd")
    )
    files = {f"audio/fold{1 + number % 2}/{name}.wav": None for number, name in enumerate("abcd")}
    opened = open_dataset_file(laid_out(tmp_path, {**files, "metadata/UrbanSound8K.csv": urban}))
    assert classes_of(opened) == ["siren", "siren", "drill", "drill"]  # by fold: a, c, then b, d
    assert opened.listed == ("drill", "siren"), "in the order of classID"
    assert "metadata/UrbanSound8K.csv (4 of 4), column 'class'" in dict(opened.facts).values()
    assert "truth in metadata/UrbanSound8K.csv (hidden from testers)" in opened.reading.in_words()


def test_numbers_of_classes_are_named_by_the_words_beside_them(tmp_path):
    table = "file,target,category\n" + "".join(f"{n}.wav,{n % 3},{['dog', 'ant', 'cow'][n % 3]}\n" for n in range(6))
    opened = open_dataset_file(laid_out(tmp_path, {f"a/{n}.wav": None for n in range(6)} | {"meta/esc.csv": table}))
    assert opened.known.answers.tolist() == [0, 1, 2, 0, 1, 2]
    assert opened.listed == ("dog", "ant", "cow")


def test_of_the_tables_of_several_splits_the_one_that_names_the_files_counts(tmp_path):
    signs = (
        {f"Train/{n}/{n}.png": None for n in range(2)}
        | {f"Test/{n}.png": None for n in range(3)}
        | {"Meta/0.png": None}
    )
    tables = {
        "Test.csv": "Width,ClassId,Path\n" + "".join(f"4,{(2, 0, 1)[n]},Test/{n}.png\n" for n in range(3)),
        "Train.csv": "Width,ClassId,Path\n" + "".join(f"4,{n},Train/{n}/{n}.png\n" for n in range(2)),
        "Meta.csv": "Path,ClassId\nMeta/0.png,0\n",
    }
    opened = open_dataset_file(laid_out(tmp_path, {**signs, **tables}))
    assert opened.known.answers.tolist() == [2, 0, 1]
    assert opened.training.known.answers.tolist() == [0, 1]
    assert dict(opened.facts)["files in no split"] == "1, left out"


def test_the_only_other_column_of_a_table_of_the_inputs_is_their_label(tmp_path):
    table = "id_code,diagnosis\n" + "".join(f"x{n},{n % 2}\n" for n in range(4))
    opened = open_dataset_file(
        laid_out(tmp_path, {f"train_images/x{n}.png": None for n in range(4)} | {"train.csv": table})
    )
    assert opened.known.answers.tolist() == [0, 1, 0, 1]


def test_a_table_of_the_inputs_without_a_clear_label_is_named_with_the_option_that_chooses_one(tmp_path):
    table = "id_code,left,right\n" + "".join(f"x{n},{n % 2},{n % 3}\n" for n in range(4))
    path = laid_out(tmp_path, {f"images/x{n}.png": None for n in range(4)} | {"train.csv": table})
    opened = open_dataset_file(path)
    assert opened.known is None
    assert "left out: `train.csv` ('left', 'right'), of which none is clearly the label" in opened.reading.in_words()
    assert opened.columns == ("left", "right"), "from which the page and the terminal let a person choose"
    assert open_dataset_file(path, label="right").known.answers.tolist() == [0, 1, 2, 0]


def test_two_tables_that_name_the_inputs_give_no_labels_and_are_both_named(tmp_path):
    tables = {f"{name}/x.csv": "file,score\n" + "".join(f"{n}.png,{n % 2}\n" for n in range(4)) for name in ("a", "b")}
    opened = open_dataset_file(laid_out(tmp_path, {f"images/{n}.png": None for n in range(4)} | tables))
    assert opened.known is None
    assert [said for name, said in opened.facts if name == "not used"] == [
        "a/x.csv, as others name the inputs, too",
        "b/x.csv, as others name the inputs, too",
    ]


def test_a_table_to_be_filled_in_with_predictions_is_no_truth(tmp_path):
    pictures = {f"test_images/x{n}.png": None for n in range(4)} | {f"train_images/y{n}.png": None for n in range(4)}
    truth = "id_code,diagnosis\n" + "".join(f"y{n},{n % 2}\n" for n in range(4))
    asked = "id_code\n" + "".join(f"x{n}\n" for n in range(4))
    zeros, guesses = (
        "id_code,diagnosis\n" + "".join(f"x{n},{value}\n" for n, value in enumerate(values))
        for values in ("0000", "0110")
    )
    for tables in (
        {"sample_submission.csv": guesses},
        {"sample_submission.csv": zeros, "test.csv": asked},
        {"to_fill_in.csv": zeros},
    ):
        opened = open_dataset_file(laid_out(tmp_path, {**pictures, "train.csv": truth, **tables}))
        assert opened.known is None
        assert opened.training.known.answers.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("column", ["prediction", "Predicted", "y_pred"])
def test_what_a_model_predicted_is_no_truth_wherever_its_table_lies(tmp_path, column):
    table = f"file,{column}\n" + "".join(f"{n}.png,{n % 2}\n" for n in range(4))
    apart = open_dataset_file(
        laid_out(tmp_path, {f"images/{n}.png": None for n in range(4)} | {"results/r.csv": table})
    )
    assert apart.known is None
    assert f"left out: `results/r.csv` ('{column}'), of which none is clearly the label" in apart.reading.in_words()
    beside = laid_out(tmp_path, {f"{n}.png": None for n in range(4)} | {"r.csv": table})
    opened = open_dataset_file(beside)
    assert opened.known is None
    assert f"left out: `r.csv` ('{column}'), of which none is clearly the label" in opened.reading.in_words()
    assert open_dataset_file(beside, label=column).known.answers.tolist() == [0, 1, 0, 1]
    assert open_dataset_file(beside, rules=LONE).known.answers.tolist() == [0, 1, 0, 1]


def test_folders_that_are_classes_stay_the_truth_beside_a_table_without_a_clear_label(tmp_path):
    names = [f"{split}/{kind}/{n}.png" for split in ("train", "val") for kind in ("ant", "bee") for n in range(2)]
    table = "path,noisy,is_valid\n" + "".join(f"{name},ant,{name.startswith('val')}\n" for name in names)
    opened = open_dataset_file(laid_out(tmp_path, dict.fromkeys(names) | {"noisy.csv": table}))
    assert classes_of(opened) == ["ant", "ant", "bee", "bee"]
    assert "noisy.csv" in opened.reading.left_out
    assert opened.columns == ()


@each("name", ["labels.csv", "metadata.csv", "train.csv"])
@each("key", ["filename", "Image Name", "img"])
@each("label", ["species", "diagnosis", "ground_truth", "Klasse", "label"])
@each("ending", ["", ".png"])
def test_a_table_of_any_name_gives_the_labels_of_the_pictures_by_what_stands_in_it(tmp_path, name, key, label, ending):
    kinds, rows = ["asp", "boa", "cobra"], range(12)
    columns = {"width": [8] * 12, "prediction": [kinds[n % 2] for n in rows], key: [f"x{n}{ending}" for n in rows]}
    columns |= {"split": ["train", "test"] * 6, label: [kinds[n % 3] for n in rows], "age": [*range(20, 80, 5)]}
    content = "\n".join(",".join(map(str, row)) for row in (columns, *zip(*columns.values(), strict=True)))
    pictures = {f"images/x{n}.png": None for n in rows}
    opened = open_dataset_file(laid_out(tmp_path, pictures | {name: content + "\n"}))
    order = sorted(rows, key=lambda n: f"x{n}.png")
    assert [opened.classes[place] for place in opened.known.answers] == [kinds[n % 3] for n in order]


def test_of_two_columns_with_the_same_classes_none_is_clearly_the_label(tmp_path):
    kinds = ["asp", "boa", "cobra"]
    table = "file,first look,second look\n" + "".join(f"x{n}.png,{kinds[n % 3]},{kinds[n % 2]}\n" for n in range(12))
    opened = open_dataset_file(
        laid_out(tmp_path, {f"images/x{n}.png": None for n in range(12)} | {"labels.csv": table})
    )
    assert opened.known is None
    assert opened.columns == ("first look", "second look")


PATHS = {
    "of Windows": "images\\{}.png",
    "elsewhere": "/content/drive/set/images/{}.PNG",
    "from here": "./images/{}.png",
}


@each("kind", PATHS)
def test_labels_are_found_by_other_paths_to_the_same_files(tmp_path, kind):
    lines = "".join(f"{PATHS[kind].format(number)},{'ab'[number % 2]}\n" for number in range(4))
    path = laid_out(
        tmp_path, {**{f"images/{number}.png": "" for number in range(4)}, "labels.csv": f"file,label\n{lines}"}
    )
    opened = open_dataset_file(path)
    assert classes_of(opened) == [*"abab"]
    with pytest.raises(BadInput, match="labels none of the 4 files"):
        open_dataset_file(path, apart=False)


def test_a_file_with_different_labels_has_none_and_most_of_them_are_refused(tmp_path):
    files = {f"images/{number}.png": "" for number in range(6)}
    once = "".join(f"{number}.png,{'ab'[number % 2]}\n" for number in range(6))
    opened = open_dataset_file(laid_out(tmp_path, {**files, "labels.csv": f"file,label\n{once}0.png,b\n1.png,b\n"}))
    assert opened.known is not None
    assert opened.known.rows.tolist() == [1, 2, 3, 4, 5]
    assert opened.reading is not None
    assert opened.reading.doubtful == ("Files with several labels: 1, which have none here, such as 0.png.",)
    twice = "".join(f"{number}.png,{word}\n" for number in range(6) for word in "ab")
    with pytest.raises(BadInput, match=r"gives 6 files several labels each, such as 0\.png"):
        open_dataset_file(laid_out(tmp_path, {**files, "labels.csv": f"file,label\n{twice}"}))


def test_the_folders_of_a_training_set_name_the_classes_of_a_test_set_without_labels(tmp_path):
    names = [
        *(f"train/{kind}/{number}.png" for kind in ("owl", "cat") for number in range(3)),
        "test/7.png",
        "test/8.png",
    ]
    opened = open_dataset_file(laid_out(tmp_path, dict.fromkeys(names, "")))
    assert opened.known is None
    assert opened.listed == ("cat", "owl")


def test_few_texts_beside_the_folders_of_classes_are_about_the_others(tmp_path):
    texts = {f"test/{kind}/{number}.txt": f"It was {kind} {number}." for kind in ("neg", "pos") for number in range(30)}
    path = laid_out(tmp_path, {**texts, "test/urls_pos.txt": "http://x"})
    opened = open_dataset_file(path)
    assert (len(opened.dataset), opened.classes) == (60, ("neg", "pos"))
    assert dict(opened.facts)["texts beside the folders"] == "1, left out, such as urls_pos.txt"
    assert open_dataset_file(path, apart=False).known is None


@pytest.mark.parametrize("count", [1, 3])
def test_pictures_of_a_kind_that_is_not_read_are_not_lost_among_others(tmp_path, count):
    names = [*(f"a/{number}.png" for number in range(30)), *(f"b/{number}.tif" for number in range(count))]
    path = laid_out(tmp_path, dict.fromkeys(names, ""))
    if count == 1:
        assert len(open_dataset_file(path).dataset) == 30
        return
    with pytest.raises(BadInput, match="3 TIFF pictures, which cannot be read here, beside 30 that can"):
        open_dataset_file(path)


def test_splits_may_lie_within_the_folders_of_the_classes(tmp_path):
    files = [
        f"set/{kind}/{part}/{row}.png" for kind in ("cat", "owl") for part in ("train", "Test") for row in range(2)
    ]
    path = laid_out(tmp_path, dict.fromkeys(files, b""))
    opened = open_dataset_file(path)
    assert classes_of(opened) == ["cat", "cat", "owl", "owl"]
    assert opened.training is not None
    assert (len(opened.dataset), len(opened.training.dataset)) == (4, 4)
    assert len(open_dataset_file(path, apart=False).dataset) == 8, "a set that was opened before keeps its inputs"


def test_folders_at_another_depth_are_said_and_may_be_chosen_as_the_classes(tmp_path):
    files = [f"day {day}/{kind}/{day}{row}.png" for day in (1, 2) for kind in ("cat", "dog", "owl") for row in range(2)]
    path = laid_out(tmp_path, dict.fromkeys(files, b""))
    outer = open_dataset_file(path)
    assert outer.classes == ("day 1", "day 2")
    assert outer.reading is not None
    assert outer.reading.doubtful == (
        "Other folders than those of the classes: 'cat', 'dog', 'owl'; to take them as the labels: --label 'folder 2'.",
    )
    inner = open_dataset_file(path, label="folder 2")
    assert classes_of(inner) == ["cat", "cat", "dog", "dog", "owl", "owl"] * 2
    assert inner.reading is not None
    assert not inner.reading.doubtful


def test_tables_that_are_called_after_splits_say_which_inputs_belong_to_which(tmp_path):
    clips = {f"corpus/clips/{row}.wav": b"" for row in range(10)}
    lines = {part: ["path,sentence"] for part in ("train", "test", "validated")}
    for row in range(8):
        for part in ("train" if row < 3 else "test", "validated"):
            lines[part].append(f"{row}.wav,{('yes', 'no')[row % 2]}")
    tables = {f"corpus/{part}.csv": "\n".join(some).encode() for part, some in lines.items()}
    path = laid_out(tmp_path, {**clips, **tables})
    opened = open_dataset_file(path)
    assert classes_of(opened) == ["no", "yes", "no", "yes", "no"]
    assert opened.training is not None
    assert classes_of(opened.training) == ["yes", "no", "yes"]
    assert dict(opened.facts)["files in no split"] == "2, left out"
    assert len(open_dataset_file(path, apart=False).dataset) == 10, "a set that was opened before keeps its inputs"
    shared = laid_out(tmp_path, {**clips, **tables, "corpus/train.csv": "\n".join(lines["validated"]).encode()})
    assert len(open_dataset_file(shared).dataset) == 10, "tables that share inputs are no splits"


@each("kind", ["pictures", "sounds", "texts", "rows", "array"])
def test_inputs_that_repeat_earlier_ones_are_counted(tmp_path, kind):
    numbers = np.arange(12) % 9
    if kind == "rows":
        path = tmp_path / "t.csv"
        path.write_text("row_id,size,label\n" + "".join(f"{row},{one}.5,a\n" for row, one in enumerate(numbers)))
    elif kind == "array":
        path = tmp_path / "t.npz"
        np.savez(path, x=np.repeat(numbers, 16).reshape(12, 4, 4).astype(np.uint8))
    else:
        ending = {"pictures": "png", "sounds": "wav", "texts": "txt"}[kind]
        path = tmp_path / f"{kind}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for row, one in enumerate(numbers.tolist()):
                sounded = io.BytesIO()
                soundfile.write(sounded, np.full(8, one / 100, np.float32), 8_000, format="WAV")
                made = {"png": picture(one), "wav": sounded.getvalue(), "txt": f"Text {one}.".encode()}[ending]
                archive.writestr(f"{row:02}.{ending}", made)
    reading = open_dataset_file(path).reading
    assert reading is not None
    assert reading.doubtful == ("Repeated inputs: 3 of 12 are the same as an earlier one, and each of them counts.",)


@each(
    ("lists", "ending"),
    [
        ({"testing_list.txt": ".png", "validation_list.txt": ".png"}, ".png"),
        ({"meta/test.txt": "", "meta/train.txt": ""}, ".jpg"),
        ({"test.lst": ".png 1", "val.lst": ".png 0"}, ".png"),
    ],
)
def test_lists_of_files_that_are_called_after_splits_divide_the_inputs(tmp_path, lists, ending):
    names = [f"{kind}/{kind}{row}" for kind in ("cat", "owl") for row in range(6)]
    files = {f"set/{name}{ending}": b"" for name in names}
    for place, (name, written) in enumerate(lists.items()):
        files[f"set/{name}"] = "\n".join(f"{one}{written}" for one in names[place::3]).encode()
    path = laid_out(tmp_path, files)
    opened = open_dataset_file(path)
    first = next(iter(lists))
    assert classes_of(opened) == ["cat", "cat", "owl", "owl"]
    assert opened.reading is not None
    assert opened.reading.doubtful == (f"A split of the inputs: set/{first} names the 4 of 12 inputs that are read.",)
    assert len(open_dataset_file(path, apart=False).dataset) == 12, "a set that was opened before keeps its inputs"


def test_a_table_with_a_column_of_zeros_and_ones_for_each_class_has_the_labels(tmp_path):
    files = {f"set/test/{row}.png": b"" for row in range(6)}
    lines = [f"{row}.png, {int(row % 3 == 0)}.0, {int(row % 3 == 1)}.0, {int(row % 3 == 2)}.0" for row in range(6)]
    table = "\n".join(["image, melanoma, nevus, mole", *lines])
    opened = open_dataset_file(laid_out(tmp_path, {**files, "set/test/_classes.csv": table.encode()}))
    assert classes_of(opened) == ["melanoma", "nevus", "mole"] * 2
    two = table.replace("0.png, 1.0, 0.0, 0.0", "0.png, 1.0, 1.0, 0.0").encode()
    several = open_dataset_file(laid_out(tmp_path, {**files, "set/test/_classes.csv": two}))
    assert (several.known, several.columns) == (None, ("melanoma", "nevus", "mole"))


def test_a_table_of_any_name_may_name_the_inputs_by_paths_of_another_computer(tmp_path):
    files = {f"export/pictures/{row}.png": b"" for row in range(6)}
    lines = ["path;kind", *(rf"C:\Data\Old\{row}.png;{('cat', 'owl')[row % 2]}" for row in range(6))]
    opened = open_dataset_file(laid_out(tmp_path, {**files, "export/kinds.csv": "\n".join(lines).encode()}))
    assert classes_of(opened) == ["cat", "owl"] * 3


def test_a_table_that_names_pictures_is_refused_with_the_folder_to_give(tmp_path):
    (tmp_path / "t.csv").write_text("image,label\n" + "".join(f"a/{row}.PNG,{'ab'[row % 2]}\n" for row in range(9)))
    with pytest.raises(BadInput, match=r"names files, such as 'a/0\.PNG'\. Expected the folder that has them"):
        open_dataset_file(tmp_path / "t.csv")


def test_within_folders_that_only_number_parts_the_next_ones_are_the_classes(tmp_path):
    files = {f"set/fold{part}/{kind}/{part}.png": b"" for part in (1, 2) for kind in ("cat", "owl")}
    path = laid_out(tmp_path, files)
    opened = open_dataset_file(path)
    assert classes_of(opened) == ["cat", "owl"] * 2
    assert open_dataset_file(path, apart=False).known is None, "a set that was opened before has no labels"


def test_a_folder_of_inputs_without_a_label_is_no_class(tmp_path):
    files = {f"set/{part}/{kind}/{kind}.png": b"" for part in ("train", "test") for kind in ("neg", "pos", "Unsup")}
    opened = open_dataset_file(laid_out(tmp_path, files))
    assert (opened.classes, classes_of(opened)) == (("neg", "pos"), ["neg", "pos"])
    assert (opened.known.rows.tolist(), len(opened.dataset)) == ([1, 2], 3)


def test_a_table_of_the_files_of_a_split_alone_gives_no_labels(tmp_path):
    train = "image,kind\n0.png,cat\n1.png,owl\n2.png,cat"
    files = {**{f"set/{row}.png": b"" for row in range(5)}, "set/train.csv": train.encode()}
    opened = open_dataset_file(laid_out(tmp_path, {**files, "set/test.csv": b"image\n3.png\n4.png"}))
    assert (opened.known, len(opened.dataset)) == (None, 2)
    assert opened.training is not None
    assert classes_of(opened.training) == ["cat", "owl", "cat"]
