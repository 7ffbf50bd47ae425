"""Labels a plan's tasks with Label Studio's own package: with_label_studio.py TASKS.json TRUTH.json EXPORT.json.

Runs in the package's environment, which has no Testimate. TRUTH has the answer by row: a class, or a number.
"""

import json
import sys
import tempfile
from pathlib import Path

from label_studio_sdk.converter import Converter
from label_studio_sdk.label_interface import LabelInterface
from label_studio_sdk.label_interface.objects import AnnotationValue


def main(tasks_file: str, truth_file: str, export_file: str) -> None:
    config = Path(tasks_file + ".xml").read_text()
    interface = LabelInterface(config)
    interface.validate()
    tasks, truth = json.loads(Path(tasks_file).read_text()), json.loads(Path(truth_file).read_text())
    for number, task in enumerate(tasks, 1):
        assert interface.validate_task({"data": task["data"]}), (
            f"the configuration does not fit task {task['data']['key']}"
        )
        for prediction in task.get("predictions", []):
            errors = interface.validate_prediction(prediction, return_errors=True)
            assert not errors, errors
        regions = interface.create_regions({"label": truth[str(task["data"]["row"])]})
        made = AnnotationValue(completed_by=1, result=regions, lead_time=2.5).model_dump()
        assert interface.validate_annotation(made), made
        task |= {"id": number, "annotations": [{"id": number, **made}]}
    Path(export_file).write_text(json.dumps(tasks))

    with tempfile.TemporaryDirectory() as folder:  # what its own export of such tasks says
        Converter(config, folder, download_resources=False).convert_to_json_min(export_file, folder, is_dir=False)
        read = json.loads((Path(folder) / "result.json").read_text())
    said = {str(one["row"]): one["label"] for one in read}
    expected = {str(task["data"]["row"]): truth[str(task["data"]["row"])] for task in tasks}
    assert said == expected, f"Label Studio reads {said}"


if __name__ == "__main__":
    main(*sys.argv[1:])
