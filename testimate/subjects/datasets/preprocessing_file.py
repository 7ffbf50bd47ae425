"""Reads a model's preprocessing from the small TOML file beside it."""

import re
import tomllib
from pathlib import Path
from typing import Any

from testimate.core.errors import BadInput
from testimate.subjects.datasets import limits
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.datasets.small_files import small_text

NUMBERS = {"scale": float, "length": int, "unknown": int, "pad": int}
WORDS = ("resample", "colour", "channels", "tokens", "padding")
EXAMPLE = 'scale = "1/255"'


def preprocessing_beside(model: Path) -> tuple[Preprocessing, str] | None:
    """The preprocessing in the model's own TOML (LeNet-5.toml beside LeNet-5.h5), else in the folder's model.toml, else None.

    The second value is the name of the file.
    """
    if not model.name:  # a current folder; opening the model refuses it
        return None
    for path in (model.with_suffix(".toml"), model.with_name("model.toml")):
        if path.is_file() and path != model:
            found = read_preprocessing(path)
            if found is not None:
                return found, path.name
    return None


def read_preprocessing(path: Path) -> Preprocessing | None:
    """The preprocessing in the file's table [preprocessing], None if it has none; other tables are ignored.

    The keys are those of `Preprocessing`; ``scale`` may be a fraction in quotation marks, ``mean`` and ``deviation`` a
    number or a list, ``vocabulary`` the name of a text file beside the TOML, one token per line.

    Raises
    ------
    BadInput : not a TOML file, an unknown key, or an impossible value.
    """
    try:
        read = tomllib.loads(small_text(path, limits.MAX_SETTINGS_BYTES))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(
            f"{path.name!r:.100} is not valid TOML ({error!s:.100}); expected lines like {EXAMPLE}. Correct it."
        ) from error
    table = read.get("preprocessing")
    if table is None:
        return None
    if not isinstance(table, dict):
        raise BadInput(f"{path.name!r:.100} says preprocessing = ...; expected a table [preprocessing]. Correct it.")
    return Preprocessing(**{key: _value(path, key, value) for key, value in table.items()})


def _value(path: Path, key: str, value: Any) -> Any:
    if key == "scale" and isinstance(value, str):
        return _fraction(path, value)
    if key in NUMBERS and _is_number(value) and float(value) == NUMBERS[key](value):
        return NUMBERS[key](value)
    if key in WORDS and isinstance(value, str):
        return value
    if key in ("mean", "deviation"):
        numbers = value if isinstance(value, list) else [value]
        if all(_is_number(number) for number in numbers):
            return tuple(float(number) for number in numbers)
    if key == "resize" and isinstance(value, list) and len(value) == 2 and all(type(side) is int for side in value):
        return tuple(value)
    if key == "vocabulary" and isinstance(value, str):
        return _vocabulary(path, value)
    known = ", ".join((*NUMBERS, *WORDS, "mean", "deviation", "resize", "vocabulary"))
    raise BadInput(
        f"{path.name!r:.100} says {key!r:.40} = {value!r:.60} under [preprocessing]; expected one of {known}, for example "
        f"{EXAMPLE}. Correct it."
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e30


def _fraction(path: Path, text: str) -> float:
    match = re.fullmatch(r"\s*([0-9.]{1,20})\s*/\s*([0-9.]{1,20})\s*", text)
    try:
        if match is not None:
            return float(match.group(1)) / float(match.group(2))
    except (ValueError, ZeroDivisionError):
        pass  # refused below
    raise BadInput(f"{path.name!r:.100} says scale = {text!r:.40}; expected a number or {EXAMPLE}. Correct it.")


def _vocabulary(path: Path, name: str) -> tuple[str, ...]:
    if Path(name).name != name:
        raise BadInput(
            f"{path.name!r:.100} names the vocabulary {name!r:.60}; expected the name of a file beside it, without a "
            "folder. Put it there."
        )
    return tuple(small_text(path.with_name(name), limits.MAX_VOCABULARY_BYTES).splitlines())
