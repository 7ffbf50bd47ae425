"""What a tester may want to know of their own model and data, in words."""

from testimate.subjects.datasets.opened import OpenedDataset
from testimate.subjects.own_record import OwnRecord

FIRST, LAST_HIDDEN = "first layer (FL)", "last hidden layer (LHL)"

FOLLOWING_THE_CHOICE = (PREPROCESSING, DATA_FINGERPRINT) = ("preprocessing", "data's fingerprint")
"""Facts that another preprocessing changes."""

ROLES = {"FL": FIRST, "LHL": LAST_HIDDEN, "logits": "logits"}
"""The roles whose layer is told; the others play their role in every model."""


def own_facts(record: OwnRecord, opened: OpenedDataset, trained: OpenedDataset | None) -> tuple[tuple[str, str], ...]:
    """(name, value) pairs, untrusted text: of the model, of the data as they are prepared, and what names each of them.

    ``opened``, ``trained`` : the operational and the training set, prepared as chosen.
    """
    facts = record.facts
    shape = " x ".join("any" if side is None else str(side) for side in facts.input_shape)
    roles = {**facts.roles, **record.roles}
    return (
        ("model", f"{record.kind}, {facts.parameters:,} parameters, {len(facts.layers)} layers"),
        ("takes", f"{shape} {facts.input_type}"),
        ("says", facts.output),
        *((name, roles[role]) for role, name in ROLES.items() if role in roles),
        *opened.facts,
        ("training set", "none" if trained is None else f"{len(trained.dataset):,} inputs"),
        (PREPROCESSING, opened.dataset.preprocessing.title),
        ("model's SHA-256", record.sha256),
        (DATA_FINGERPRINT, opened.fingerprint),
    )
