"""A subject as a person describes it: its files and their choices."""

from dataclasses import dataclass
from pathlib import Path

from testimate.subjects.class_lists import ClassList
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.models.description import ModelDescription
from testimate.tasks.regression import SaidTolerance


@dataclass(frozen=True)
class SubjectDescription:
    """A model with the data to test it on. Anything that is None was left open and is found when the files are opened.

    Attributes
    ----------
    model : its file, and the choices about it.
    dataset, training : files or folders. The training set may also be another split in the dataset's file.
    preprocessing : of the inputs; by default that of the TOML beside the model, else the usual one that suits the model
        best on inputs with a known class, else that of the model's own first layers, else a person has to be asked.
    decided : who chose that preprocessing, for use in a sentence.
    split, label : see ``open_dataset_file``.
    classes : their names in the order of the model's outputs; by default found by ``order_of_classes``.
    same_names : whether names that differ only in case, spaces or Unicode form are one class; by default a person is
        asked.
    tolerance : of a regression; by default one standard deviation of the predictions.
    top_k : of a classification, among how many of the most probable classes the true one counts as right.
    name : for people.
    leave_out : whether unreadable files are left out of the inputs; by default they are refused.
    """

    model: ModelDescription
    dataset: Path
    training: Path | None = None
    preprocessing: Preprocessing | None = None
    decided: str = "as chosen"
    split: str | None = None
    label: str | None = None
    classes: ClassList | None = None
    same_names: bool | None = None
    tolerance: SaidTolerance | None = None
    name: str | None = None
    leave_out: bool = False
    top_k: int = 1
