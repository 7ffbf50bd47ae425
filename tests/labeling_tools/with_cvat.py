"""Labels a plan's images with CVAT's own package: with_cvat.py ANNOTATIONS.xml TRUTH.json EXPORT.xml.

Runs in an environment without Testimate, with cvat-sdk and Datumaro; the latter, by the same makers, reads and writes
"CVAT for images 1.1" without a server. TRUTH has the class by row.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from cvat_sdk.models import LabelType, PatchedLabelRequest, TaskWriteRequest
from datumaro.components.annotation import AnnotationType, Label
from datumaro.components.dataset import Dataset


def main(annotations_file: str, truth_file: str, export_file: str) -> None:
    said = json.loads(Path(annotations_file + ".labels.json").read_text())
    labels = [PatchedLabelRequest(**{**one, "type": LabelType(one["type"])}) for one in said]
    assert TaskWriteRequest(name="a plan", labels=labels).labels == labels  # its types are checked

    truth = json.loads(Path(truth_file).read_text())
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "plan"
        place.mkdir()
        shutil.copy(annotations_file, place / "default.xml")
        shutil.copytree(Path(annotations_file).with_name("data"), place / "images")
        dataset = Dataset.import_from(str(place), "cvat")
        classes = dataset.categories()[AnnotationType.label]
        assert [label.name for label in classes] == [one["name"] for one in said]
        for item in list(dataset):
            assert not item.annotations, f"{item.id} has an answer before anybody gave one"
            assert item.media.data.shape == (24, 32, 3), f"{item.id} has no picture"
            row = item.id.rpartition("-")[2]
            dataset.put(item.wrap(annotations=[Label(classes.find(truth[row])[0])]))
        dataset.export(str(Path(folder) / "out"), "cvat", save_media=True)
        (made,) = (Path(folder) / "out").glob("*.xml")
        shutil.copy(made, export_file)


if __name__ == "__main__":
    main(*sys.argv[1:])
