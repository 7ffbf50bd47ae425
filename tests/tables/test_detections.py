"""What detectors write, COCO's JSON and YOLO's texts: which boxes are read from it, and what is refused in a sentence."""

import json
import zipfile

import numpy as np
import pytest
from PIL import Image

from testimate.core.errors import BadInput
from testimate.planning.needs import default_auxiliary
from testimate.project.project import Project
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tasks.boxes import EXPECTED_ERRORS, Boxes
from tests.each import each

IMAGES = [{"id": place, "file_name": f"{place:04}.png", "width": 100, "height": 50} for place in range(3)]
KINDS = [{"id": 3, "name": "ship"}, {"id": 7, "name": "buoy"}]
FOUND = [
    {"image_id": 0, "category_id": 7, "bbox": [60, 10, 20, 20], "score": 0.9},
    {"image_id": 0, "category_id": 3, "bbox": [5, 10, 30, 10], "score": 0.8},
    {"image_id": 2, "category_id": 3, "bbox": [90, 40, 30, 30], "score": 0.3},
]


def coco(**changed) -> bytes:
    return json.dumps({"images": IMAGES, "categories": KINDS, "annotations": FOUND} | changed).encode()


def one_box(**changed) -> bytes:
    return coco(annotations=[{**FOUND[0], **changed}])


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for place in range(3):
        Image.new("RGB", (100, 50), (place, 90, 120)).save(folder / f"{place:04}.png")
    return folder


def boxes_of(subject, row):
    shown = subject.dataset.show(row).boxes
    return [(box.name, *(round(one, 6) for one in (box.left, box.top, box.width, box.height))) for box in shown]


def test_coco_s_boxes_are_numbered_from_left_to_right_and_cut_at_the_edge(pictures):
    subject = read_table(coco(), name="found.json", choices=TableChoices(inputs=pictures))
    assert subject.task == Boxes(("ship", "buoy"))
    assert subject.inputs.predictions.tolist() == [[0, 1], [-1, -1], [0, -1]]
    assert boxes_of(subject, 0) == [("ship", 0.05, 0.2, 0.3, 0.2), ("buoy", 0.6, 0.2, 0.2, 0.4)]
    assert (boxes_of(subject, 1), boxes_of(subject, 2)) == ([], [("ship", 0.9, 0.8, 0.1, 0.2)])
    assert subject.dataset.show(0).image is not None
    assert "0.9" not in str(subject.dataset.show(0).cells)
    assert ("boxes", "3 in 3 pictures") in subject.facts


def test_a_picture_is_less_certain_the_more_boxes_may_be_wrong_or_missed():
    inputs = read_table(coco(), name="found.json").inputs
    assert inputs.confidence.tolist() == pytest.approx([0.72, 0.51, 0.3])  # of the one without a box, the mean
    assert inputs.scores[EXPECTED_ERRORS].tolist() == pytest.approx([0.3, 0.5, 0.7])
    assert default_auxiliary(inputs) == EXPECTED_ERRORS
    with_hint = read_table(coco(), name="found.json", choices=TableChoices(least_score=0.5))
    assert with_hint.inputs.predictions.tolist() == [[0, 1], [-1, -1], [-1, -1]]
    assert with_hint.inputs.scores[EXPECTED_ERRORS].tolist() == pytest.approx([0.3, 0.0, 0.3])
    assert with_hint.inputs.confidence[2] == pytest.approx(0.7)  # what is below the least score may have been missed
    assert with_hint.fingerprint != read_table(coco(), name="found.json").fingerprint


def test_a_bare_list_of_results_takes_pictures_from_the_folder_by_number_or_name(pictures):
    named = [{**FOUND[0], "image_id": "0001"}, FOUND[2]]
    found = read_table(json.dumps(named).encode(), name="list.json", choices=TableChoices(inputs=pictures))
    assert found.task.classes == ("class 3", "class 7")
    assert found.inputs.predictions.tolist() == [[-1], [1], [0]]
    assert boxes_of(found, 1) == [("class 7", 0.6, 0.2, 0.2, 0.4)]
    with pytest.raises(BadInput, match="does not say which pictures there are"):
        read_table(json.dumps(named).encode(), name="list.json")


def test_pictures_are_found_by_the_last_number_in_their_names_or_by_the_name_in_the_record(pictures):
    for place, number in enumerate((31, 7, 108)):
        (pictures / f"{place:04}.png").rename(pictures / f"hall2_{number:08}.png")
    numbered = [{**FOUND[0], "image_id": 108}, {**FOUND[2], "image_id": 31}]
    read = read_table(json.dumps(numbered).encode(), name="list.json", choices=TableChoices(inputs=pictures))
    assert read.inputs.predictions.tolist() == [[-1], [0], [1]]  # in the order of names: 7, 31, 108
    by_file = [{**one, "image_id": 7, "file_name": f"hall2_{one['image_id']:08}.png"} for one in numbered]
    named = read_table(json.dumps(by_file).encode(), name="list.json", choices=TableChoices(inputs=pictures))
    assert named.inputs.predictions.tolist() == read.inputs.predictions.tolist()
    missing = json.dumps([{**FOUND[0], "image_id": 5}]).encode()
    with pytest.raises(BadInput, match="no picture is called so"):
        read_table(missing, name="list.json", choices=TableChoices(inputs=pictures))


@pytest.mark.parametrize("place", ["beside", "in annotations", "inside", "in the zip"])
def test_classes_and_pictures_are_named_as_in_an_annotations_file_around_the_pictures(pictures, tmp_path, place):
    images = [{"id": 40 + row, "file_name": f"{2 - row:04}.png"} for row in range(3)]
    listed = {"images": images, "categories": KINDS, "annotations": [{**FOUND[0], "bbox": [1, 1, 77, 33]}]}
    (tmp_path / "annotations").mkdir()
    at = {"beside": tmp_path, "in annotations": tmp_path / "annotations"}.get(place, pictures)
    (at / "instances_val.json").write_text(json.dumps(listed))
    inputs = pictures
    if place == "in the zip":
        inputs = tmp_path / "all.zip"
        with zipfile.ZipFile(inputs, "w") as packed:
            for one in pictures.iterdir():
                packed.write(one, one.name)
    results = json.dumps([{**FOUND[0], "image_id": 40}, {**FOUND[2], "image_id": 41}]).encode()
    read = read_table(results, name="list.json", choices=TableChoices(inputs=inputs))
    assert read.task.classes == ("ship", "buoy")
    assert read.inputs.predictions.tolist() == [[-1], [0], [1]]  # 40 is 0002.png, which its number does not say
    assert "named as in 'instances_val.json'" in " ".join(read.reading.doubtful)
    assert "0.77" not in str(read.dataset.show(2))


def test_lists_that_name_the_classes_differently_or_lack_some_name_none(pictures, tmp_path):
    results = json.dumps(FOUND).encode()

    def read():
        return read_table(results, name="list.json", choices=TableChoices(inputs=pictures))

    bare = read()
    (tmp_path / "of_others.json").write_bytes(coco(images=IMAGES[:1], annotations=[]))
    (tmp_path / "torn.json").write_bytes(coco()[:-9])
    assert (read().task, read().fingerprint) == (bare.task, bare.fingerprint)
    (tmp_path / "val.json").write_bytes(coco(annotations=[]))
    assert read().task == Boxes(("ship", "buoy"))
    (tmp_path / "other.json").write_bytes(coco(categories=[*KINDS[:1], {"id": 7, "name": "mark"}], annotations=[]))
    assert read().task == bare.task


def test_boxes_that_were_kept_before_their_classes_were_named_open_as_they_were(pictures, tmp_path):
    results = json.dumps(FOUND).encode()
    project = Project(tmp_path / "project")
    bare = project.add_table("list.json", results, task="boxes", choices=TableChoices(inputs=pictures))
    (tmp_path / "val.json").write_bytes(coco(annotations=[]))
    again = Project(tmp_path / "project").subject(bare.key)
    assert (again.task, again.fingerprint) == (bare.task, bare.fingerprint)
    assert project.add_table("list.json", results, task="boxes", choices=TableChoices(inputs=pictures)).key != bare.key


def test_a_list_without_its_pictures_is_refused_with_the_folder_beside_it(pictures, tmp_path):
    (tmp_path / "found.json").write_text(json.dumps(FOUND))
    with pytest.raises(BadInput, match=f"--inputs {pictures}"):
        read_table(tmp_path / "found.json", name="found.json")


def test_annotations_without_scores_are_said_to_look_like_true_boxes():
    bare = coco(annotations=[{name: value for name, value in one.items() if name != "score"} for one in FOUND])
    assert "as in a file of true boxes" in " ".join(read_table(bare, name="val.json").reading.doubtful)
    assert "true boxes" not in " ".join(read_table(coco(), name="val.json").reading.doubtful)


def test_yolo_s_texts_are_beside_the_pictures_or_apart_and_a_picture_without_one_has_no_box(pictures, tmp_path):
    (pictures / "0000.txt").write_text("1 0.7 0.4 0.2 0.4 0.9\n0 0.2 0.3 0.3 0.2 0.8\n")
    (pictures / "classes.txt").write_text("ship\nbuoy\n")
    beside = read_table(pictures, name="pictures")
    assert beside.inputs.predictions.tolist() == [[0, 1], [-1, -1], [-1, -1]]
    assert boxes_of(beside, 0) == boxes_of(read_table(coco(), name="a.json", choices=TableChoices(inputs=pictures)), 0)
    texts = tmp_path / "labels"
    texts.mkdir()
    (texts / "0000.txt").write_bytes((pictures / "0000.txt").read_bytes())
    with zipfile.ZipFile(tmp_path / "pictures.zip", "w") as packed:
        for one in sorted(pictures.glob("*.png")):
            packed.write(one, f"images/{one.name}")
    apart = read_table(texts, name="labels", choices=TableChoices(inputs=tmp_path / "pictures.zip"))
    assert apart.task.classes == ("class 0", "class 1")
    assert apart.inputs.predictions.tolist() == beside.inputs.predictions.tolist()
    assert apart.dataset.show(0).image is not None


CORNERS = {
    "0000.txt": "tall buoy 0.9 60 10 80 30\nship 0.8 5 10 35 20\n",
    "0001.txt": "",
    "0002.txt": "ship 0.3 90 40 99 50\n",
}


@each("form", ["folder beside pictures", "folder apart", "zip apart", "zip of both", "only numbers"])
def test_texts_of_class_score_and_corners_are_read_as_boxes_with_a_word(pictures, tmp_path, form):
    texts = {name: one.replace("tall buoy", "1").replace("ship", "0") for name, one in CORNERS.items()}
    texts = texts if form == "only numbers" else CORNERS
    folder = pictures if form == "folder beside pictures" else tmp_path / "detection-results"
    folder.mkdir(exist_ok=True)
    for name, content in texts.items():
        (folder / name).write_text(content)
    source, inputs = folder, None if folder == pictures else pictures
    if form.startswith("zip"):
        source, inputs = tmp_path / "found.zip", None if form == "zip of both" else pictures
        with zipfile.ZipFile(source, "w") as packed:
            for one in [*folder.iterdir(), *(pictures.glob("*.png") if inputs is None else ())]:
                packed.write(one, f"{one.parent.name}/{one.name}")
    found = read_table(source, name="found", choices=TableChoices(inputs=inputs))
    ship, buoy = ("class 0", "class 1") if form == "only numbers" else ("ship", "tall buoy")
    assert boxes_of(found, 0) == [(ship, 0.05, 0.2, 0.3, 0.2), (buoy, 0.6, 0.2, 0.2, 0.4)]
    assert len(found.dataset) == 3
    assert boxes_of(found, 1) == []
    assert "class, score, left, top, right and bottom in pixels" in " ".join(found.reading.doubtful)


def test_texts_of_corners_without_their_pictures_name_the_folder_beside_them(pictures, tmp_path):
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "0000.txt").write_text(CORNERS["0000.txt"])
    with pytest.raises(BadInput, match=f"--inputs {pictures}"):
        read_table(tmp_path / "found", name="found")


def test_a_column_of_boxes_is_read_where_the_task_is_boxes_with_what_is_known_to_be_wrong():
    lines = [
        "image,boxes,weather,label",
        'a.png,"[[""ship"",0.1,0.1,0.2,0.2,null]]",fog,wrong 1; missed buoy 1',
        "b.png,[],clear,all right",
    ]
    with pytest.raises(BadInput, match=r"missed ship 2|cannot be read"):
        read_table("\n".join(lines).encode(), name="boxes.csv", task="boxes")  # nothing says that there are buoys
    found = read_table("\n".join(lines).replace("buoy", "ship").encode(), name="boxes.csv", task="boxes")
    assert found.inputs.losses.tolist() == [1.0, 0.0]
    assert found.inputs.confidence is None
    assert "weather" not in found.inputs.scores


@each(
    ("content", "found", "do"),
    [
        (
            one_box(bbox=[200, 10, 20, 20]),
            "^Picture '.*' has a box .* that lies outside the picture",
            "take the box out",
        ),
        (one_box(bbox=[-40, 10, 20, 20]), "lies outside the picture", "take the box out"),
        (one_box(bbox=[10, 10, 0, 20]), "0 wide", "Take it out"),
        (one_box(bbox=[10, 10, 5, -3]), "high", "Take it out"),
        (one_box(bbox=[10, 10, 5]), r"has the bbox \[10, 10, 5\]", "Correct it"),
        (one_box(bbox=[10, 10, 5, float("nan")]), "has the bbox", "Correct it"),
        (one_box(score=87), "has a box with the score 87", "Divide by 100"),
        (one_box(bbox=[10, 10, 5, 10**400]), "has the bbox", "Correct it"),
        (coco(images=[{**IMAGES[0], "width": 10**400}], annotations=FOUND[:2]), "size of picture", "Add one"),
        (coco(categories=[{"id": 3, "name": "\ud800"}]), "The name of a class", ""),
        (one_box(category_id=99), "has the category_id 99", "add it there"),
        (one_box(image_id=99), "has the image_id 99", "add it there"),
        (one_box(category_id=[1]), r"has the category_id \[1\]", "Correct it"),
        (coco(annotations=[FOUND[0]] * 5000), "'0000.png' has 5.000 boxes; up to 300", "Raise the least score"),
        (coco(annotations=[FOUND[0], {**FOUND[1], "score": None}]), "1 of 2 boxes have no score", "leave them all out"),
        (coco(annotations=[]), None, ""),
        (coco(images=[]), "There is no picture", "Give the pictures"),
        (coco(images=[IMAGES[0], IMAGES[0]]), "The id 0 occurs twice", "Correct them"),
        (
            coco(images=[{"id": 0, "file_name": "0000.png"}]).replace(b'"image_id": 2', b'"image_id": 0'),
            "size of picture",
            "Add one",
        ),
        (b'{"images": 3, "categories": []}', "contains images, categories", "Export the detections so"),
        (b'{"annotations": [], "categories": [', "is not JSON", "Export them again"),
        (b'[{"bbox": 3}]', "does not say which pictures", "folder or zip"),
    ],
)
def test_boxes_that_cannot_be_judged_are_refused_in_a_sentence(content, found, do):
    if found is None:
        assert read_table(content, name="found.json").inputs.predictions.tolist() == [[-1]] * 3
        return
    with pytest.raises(BadInput, match=found) as refused:
        read_table(content, name="found.json")
    assert do in str(refused.value)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("0 0.5 0.5 0.2", "Expected a class number"),
        ("ship 0.5 0.5 0.2 0.2", "Expected a class number"),
        ("0 0.1 0.1 0.2 0.1 0.2 0.2 0.3", "not outlines"),
        ("5 0.5 0.5 0.2 0.2", "is of class 5"),
        ("0 1.5 0.5 0.2 0.2", "lies outside the picture"),
    ],
)
def test_a_line_of_yolo_s_that_is_not_a_box_is_refused_in_a_sentence(pictures, line, found):
    (pictures / "0000.txt").write_text(line + "\n")
    (pictures / "classes.txt").write_text("ship\nbuoy\n")
    with pytest.raises(BadInput, match=found):
        read_table(pictures, name="pictures")


def test_a_missing_picture_is_reported_and_the_others_go_on(pictures):
    (pictures / "0001.png").unlink()
    subject = read_table(coco(), name="found.json", choices=TableChoices(inputs=pictures))
    assert subject.inputs.names.remarks == ("Rows without a file: 1 (0001.png)",)
    with pytest.raises(BadInput, match="There is no such file"):
        subject.dataset.media.show(1)
    assert np.isfinite(subject.inputs.confidence).all()


def test_a_folder_of_texts_is_not_taken_for_boxes(tmp_path):
    (tmp_path / "one.txt").write_text("A review of a film.\n")
    with pytest.raises(BadInput, match=r"is a folder. Expected a table"):
        read_table(tmp_path, name="texts")
    (tmp_path / "one.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    with pytest.raises(BadInput, match="There are no pictures"):
        read_table(tmp_path, name="texts")


def test_a_text_without_its_picture_is_refused(pictures):
    (pictures / "9999.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    with pytest.raises(BadInput, match="belongs to none of the 3 pictures"):
        read_table(pictures, name="pictures")
