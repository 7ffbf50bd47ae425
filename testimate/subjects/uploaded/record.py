"""What was found about an uploaded model and its data: stored so that they open again, and shown as facts."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from testimate.core.words import spaced
from testimate.subjects.class_order import ClassOrder
from testimate.subjects.datasets.opened_dataset import OpenedDataset
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.models.description import ModelDescription
from testimate.subjects.models.facts import ModelFacts
from testimate.tasks.regression import SaidTolerance

NOTES = "how the model was read"
FIRST, LAST_HIDDEN, OUTPUTS = "first layer (FL)", "last hidden layer (LHL)", "outputs"

FOLLOWING_THE_CHOICE = (PREPROCESSING, DECIDED, DATA_FINGERPRINT) = (
    "preprocessing",
    "preprocessing decided by",
    "data's fingerprint",
)
"""Facts that another preprocessing changes."""

ROLES = {"FL": FIRST, "LHL": LAST_HIDDEN, "logits": "logits"}
"""The roles whose layer is shown; the other roles exist in every model."""


@dataclass(frozen=True)
class UploadedRecord:
    """What was found about a model and its data; with it they open again without starting the framework.

    Attributes
    ----------
    kind, sha256, facts : of the model's file. fingerprint : of the model as it was described.
    roles, settings : of the model's description, as stored; see ``model_at``.
    needs_example : whether it can only be opened together with inputs. preprocessing : of the inputs, as chosen.
    decided : who or what decided the preprocessing; None if nobody did, or in records made before this was stored.
    leave_out : whether unreadable files were left out. label : the column with the answers, if it was named.
    labels_above : see ``open_dataset_file``; False of subjects that were added before. tolerance : of a regression.
    class_order : which output is which class; None for a regression, and for subjects that were added before the order
        was stored, whose classes are those of the dataset.
    top_k : of a classification, how many of the most probable classes count.
    """

    kind: str
    sha256: str
    facts: ModelFacts
    fingerprint: str
    roles: Mapping[str, str]
    settings: Mapping[str, Any]
    needs_example: bool
    preprocessing: Preprocessing
    tolerance: SaidTolerance | None
    class_order: ClassOrder | None = None
    decided: str | None = None
    leave_out: bool = False
    label: str | None = None
    labels_above: bool = False
    top_k: int = 1

    def model_at(self, path: Path) -> ModelDescription:
        """The model's description; its file may have moved since it was first opened."""
        return ModelDescription(path, roles=self.roles, **self.settings)

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "UploadedRecord":
        """The record from ``to_json``."""
        preprocessing: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in stored["preprocessing"].items()
        }
        facts = ModelFacts.from_json(stored["facts"])
        order = stored.get("class_order")
        if order is not None:
            order = ClassOrder(**{**order, "names": tuple(order["names"]), "remarks": tuple(order["remarks"])})
        return cls(**{**stored, "facts": facts, "preprocessing": Preprocessing(**preprocessing), "class_order": order})


LONGEST = 900
"""Most characters of the sentence on the preprocessing, which a session stores."""


def prepared_in_words(preprocessing: Preprocessing, decided: str | None, left_out: int) -> str:
    """The preprocessing, who or what decided it, and how many unreadable files were left out."""
    said = preprocessing.title if decided is None else f"{preprocessing.title} ({decided})"
    said += f"; unreadable files left out: {spaced(left_out)}" if left_out else ""
    return said if len(said) <= LONGEST else f"{said[:LONGEST]} …"


def facts_of(
    record: UploadedRecord, opened: OpenedDataset, trained: OpenedDataset | None
) -> tuple[tuple[str, str], ...]:
    """(name, value) pairs, untrusted text: about the model, the data and their preparation, and their fingerprints.

    ``opened``, ``trained`` : the operational and the training set, prepared as chosen.
    """
    facts = record.facts
    shape = " x ".join("any" if side is None else str(side) for side in facts.input_shape)
    roles = {**facts.roles, **record.roles}
    return (
        ("model", f"{record.kind}, {spaced(facts.parameters)} parameters, {len(facts.layers)} layers"),
        ("takes", "texts" if facts.takes_texts else f"{shape} {facts.input_type}"),
        ("says", facts.output),
        *((name, roles[role]) for role, name in ROLES.items() if role in roles),
        *(() if record.class_order is None else ((OUTPUTS, record.class_order.sentence),)),
        *(() if not facts.notes else ((NOTES, "; ".join(facts.notes)),)),
        *opened.facts,
        ("training set", "none" if trained is None else f"{spaced(len(trained.dataset))} inputs"),
        (PREPROCESSING, opened.dataset.preprocessing.title),
        *(() if record.decided is None else ((DECIDED, record.decided),)),
        ("model's SHA-256", record.sha256),
        (DATA_FINGERPRINT, opened.fingerprint),
    )
