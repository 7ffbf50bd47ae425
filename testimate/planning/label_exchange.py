"""How Label Studio, CVAT, FiftyOne and tables write tasks and labels: each format written from a plan and read back.

Labels are matched by their keys; pictures and sounds can be copied for a tool that cannot reach the originals.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from testimate.core.errors import BadInput
from testimate.core.fingerprint import of_bytes
from testimate.core.reading import Tell
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.core.stored_record import WrongRecord, read_record
from testimate.core.subject import Subject
from testimate.core.task import Task
from testimate.core.words import counted
from testimate.planning.criteria import check_one_answer
from testimate.planning.plan import Plan
from testimate.tables.json_lines import records_of_lines
from testimate.tables.lines import table_lines
from testimate.tasks.classification import NONE_OF_THEM

MOST_TASKS = 1_000_000
"""More than anybody labels by hand."""

NAMED = 3
"""Keys that a sentence names before it only counts."""


@dataclass(frozen=True)
class LabelTask:
    """One input to label: ``key`` names plan and row, ``file`` and ``text`` are what it is about, empty where there is none.

    ``prediction`` is the network's answer, and ``confidence`` how sure it was; None unless they were asked for.
    """

    key: str
    row: int
    file: str
    text: str
    prediction: Any = None
    confidence: float | None = None


@dataclass(frozen=True)
class CarriedLabel:
    """What another tool says about one input: its key, and the answer as VOTES.csv holds it; "" is "cannot tell"."""

    key: str
    answer: str


# Labels come back by key, because a vote on the wrong input is an error nobody sees: decision 99.
def plan_mark(plan: Plan) -> str:
    """Eight hex digits that stay as they are while the plan goes on, and that another plan or table does not share."""
    request = plan.request
    return of_bytes(f"{plan.fingerprint} {request.technique} {request.seed} {request.budget}".encode())[:8]


def label_tasks(plan: Plan, subject: Subject, *, predictions: bool = False) -> list[LabelTask]:
    """The plan's inputs in labeling order, each once; with the network's answers where they are asked for."""
    check_one_answer(plan.criteria, "another labeling tool")
    mark, inputs, tasks = plan_mark(plan), subject.inputs, []
    for row in plan.rows:
        shown = subject.dataset.show(row) if not plan.names else None
        text = "" if shown is None else shown.text or "; ".join(f"{name}: {value}" for name, value in shown.cells)
        task = LabelTask(f"{mark}-{row}", row, plan.names.get(row, ""), text)
        if predictions and inputs is not None:
            sure = None if inputs.confidence is None else float(inputs.confidence[row])
            task = replace(task, prediction=inputs.predictions[row], confidence=sure)
        tasks.append(task)
    return tasks


def votes_of_labels(plan: Plan, labels: Iterable[CarriedLabel]) -> dict[int, str]:
    """The answers by row, in labeling order; inputs without one are left out.

    Raises
    ------
    BadInput : labels of another plan or of inputs that were not drawn, two different answers to one input, or none at all.
    """
    check_one_answer(plan.criteria, "another labeling tool")
    keys = {f"{plan_mark(plan)}-{row}": row for row in plan.rows}
    found: dict[str, str] = {}
    strangers, twice = [], []
    for label in labels:
        if label.key not in keys:
            strangers.append(label.key)
        elif found.setdefault(label.key, label.answer) != label.answer:
            twice.append(label.key)
    if strangers:
        raise BadInput(
            f"{counted(len(strangers), 'label')} of inputs that this plan did not draw: {_some(strangers)}. Expected keys "
            f"that begin with {plan_mark(plan)}. Export the project that was made from this plan."
        )
    if twice:
        raise BadInput(
            f"{counted(len(twice), 'input')} with two different answers: {_some(twice)}. Expected one for each. Settle them "
            "there, and export again."
        )
    if not found:
        raise BadInput("There is no label for any input of the plan. Label some, and export again.")
    return {row: found[key] for key, row in keys.items() if key in found}


def _some(keys: list[str]) -> str:
    more = ", ..." if len(keys) > NAMED else ""
    return ", ".join(f"{key!r:.60}" for key in keys[:NAMED]) + more


def check_files(tasks: Sequence[LabelTask]) -> None:
    """BadInput where a task has no file, or two have one of the same name."""
    names: set[str] = set()
    for task in tasks:
        if not task.file or task.file in names:
            found = "has no file" if not task.file else f"has the same file as another, {task.file!r:.60}"
            raise BadInput(
                f"Row {task.row} {found}. Expected a file of its own for every input, by which this format names it. "
                "Give the files with --inputs, or use the format csv or label-studio."
            )
        names.add(task.file)


def keys_by_file(plan: Plan) -> Mapping[str, str]:
    """The key of each file: of one that was copied its name is the key; of any other the plan says it."""
    keys = {name: f"{plan_mark(plan)}-{row}" for row, name in plan.names.items() if name}
    return {**{key: key for key in (f"{plan_mark(plan)}-{row}" for row in plan.rows)}, **keys}


def check_classes(task: Task, what: str) -> None:
    """BadInput where the answers are numbers, lists of boxes or texts, which the format cannot hold."""
    if task.boxed:
        raise BadInput(
            f"This is a plan of boxes, and {what} cannot contain which of them are wrong. Take the format csv or jsonl, or "
            "label them in the app."
        )
    if task.numeric:
        raise BadInput(f"This is a regression, and {what} contains classes alone. Take the format csv or label-studio.")
    if not task.by_name:
        raise BadInput(
            f"Answers of the kind {task.kind} are texts, and {what} contains classes alone. Take the format csv or "
            "label-studio."
        )


PICTURES, SOUNDS = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".gif"), (".wav", ".mp3", ".flac", ".ogg")

COLUMNS = ("key", "row", "file", "text", "label")


@dataclass(frozen=True)
class LabelFormat:
    """A format: ``write`` gives the files to make, by what is added to the name; ``read`` the labels in an export."""

    write: Callable[[Plan, Sequence[LabelTask], Task, str], Mapping[str, str]]
    read: Callable[[Plan, bytes, Task, Tell], list[CarriedLabel]]


def _csv(plan: Plan, tasks: Sequence[LabelTask], task: Task, media: str) -> Mapping[str, str]:  # noqa: ARG001 - as every format
    text = io.StringIO()
    lines = SpreadsheetWriter(text)
    lines.writerow(COLUMNS)
    lines.writerows((one.key, one.row, one.file, one.text, "") for one in tasks)
    return {"": text.getvalue()}


def _from_csv(plan: Plan, content: bytes, task: Task, tell: Tell) -> list[CarriedLabel]:  # noqa: ARG001 - as every format
    try:
        header, *lines = table_lines(content, tell, name="the labels") or [[]]
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"This is not a readable CSV file ({error}). Export it again as UTF-8 CSV.") from None
    names = [name.strip().lower() for name in header]
    if names.count("key") != 1 or names.count("label") != 1:
        raise BadInput(
            f"The file has the columns {', '.join(names)!s:.200}. Expected key and label, once each. Restore them."
        )
    key, label = names.index("key"), names.index("label")
    short = next((number for number, line in enumerate(lines, 2) if len(line) != len(header)), None)
    if short is not None:
        raise BadInput(
            f"Line {short} has {counted(len(lines[short - 2]), 'cell')}. Expected {len(header)}, as many as the "
            "header. Repair it."
        )
    return [_label(line[key].strip(), line[label].strip(), task) for line in lines if line[label].strip()]


def _label(key: str, answer: str, task: Task) -> CarriedLabel:
    """A label that was typed: a dash is "cannot tell", unless a class is called so; what is empty is not labeled yet."""
    return CarriedLabel(key, "" if answer == "-" and "-" not in task.classes else answer)


def _jsonl(plan: Plan, tasks: Sequence[LabelTask], task: Task, media: str) -> Mapping[str, str]:  # noqa: ARG001 - as every format
    records = ({"key": one.key, "row": one.row, "file": one.file, "text": one.text, "label": None} for one in tasks)
    return {"": "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)}


def _from_jsonl(plan: Plan, content: bytes, task: Task, tell: Tell) -> list[CarriedLabel]:  # noqa: ARG001 - as every format
    labels = []
    for number, record in records_of_lines(io.BytesIO(content), "the labels"):
        if not isinstance(record.get("key"), str) or "label" not in record:
            raise BadInput(
                f"Line {number} has no key and label. Expected both, as the export wrote them. Restore them."
            )
        if record["label"] is not None:
            labels.append(_label(record["key"], _answer(record["label"], task), task))
    return labels


def _label_studio(plan: Plan, tasks: Sequence[LabelTask], task: Task, media: str) -> Mapping[str, str]:
    if task.boxed:
        check_classes(task, "Label Studio's choices")
    role = _role(tasks)
    made: list[dict[str, Any]] = []
    for one in tasks:
        shown = media + one.file if role != "text" else one.text or one.file
        made.append({"data": {"key": one.key, "row": one.row, role: shown}})
        if one.prediction is not None:
            made[-1]["predictions"] = [_predicted(one, plan, task)]
    return {"": json.dumps(made, indent=1, ensure_ascii=False) + "\n", ".xml": _labeling_config(role, task)}


def _predicted(one: LabelTask, plan: Plan, task: Task) -> dict[str, Any]:
    """The network's answer as Label Studio shows it to whoever labels."""
    if task.by_name:
        values: list[Any] = [task.classes[place] for place in task.predicted_places(one.prediction)]
    else:
        values = [float(one.prediction) if task.numeric else task.prediction_text(one.prediction, in_full=True)]
    made: dict[str, Any] = {"model_version": Path(plan.table).name, "result": label_studio_results(task, values)}
    return made if one.confidence is None else {**made, "score": one.confidence}


OWN_NAME = "name"
"""What the field is called, in other tools, that holds the name of what is none of the classes."""


def label_studio_results(task: Task, values: Sequence[Any]) -> list[dict[str, Any]]:
    """One answer, a number or the names of classes, as results of the configuration that is exported.

    A name that is none of the classes is typed there, beside the choice that says so.
    """
    if task.numeric:
        return [_result("label", "number", {"number": values[0]})]
    if not task.by_name:
        return [_result("label", "textarea", {"text": list(values)})]
    if not task.outside:
        return [_result("label", "choices", {"choices": list(values)})]
    classes = [name for name in values if name in task.classes]
    named = [name for name in values if name not in (*task.classes, task.outside)]
    others = [task.outside] if len(classes) < len(values) else []
    chosen = _result("label", "choices", {"choices": [*classes, *others]})
    return [chosen, _result(OWN_NAME, "textarea", {"text": named})] if named else [chosen]


def _result(name: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "input", "type": kind, "value": value}


def label_studio_values(task: Task, results: Sequence[Any]) -> Any:
    """The number, the names of classes or the texts in the values of such results."""
    value = next((one["value"] for one in results if one.get("from_name") != OWN_NAME), None)
    if value is None or not task.by_name or task.numeric:
        value = results[0]["value"] if value is None else value
        return [value["number"]] if task.numeric else value["choices"] if task.by_name else value["text"]
    named = [name for one in results if one.get("from_name") == OWN_NAME for name in one["value"]["text"]]
    return _with_names(task, value["choices"], named)


def _with_names(task: Task, classes: Sequence[str], named: Iterable[str]) -> list[str]:
    """The classes with the names that were typed in place of the one that says that none fits; empty names say nothing."""
    typed = [name for name in named if name.strip()]
    return (
        [*(name for name in classes if name != task.outside), *typed]
        if typed and task.outside in classes
        else [*classes]
    )


def _role(tasks: Sequence[LabelTask]) -> str:
    """What most of the inputs are: pictures or sounds by their files' names, else text."""
    endings = [PurePosixPath(one.file.lower()).suffix for one in tasks]
    for role, known in (("image", PICTURES), ("audio", SOUNDS)):
        if sum(ending in known for ending in endings) > len(endings) / 2:
            return role
    return "text"


def _labeling_config(role: str, task: Task) -> str:
    """The project's configuration, to be pasted under Settings, Labeling Interface, Code."""
    shown = f'  <{role.title()} name="input" value="${role}"/>\n'
    if task.numeric:
        return f'<View>\n{shown}  <Number name="label" toName="input"/>\n</View>\n'
    if not task.by_name:
        return f'<View>\n{shown}  <TextArea name="label" toName="input" maxSubmissions="1"/>\n</View>\n'
    choice = "multiple" if task.several else "single"
    choices = "".join(f"    <Choice value={quoteattr(name)}/>\n" for name in answers_there(task))
    typed = (
        f'  <TextArea name="{OWN_NAME}" toName="input" maxSubmissions="1" placeholder="its name, optional" '
        f'visibleWhen="choice-selected" whenTagName="label" whenChoiceValue={quoteattr(task.outside)}/>\n'
        if task.outside
        else ""
    )
    return (
        f'<View>\n{shown}  <Choices name="label" toName="input" choice="{choice}" showInline="true">\n{choices}'
        f"  </Choices>\n{typed}</View>\n"
    )


def answers_there(task: Task) -> list[str]:
    """What can be chosen in another tool: the classes, then that it is none of them where a task has such an answer."""
    return [*task.classes, *filter(None, [task.outside])]


def _from_label_studio(plan: Plan, content: bytes, task: Task, tell: Tell) -> list[CarriedLabel]:  # noqa: ARG001 - as every format
    labels = []
    for one in exported_tasks(content.decode("utf-8", "replace")):
        key = str(one.named("key"))
        settled = [made for made in one.annotations if made.ground_truth]
        for made in settled or one.annotations:
            values = made.values(task, one)
            labels.append(CarriedLabel(key, "" if values is None else _answer(values, task)))
    return labels


@dataclass(frozen=True)
class Annotation:
    """What somebody said about a task in Label Studio; of its other fields nothing is asked."""

    result: Sequence[Any] | None = ()
    was_cancelled: bool | None = False
    ground_truth: bool | None = False
    completed_by: Any = "Label Studio"
    lead_time: Any = None
    created_at: Any = None
    unique_id: Any = None

    def values(self, task: Task, of: "ExportedTask") -> Any:
        """The number, the names of classes or the texts that were said; None where nothing was."""
        if self.was_cancelled or not self.result:
            return None
        try:
            return label_studio_values(task, self.result)
        except (KeyError, TypeError, AttributeError) as error:
            raise of.lacks(str(error)) from None


@dataclass(frozen=True)
class ExportedTask:
    """A task as Label Studio exports it, the one at ``place``: the data it was made from, and what was said about it."""

    data: Mapping[str, Any]
    annotations: tuple[Any, ...]
    id: Any = None
    place: int = 0

    def named(self, field: str) -> Any:
        """What the data hold under this name; BadInput where there is nothing."""
        if field not in self.data:
            raise self.lacks(repr(field))
        return self.data[field]

    def lacks(self, what: str) -> BadInput:
        """The refusal of a task without something."""
        return BadInput(
            f"Task {self.place} of the export lacks {what:.60}. Expected what it was made from, with annotations. Export the "
            "project that was made here, with its annotations."
        )


def exported_tasks(text: str) -> list[ExportedTask]:
    """The tasks of Label Studio's export with their annotations; BadInput where it is not such an export."""
    tasks = _json(text, "The export")
    if not isinstance(tasks, list) or len(tasks) > MOST_TASKS:
        raise BadInput(
            "The export is not a list of tasks. Expected Label Studio's format JSON, not JSON-MIN. Export it so."
        )
    exported = []
    for place, one in enumerate(tasks):
        try:
            task = read_record(ExportedTask, one, others=True)
            made = tuple(read_record(Annotation, each, others=True) for each in task.annotations)
        except WrongRecord as error:
            raise BadInput(
                f"Task {place} of the export cannot be read: {error}. Expected data and annotations. Export the tasks with "
                "their annotations."
            ) from None
        exported.append(replace(task, annotations=made, place=place))
    return exported


_OWN_NAME_FIELD = {"name": OWN_NAME, "mutable": False, "input_type": "text", "default_value": "", "values": [""]}

_OWN_NAME_IN_XML = (
    f"<attributes><attribute><name>{OWN_NAME}</name><mutable>False</mutable><input_type>text</input_type>"
    "<default_value></default_value><values></values></attribute></attributes>"
)


def _cvat(plan: Plan, tasks: Sequence[LabelTask], task: Task, media: str) -> Mapping[str, str]:  # noqa: ARG001 - as every format
    check_classes(task, "CVAT")
    check_files(tasks)
    labels = "".join(
        f"<label><name>{_text(name)}</name><type>tag</type>{_OWN_NAME_IN_XML if name == task.outside else ''}</label>"
        for name in answers_there(task)
    )
    images = "".join(f"<image id={quoteattr(str(n))} name={quoteattr(one.file)}/>\n" for n, one in enumerate(tasks))
    meta = f"<meta><task><name>{_text(Path(plan.table).name)}</name><labels>{labels}</labels></task></meta>"
    document = (
        f'<?xml version="1.0" encoding="utf-8"?>\n<annotations><version>1.1</version>{meta}\n{images}</annotations>\n'
    )
    made = [
        {"name": name, "type": "tag", "attributes": [_OWN_NAME_FIELD] if name == task.outside else []}
        for name in answers_there(task)
    ]
    return {"": document, ".labels.json": json.dumps(made, indent=1, ensure_ascii=False) + "\n"}


def _text(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _from_cvat(plan: Plan, content: bytes, task: Task, tell: Tell) -> list[CarriedLabel]:  # noqa: ARG001 - as every format
    check_classes(task, "CVAT")
    try:
        root = _plain_xml(content)
    except (expat.ExpatError, LookupError, ValueError) as error:  # an encoding that nobody knows is a LookupError
        raise BadInput(
            f"This is not XML ({error!s:.80}). Expected the format 'CVAT for images 1.1'. Export it so."
        ) from None
    keys, labels = keys_by_file(plan), []
    for image in root.iter("image"):
        name = image.get("name", "")
        tags = [name for tag in image.iter("tag") for name in _tagged(tag, task)]
        if tags:
            several = task.several
            if not several and len(set(tags)) > 1:
                raise BadInput(
                    f"{name!r:.60} has the tags {', '.join(tags)!s:.80}. Expected one class. Correct it in CVAT."
                )
            labels.append(
                CarriedLabel(keys.get(name) or keys.get(_stem(name), name), _answer(tags if several else tags[0], task))
            )
    return labels


def _tagged(tag: ElementTree.Element, task: Task) -> list[str]:
    """The class of a tag, or the name that was typed for what is none of them."""
    named = [one.text or "" for one in tag.iter("attribute") if one.get("name") == OWN_NAME]
    return _with_names(task, [tag.get("label", "")], named)


def _plain_xml(content: bytes) -> ElementTree.Element:
    """The root of the XML; BadInput if it declares a document type or entities, in whatever encoding the parser reads it.

    The parser itself says what it has found, before it expands anything; bytes alone look different in each encoding.
    """
    tree = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(*_: object) -> None:
        raise BadInput(
            "The XML declares entities or a document type, which CVAT never does. Export it from CVAT again."
        )

    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = tree.start, tree.end
    parser.CharacterDataHandler = tree.data
    parser.Parse(content, True)
    return tree.close()


def _fiftyone(plan: Plan, tasks: Sequence[LabelTask], task: Task, media: str) -> Mapping[str, str]:  # noqa: ARG001 - as every format
    check_classes(task, "FiftyOne")
    check_files(tasks)
    labels = {_stem(one.file): None for one in tasks}
    if len(labels) < len(tasks):
        raise BadInput("Two files differ only in their endings, which FiftyOne leaves out. Use the format csv.")
    return {"": json.dumps({"classes": answers_there(task), "labels": labels}, indent=1, ensure_ascii=False) + "\n"}


def _from_fiftyone(plan: Plan, content: bytes, task: Task, tell: Tell) -> list[CarriedLabel]:  # noqa: ARG001 - as every format
    check_classes(task, "FiftyOne")
    record = _json(content.decode("utf-8", "replace"), "The labels.json")
    keys = {_stem(name): key for name, key in keys_by_file(plan).items()}
    try:
        classes, said = record.get("classes") or [], dict(record["labels"])
        named = {
            stem: [_named(one, classes) for one in (given if isinstance(given, list) else [given])]
            for stem, given in said.items()
            if given is not None
        }
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise BadInput(
            f"The labels.json lacks {error!s:.60}. Expected classes and labels, as FiftyOneImageClassificationDataset has "
            "them. Export it so."
        ) from None
    several = task.several
    return [
        CarriedLabel(keys.get(stem, stem), _answer(names if several else names[0], task))
        for stem, names in named.items()
    ]


def _named(one: Any, classes: Sequence[Any]) -> Any:
    """The class that a label names or counts to; one with a confidence or attributes beside it is a record."""
    name = one["label"] if isinstance(one, dict) else one
    return classes[name] if isinstance(name, int) else name


def _stem(name: str) -> str:
    path = PurePosixPath(name.replace("\\", "/"))
    return str(path.with_suffix("")) if path.suffix else str(path)


def _answer(value: Any, task: Task) -> str:
    """The answer as VOTES.csv holds it."""
    if task.several:
        names = [str(name) for name in (value if isinstance(value, list) else [value])]
        joined = ";".join(names) or NONE_OF_THEM
        return joined if [*task.typed_names(joined)] == names else json.dumps(names, ensure_ascii=False)
    if isinstance(value, list):
        if len(value) != 1:
            raise BadInput(
                f"An input has the classes {', '.join(map(str, value))!s:.80}. Expected one. Correct it there."
            )
        value = value[0]
    return str(value)


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{what} is not JSON ({error!s:.80}). Export it again as JSON.") from None


FORMATS: Mapping[str, LabelFormat] = {
    "label-studio": LabelFormat(_label_studio, _from_label_studio),
    "cvat": LabelFormat(_cvat, _from_cvat),
    "fiftyone": LabelFormat(_fiftyone, _from_fiftyone),
    "csv": LabelFormat(_csv, _from_csv),
    "jsonl": LabelFormat(_jsonl, _from_jsonl),
}
"""The formats by the names that ``--to`` and ``--from`` take."""


def format_of(path: Path, content: bytes) -> str:
    """The format that a file with labels has, by its ending and what it holds."""
    ending = path.suffix.lower()
    if ending in (".csv", ".jsonl"):
        return ending[1:]
    if ending == ".xml":
        return "cvat"
    if ending == ".json":
        return "label-studio" if content.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] == b"[" else "fiftyone"
    raise BadInput(f"{path.name!r:.60} ends in {ending or 'nothing'}. Expected .json, .xml, .csv or .jsonl. Rename it.")
