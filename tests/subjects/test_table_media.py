"""Tables with the pictures, sounds and texts their rows are about: matched by name, read when shown, named when they fail."""

import io
import json
import unicodedata
import wave
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from PIL import Image

from testimate.core.errors import BadInput
from testimate.core.words import commas
from testimate.datasets.folders import match_files
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from tests.each import each
from tests.media import gray


def wav(hertz: float) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8_000)
        writer.writeframes((9_000 * np.sin(2 * np.pi * hertz * np.arange(400) / 8_000)).astype("<i2").tobytes())
    return file.getvalue()


def zip_of(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def shade_of(shown) -> int:
    return int(np.asarray(Image.open(io.BytesIO(shown.image)))[0, 0])


def table_of(names, column="image", inputs=None, **options):
    lines = "\n".join(f"{name},{'cat' if place % 2 else 'dog'},0.5" for place, name in enumerate(names))
    return read_table(
        f"{column},prediction,confidence\n{lines}\n".encode(),
        name="t.csv",
        choices=TableChoices(inputs=inputs, **options),
    )


def test_each_row_shows_the_picture_it_names_whatever_the_order_of_the_files(tmp_path):
    shades = {f"{place}.png": 20 * place for place in range(12)}
    names = sorted(shades, reverse=True)
    for source in (
        zip_of(tmp_path / "p.zip", {f"pictures/{n}": gray(s) for n, s in shades.items()}),
        tmp_path / "folder",
    ):
        if source.name == "folder":
            (source / "deep").mkdir(parents=True)
            for name, shade in shades.items():
                (source / "deep" / name).write_bytes(gray(shade))
        table = table_of(names, inputs=source)
        assert table.dataset.modality == "image"
        assert [shade_of(table.dataset.show(row)) for row in range(12)] == [shades[name] for name in names]
        assert list(table.inputs.names) == names
        assert table.fingerprint == table_of(names).fingerprint  # the pictures may come later


def test_sounds_and_texts_are_known_by_the_endings_of_their_files(tmp_path):
    files = zip_of(tmp_path / "f.zip", {"a.wav": wav(300), "b.wav": wav(900), "c.txt": "שלום 🙂\nworld".encode()})
    table = table_of(["a", "b", "c"], column="file", inputs=files)
    assert table.dataset.modality == "audio"
    assert table.dataset.show(0).audio[:4] == b"RIFF"
    assert table.dataset.show(2).text == "שלום 🙂\nworld"


def test_a_column_of_texts_is_shown_as_texts_with_every_letter_kept():
    words = ["مرحبا", "👩🏽‍🚀", 'says "no"', "  indented"]
    lines = "\n".join(f'"{word.replace(chr(34), 2 * chr(34))}",{len(word)}' for word in words)
    table = read_table(
        f"text,prediction\n{lines}\n".encode(), name="t.csv", task="classification", choices=TableChoices()
    )
    assert table.dataset.modality == "text"
    assert [table.dataset.show(row).text for row in range(4)] == [word.strip() for word in words]


def test_missing_and_superfluous_files_are_counted_and_named_and_the_others_go_on(tmp_path):
    files = zip_of(tmp_path / "p.zip", {"a.png": gray(10), "b.png": b"no picture", "extra.png": gray(30)})
    table = table_of(["a.png", "b.png", "gone.png"], inputs=files)
    assert dict(table.facts)["rows without a file"] == "1 (gone.png)"
    assert dict(table.facts)["files of no row"] == "1 (extra.png)"
    assert shade_of(table.dataset.show(0)) == 10
    cells = dict(table.dataset.show(1).cells)
    assert cells["file"] == "b.png"
    assert "'b.png' is not a readable picture" in cells["not shown"]
    assert "There is no such file in 'p.zip'" in dict(table.dataset.show(2).cells)["not shown"]


def test_what_is_said_of_a_missing_or_damaged_file_names_no_folder(tmp_path):
    files = zip_of(tmp_path / "p.zip", {"data/owl/a.png": gray(10), "data/owl/b.png": b"no picture"})
    table = table_of(["owl/a.png", "owl/b.png", "owl/gone.png"], inputs=files)
    said = [dict(table.dataset.show(row).cells) for row in (1, 2)]
    assert [one["file"] for one in said] == ["b.png", "gone.png"]
    assert "'b.png' is not a readable picture" in said[0]["not shown"]
    assert "owl" not in str(said)


def test_nothing_of_a_picture_is_read_before_it_is_shown(tmp_path, monkeypatch):
    files = zip_of(tmp_path / "p.zip", {f"{place}.png": gray(place) for place in range(50)})
    read = []
    opened = zipfile.ZipFile.open
    monkeypatch.setattr(
        zipfile.ZipFile, "open", lambda self, name, *rest: read.append(name) or opened(self, name, *rest)
    )
    table = table_of([f"{place}.png" for place in range(50)], inputs=files)
    assert read == []
    table.dataset.show(7)
    assert read == ["7.png"]


def test_names_are_matched_by_path_then_by_name_and_never_guessed():
    files = ["a/1.png", "b/1.png", "b/2.png", "é.png"]
    assert match_files(["b/1.png", "./a/1.png", "C:\\data\\b\\1.png", "2"], files).files == (*files[1::-1], *files[1:3])
    assert match_files([unicodedata.normalize("NFD", "é.png")], files).files == ("é.png",)
    assert match_files(["c/2.png", "b/2.png"], files).files == (None, "b/2.png")
    with pytest.raises(BadInput, match=r"Row 0 .* '1.png', and 2 are called so, 'a/1.png' and 'b/1.png'"):
        match_files(["1.png"], files)


def test_case_is_ignored_in_names_as_on_windows_and_macos_unless_two_files_differ_only_in_case():
    files = ["Cat/IMG_1.PNG", "cat/img_2.png"]
    assert match_files(["cat/img_1.png", "IMG_2"], files).files == tuple(files)
    assert match_files(["C:\\Data\\CAT\\Img_1.png", "img_2.png"], files).files == tuple(files)
    assert match_files(["a.png", "A.png"], ["A.png", "a.png"]).files == ("a.png", "A.png")  # Linux tells them apart
    assert match_files(["B.png"], ["a.png", "A.png", "b.png"]).files == (None,)


def test_names_in_a_table_never_lead_out_of_what_was_given(tmp_path):
    (tmp_path / "secret.png").write_bytes(gray(99))
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "a.png").write_bytes(gray(1))
    table = table_of(["a.png", "../secret.png", str(tmp_path / "secret.png")], inputs=inside)
    assert table.dataset.show(1).image is None
    assert table.dataset.show(2).image is None
    tricky = zip_of(tmp_path / "t.zip", {"../up.png": gray(1)})
    with pytest.raises(BadInput, match="lies outside it"):
        table_of(["../up.png", "b.png"], inputs=tricky)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_with_two_files_of_one_name_is_refused_in_words(tmp_path):
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.png", gray(1))
        archive.writestr("a.png", gray(2))
    with pytest.raises(BadInput, match=r"contains 'a.png' twice. Expected each name once"):
        table_of(["a.png", "a.png"], inputs=path)


def test_files_are_named_by_the_column_whose_cells_do_and_else_refused(tmp_path):
    files = zip_of(tmp_path / "p.zip", {"a.png": gray(1), "b.png": gray(2)})
    found = table_of(["a.png", "b.png"], column="where", inputs=files)
    chosen = table_of(["a.png", "b.png"], column="where", inputs=files, columns=(("file", "where"),))
    assert [shade_of(one.dataset.show(1)) for one in (found, chosen)] == [2, 2]
    with pytest.raises(BadInput, match="None of the names in the table, such as 'x'"):
        table_of(["x", "y"], inputs=files)


def test_pictures_inside_a_parquet_file_or_a_frame_are_shown_and_named():
    frame = pd.DataFrame(
        {
            "image": [{"bytes": gray(5 * place), "path": f"{place}.png"} for place in range(40)],
            "prediction": ["cat", "dog"] * 20,
        }
    )
    table = read_table(frame, name="frame")
    assert table.dataset.modality == "image"
    assert [shade_of(table.dataset.show(row)) for row in (39, 0, 17)] == [195, 0, 85]
    assert table.inputs.names[17] == "17.png"
    assert not {"bytes", "path"} & set(table.inputs.scores)


def saved_to_disk(folder: Path, columns: dict) -> Path:
    """The folder as the datasets library leaves it: an Arrow stream beside two small JSON files."""
    folder.mkdir()
    table = pa.table(columns)
    with (
        pa.OSFile(str(folder / "data-00000-of-00001.arrow"), "wb") as file,
        pa.ipc.new_stream(file, table.schema) as out,
    ):
        out.write_table(table)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}))
    (folder / "dataset_info.json").write_text(json.dumps({"features": {"audio": {"_type": "Audio"}}}))
    return folder


def test_sounds_inside_a_saved_dataset_open_as_the_table_they_are(tmp_path):
    columns = {"audio": [{"bytes": wav(300 + place), "path": f"{place}.wav"} for place in range(6)]}
    folder = saved_to_disk(tmp_path / "saved", {**columns, "prediction": ["low", "high"] * 3})
    table = read_table(folder, name="saved")
    assert table.dataset.modality == "audio"
    assert table.dataset.show(3).audio[:4] == b"RIFF"
    assert list(table.inputs.names)[:2] == ["0.wav", "1.wav"]


def test_probabilities_named_by_class_are_understood_and_a_class_without_one_is_named():
    text = "label,p_dog,p_cat,p_eel\ndog,0.5,0.25,0.25\neel,0,0.75,0.25\nowl,0,0,1\n"
    inputs = read_table(text.encode(), name="t.csv").inputs
    assert inputs.task.classes == ("dog", "cat", "eel", "owl")
    assert inputs.predictions.tolist() == [0, 1, 2]
    assert inputs.losses.tolist() == [0, 1, 1]
    assert inputs.probabilities[:, 3].tolist() == [0, 0, 0]
    with pytest.raises(BadInput, match="The class 'owl' is predicted and has no column of probabilities"):
        read_table(b"prediction,p_cat,p_dog\ncat,0.5,0.5\nowl,0.5,0.5\n", name="t.csv")
    earlier = read_table(
        text.replace("label", "prediction").encode().replace(b"owl", b"cat"),
        name="t.csv",
        choices=TableChoices(probabilities_by_name=False),
    ).inputs
    assert set(earlier.scores) == {"p_dog", "p_cat", "p_eel"}


@each(
    ("columns", "words"),
    [
        ((("prediction", "a"), ("prediction", "b")), "'a' and 'b' are both to be the prediction"),
        ((("prediction", "a"), ("label", "a")), "'a' is to be the prediction and the label"),
        ((("guess", "a"),), "no role 'guess'"),
        ((("prediction", "A"),), "no column 'A' for the prediction. Expected 'a'"),
    ],
)
def test_two_columns_for_one_role_and_other_slips_are_each_refused_in_a_sentence(columns, words):
    with pytest.raises(BadInput, match=words):
        read_table(b"a,b\n1,2\n2,1\n", name="t.csv", choices=TableChoices(columns=columns))


def test_roles_that_were_chosen_make_another_subject_than_names_alone():
    content = b"guess,prediction\n1,2\n2,1\n"
    plain = read_table(content, name="t.csv")
    chosen = read_table(content, name="t.csv", choices=TableChoices(columns=(("prediction", "guess"),)))
    assert chosen.inputs.predictions.tolist() == [1, 2]
    assert chosen.fingerprint != plain.fingerprint


def test_top_k_is_right_where_the_truth_is_among_the_most_probable_as_scikit_learn_counts():
    from sklearn.metrics import top_k_accuracy_score

    rng = np.random.default_rng(3)
    chances, truth = rng.dirichlet(np.ones(5), 200), rng.integers(0, 5, 200)
    frame = pd.DataFrame(chances, columns=[f"p_{place}" for place in range(5)]).assign(label=truth)
    content = frame.to_csv(index=False).encode()
    for k in (1, 2, 3):
        inputs = read_table(content, name="t.csv", choices=TableChoices(top_k=k)).inputs
        assert 1 - inputs.losses.mean() == pytest.approx(top_k_accuracy_score(truth, chances, k=k))
        np.testing.assert_allclose(inputs.confidence, np.sort(chances)[:, -k:].sum(axis=1), atol=1e-9)
    with pytest.raises(BadInput, match="Top 2 was asked for, and the table has no probabilities"):
        read_table(b"prediction\n1\n2\n", name="t.csv", choices=TableChoices(top_k=2))


def test_a_text_of_fifty_megabytes_in_a_cell_is_refused_in_words():
    content = b"text,prediction\nshort,a\n" + b"x" * 50_000_000 + b",b\n"
    sizes = f"has {commas(50_000_000)} characters. Expected at most {commas(8_000_000)}"
    with pytest.raises(BadInput, match=rf"Column 'text', row 1 .* {sizes}"):
        read_table(content, name="t.csv")


def test_a_text_of_fifty_megabytes_in_a_parquet_cell_is_refused_in_words():
    file = io.BytesIO()
    pd.DataFrame({"text": ["short", "x" * 50_000_000], "prediction": ["a", "b"]}).to_parquet(file)
    sizes = f"has {commas(50_000_000)} characters. Expected at most {commas(8_000_000)}"
    with pytest.raises(BadInput, match=rf"Column 'text', row 1 .* {sizes}"):
        read_table(file.getvalue(), name="t.parquet")


def test_a_table_longer_than_its_files_names_the_rows_without_one_and_shows_the_others(tmp_path):
    files = zip_of(tmp_path / "p.zip", {f"{place}.png": gray(place) for place in range(3)})
    table = table_of([f"{place}.png" for place in range(9)], inputs=files)
    assert dict(table.facts)["rows without a file"] == "6 (3.png, 4.png, 5.png, 6.png, 7.png and 1 more)"
    assert [table.dataset.show(row).image is not None for row in range(9)] == [True] * 3 + [False] * 6


def test_a_text_that_is_not_utf_8_is_named_and_the_others_are_shown_letter_by_letter(tmp_path):
    words = "ערב טוב, مساء الخير 👩🏽‍🚀"
    contents = {"a.txt": words.encode(), "b.txt": "Köln".encode("latin-1"), "c.txt": b"\xef\xbb\xbfKoeln"}
    table = table_of(["a.txt", "b.txt", "c.txt"], column="file", inputs=zip_of(tmp_path / "t.zip", contents))
    assert table.dataset.show(0).text == words
    assert "'b.txt'" in dict(table.dataset.show(1).cells)["not shown"]
    assert "UTF-8" in dict(table.dataset.show(1).cells)["not shown"]
    assert table.dataset.show(2).text.lstrip("\ufeff") == "Koeln"


def test_file_names_from_right_to_left_and_with_emoji_find_their_files(tmp_path):
    names = ["صورة ١.png", "תמונה.png", "👩🏽‍🚀.png", "naïve café.png"]
    files = zip_of(tmp_path / "p.zip", {f"ملفات/{name}": gray(40 * place) for place, name in enumerate(names)})
    table = table_of(names[::-1], inputs=files)
    assert [shade_of(table.dataset.show(row)) for row in range(4)] == [120, 80, 40, 0]
