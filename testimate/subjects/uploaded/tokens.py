"""How texts become a model's tokens, and which number pads them: found, given, or asked for."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from testimate.core.errors import BadInput
from testimate.core.subject import Dataset
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.models.description import ModelDescription
from testimate.subjects.models.tokenizer_files import padding_token_of, tokenizer_of

TEXTS_LOOKED_AT = 64
"""Rows whose first and last tokens are checked."""

LEAST = 0.1
"""If at least this share of rows begins or ends with the same token twice, it seems to be padding."""


def with_tokenizer(model: ModelDescription, dataset: Dataset, said: Preprocessing | None) -> ModelDescription:
    """The model with the tokenizer beside it, for texts without a chosen way to split them.

    ``said`` : the preprocessing that a person chose, None if nobody did. BadInput where a file beside it cannot be
        read.
    """
    if dataset.modality != "text" or (said is not None and said.tokens != "none") or not tokenizer_of(model.path):
        return model
    said = said or Preprocessing()
    return replace(model, tokenizer=True, length=said.length, pad=said.pad or None)


def padding_token(model: Path, dataset: Dataset, said: Preprocessing | None) -> int:
    """Number of the padding token, for a model that masks it: as chosen, as in config.json, else 0.

    BadInput where it is not given and the rows of tokens (n, length) seem to be padded with another one.
    """
    if said is not None:
        return said.pad
    if (known := padding_token_of(model)) is not None:
        return known
    rows = np.unique(np.linspace(0, len(dataset) - 1, min(TEXTS_LOOKED_AT, len(dataset))).astype(np.intp))
    tokens = dataset.batch(rows)
    if tokens.dtype.kind not in "iu" or tokens.ndim != 2 or tokens.shape[1] < 2:
        return 0
    twice = [ends[ends[:, 0] == ends[:, 1], 0] for ends in (tokens[:, -2:], tokens[:, :2])]
    found, counts = np.unique(max(twice, key=len), return_counts=True)
    if len(found) and found[counts.argmax()] != 0 and 2 * counts.max() > counts.sum() >= LEAST * len(rows):
        token = int(found[counts.argmax()])
        raise BadInput(
            f"The model masks the tokens that pad a text, and these rows seem to be padded with {token}, not with 0. "
            f"Write pad = {token}, or pad = 0 where that is right, under [preprocessing] into "
            f"{model.with_suffix('.toml').name} beside the model, or keep its config.json with pad_token_id beside it."
        )
    return 0
