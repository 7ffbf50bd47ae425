"""Lists of class names in the order of a model's outputs: as people type them, and in the files that frameworks leave."""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testimate.core.checks import is_whole
from testimate.core.errors import BadInput
from testimate.core.visible_text import whole_characters
from testimate.datasets.folders import ZipFiles, small_text
from testimate.tables.csv import csv_lines

LIST_FILES = (
    "class_indices.json",
    "class_names.json",
    "class_names.txt",
    "classes.json",
    "classes.txt",
    "labels.json",
    "labels.txt",
    "imagenet_class_index.json",
)
"""Names of files that hold a list of classes: Keras users save ``class_indices``, torchvision users ``classes``."""

IN_DATA = tuple(name for name in LIST_FILES if not name.startswith("labels"))
"""Those searched inside a folder or zip of inputs, where labels.txt may hold the labels of the inputs."""

CONFIG = "config.json"
"""Where Hugging Face's transformers keep ``id2label``."""

METADATA_KEYS = ("class_names", "classes", "labels", "names", "id2label")
"""Keys of an ONNX file's metadata under which exporters keep the names ("names" is Ultralytics's)."""

PLACEHOLDER = re.compile(r"LABEL_[0-9]+")
"""What transformers writes when nobody named the classes."""

MAX_LIST_BYTES = 4_000_000


@dataclass(frozen=True)
class ClassList:
    """Class names in the order of a model's outputs, and where they come from, for a sentence."""

    names: tuple[str, ...]
    source: str


def names_in(text: str) -> tuple[str, ...]:
    """The names in a text, in the order of the outputs.

    One name per line; names with commas in a single line; JSON: a list, an object from names to outputs (Keras's
    ``class_indices``) or from outputs to names (``id2label``). If each line begins with its own number, as in Teachable
    Machine's labels.txt, the numbers are dropped. White space around a name is dropped, and so are empty lines.

    >>> names_in("stays, leaves")
    ('stays', 'leaves')
    >>> names_in('{"leaves": 1, "stays": 0}')
    ('stays', 'leaves')
    >>> names_in("0 stays\\n1 leaves")
    ('stays', 'leaves')

    Raises
    ------
    BadInput : JSON of another form, or outputs that are not numbered from 0 without a gap.
    """
    text = text.removeprefix("\ufeff").strip()
    if text.startswith(("{", "[")):
        try:
            return names_of(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise BadInput(
                f"The list of classes begins like JSON but is not valid ({error!s:.80}). Expected a list of names in "
                "JSON, or a "
                "name per line. Correct it."
            ) from error
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) == 1 and "," in lines[0]:
        return tuple(name.strip() for name in next(csv_lines(lines, skip_spaces=True)) if name.strip())
    numbered = [re.fullmatch(r"([0-9]+)[\s:,;]\s*(\S.*)", line) for line in lines]
    if len(lines) > 1 and all(found is not None and int(found[1]) == row for row, found in enumerate(numbered)):
        return tuple(found[2] for found in numbered if found is not None)
    return tuple(lines)


def _name(value: Any) -> str:
    return whole_characters(str(value).strip(), "The list of classes")


def names_of(value: Any) -> tuple[str, ...]:
    """The names in a list, in an object from names to outputs, or in one from outputs to names; BadInput otherwise."""
    if isinstance(value, list) and all(isinstance(name, str) or is_whole(name) for name in value):
        return tuple(_name(name) for name in value)
    if isinstance(value, dict) and value:
        by_output = {output: name for name, output in value.items()} if all(map(is_whole, value.values())) else value
        outputs = {_whole(output): _name(name) for output, name in by_output.items()}
        if sorted(outputs, key=lambda output: -1 if output is None else output) == list(range(len(value))):
            return tuple(outputs[output] for output in range(len(value)))
        raise BadInput(
            f"The list of classes numbers its outputs {', '.join(map(str, list(by_output)[:8]))}. Expected 0, 1, 2 and so on, "
            "each once. Correct the list."
        )
    raise BadInput(
        "The list of classes is JSON in an unknown form. Expected a list of names, or an object such as "
        '{"stays": 0, "leaves": 1} or {"0": "stays", "1": "leaves"}. Write it as one of these.'
    )


def names_in_metadata(metadata: Mapping[str, str]) -> tuple[str, ...]:
    """The names in an ONNX file's metadata; none if no key holds a readable list."""
    for key in METADATA_KEYS:
        text = metadata.get(key, "")[:MAX_LIST_BYTES].strip()
        try:
            names = names_of(_literal(text)) if text.startswith(("{", "[")) else names_in(text)
        except (BadInput, ValueError, SyntaxError, RecursionError, MemoryError):
            continue  # any program may have written it for any purpose
        if len(names) > 1 and not _are_placeholders(names):
            return names
    return ()


def given_list(text: str) -> ClassList:
    """What ``--class-names`` says: the path of a list of classes, or the names themselves with commas."""
    path = Path(text)
    try:
        is_file = path.is_file()
    except OSError:  # a long list of names is too long for a path
        is_file = False
    if is_file:
        return ClassList(names_in(small_text(path, MAX_LIST_BYTES)), str(path))
    if "," not in text and path.suffix.lower() in (".txt", ".json"):
        raise BadInput(f"There is no file {text!r:.200}. Expected a list of classes there. Check the path.")
    return ClassList(names_in(text), "as given")


def lists_beside(model: Path, dataset: Path) -> Iterator[ClassList]:
    """The lists in files beside the model, then those in and beside the dataset, the likeliest first.

    Beside the model: a list with the model's own name (net.classes.txt beside net.onnx); there, or in the model's own folder
    or zip, config.json with ``id2label``, then ``LIST_FILES``. In a folder or zip of inputs: ``IN_DATA``. BadInput where
    such a file cannot be read.
    """
    own = [model.with_name(f"{model.stem}.{ending}") for ending in ("classes.txt", "classes.json", "labels.txt")]
    folders = [model.parent] if model.parent == dataset.parent else [model.parent, dataset.parent]
    beside = [(path, "beside the model") for path in own]
    for folder in folders:
        place = "beside the model" if folder == model.parent else "beside the data"
        beside += [(folder / name, place) for name in (CONFIG, *LIST_FILES)]
    if model.is_dir():
        beside = [(model / name, "in the model's folder") for name in (CONFIG, *LIST_FILES)] + beside
    if dataset.is_dir():
        beside += [(dataset / name, "in the data") for name in IN_DATA]
    yield from _in_zip(model, (CONFIG, *LIST_FILES), "in the model's zip")
    for path, place in beside:
        if path.is_file() and path not in (model, dataset):
            yield from _read(path.name, small_text(path, MAX_LIST_BYTES), place)
    yield from _in_zip(dataset, IN_DATA, "in the data")


def _read(name: str, text: str, place: str) -> Iterator[ClassList]:
    try:
        if pairs := _pairs_by_output(text):
            yield from (ClassList(one, f"{name} {place}") for one in (pairs[1], pairs[0]))
            return
        names = _id2label(json.loads(text)) if name == CONFIG else names_in(text)
    except (BadInput, ValueError, RecursionError) as error:
        if name == CONFIG:  # of anything else, too
            return
        raise BadInput(f"{name!r:.100} {place}: {error}") from error
    if names:
        yield ClassList(names, f"id2label in {name} {place}" if name == CONFIG else f"{name} {place}")


def _pairs_by_output(text: str) -> tuple[tuple[str, ...], tuple[str, ...]] | tuple[()]:
    """The keys and the names in an object from outputs to pairs of them, as Keras has of ImageNet; none in anything else."""
    try:
        said = json.loads(text)
        values = [*said.values()] if isinstance(said, dict) else []
        if not values or not all(
            isinstance(one, list) and len(one) == 2 and all(isinstance(x, str) for x in one) for one in values
        ):
            return ()
        keys, names = (names_of({output: pair[at] for output, pair in said.items()}) for at in (0, 1))
    except (BadInput, ValueError, RecursionError):
        return ()
    return keys, names


def _in_zip(path: Path, names: Sequence[str], place: str) -> Iterator[ClassList]:
    """The lists of these names at the top of a zip, or in its only folder."""
    if path.suffix.lower() != ".zip" or not path.is_file():
        return
    files = ZipFiles(path)
    for name in names:
        for found in files.names:
            if found.rsplit("/", 1)[-1] == name and found.count("/") < 2 and files.sizes[found] <= MAX_LIST_BYTES:
                yield from _read(name, files.read(found).decode("utf-8-sig", "replace"), place)


def _id2label(config: Any) -> tuple[str, ...]:
    """The names in a configuration of transformers; none if they are only placeholders."""
    said = config.get("id2label") if isinstance(config, dict) else None
    names = names_of(said) if said else ()
    return () if _are_placeholders(names) else names


def _are_placeholders(names: Sequence[str]) -> bool:
    return all(PLACEHOLDER.fullmatch(name) for name in names)


def _literal(text: str) -> Any:
    """JSON, or the same as a Python literal; nothing in it is run."""
    try:
        return json.loads(text)
    except ValueError:
        return ast.literal_eval(text)


def _whole(value: Any) -> int | None:
    text = str(value).strip()
    return int(text) if text.isdecimal() and len(text) < 10 else None
