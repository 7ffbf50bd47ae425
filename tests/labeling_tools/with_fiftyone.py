"""Labels a plan's images with FiftyOne's own reader and writer: with_fiftyone.py LABELS.json TRUTH.json EXPORT.json.

Runs in FiftyOne's environment, which has no Testimate. TRUTH has the class by row; the images lie in a folder data beside
LABELS. A ``Dataset`` would need MongoDB, which the package downloads when it is installed; what reads and writes its folders
does not.
"""

import json
import sys
from pathlib import Path

from fiftyone.core.labels import Classification
from fiftyone.utils.data import FiftyOneImageClassificationDatasetExporter, FiftyOneImageClassificationDatasetImporter


def main(labels_file: str, truth_file: str, export_file: str) -> None:
    truth, listed = json.loads(Path(truth_file).read_text()), json.loads(Path(labels_file).read_text())
    place = Path(labels_file)
    importer = FiftyOneImageClassificationDatasetImporter(
        str(place.parent), labels_path=place.name, compute_metadata=True
    )
    exporter = FiftyOneImageClassificationDatasetExporter(
        labels_path=export_file, export_media=False, include_confidence=None, classes=listed["classes"]
    )
    seen = 0
    with importer, exporter:
        assert importer.get_dataset_info()["classes"] == listed["classes"]
        for seen, (path, metadata, label) in enumerate(importer, 1):
            assert label is None, f"{path} has an answer before anybody gave one"
            assert (metadata.width, metadata.height) == (32, 24)
            row = Path(path).stem.rpartition("-")[2]
            exporter.export_sample(path, Classification(label=truth[row], confidence=1.0 if seen % 2 else None))
    assert seen == len(listed["labels"])


if __name__ == "__main__":
    main(*sys.argv[1:])
