"""The demos that need no download, by name; listing them imports no framework."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from testimate.core.progress import Progress
from testimate.core.subject import Subject
from testimate.subjects.digits import open_digits


@dataclass(frozen=True)
class Demo:
    """A subject that comes with the program.

    Attributes
    ----------
    name : its key, as the command line takes it. title : for people. description : one sentence for people.
    open : makes it ready in a project folder and returns it; the first time may take a while and reports progress.
    """

    name: str
    title: str
    description: str
    open: Callable[[Path, Progress], Subject]


DEMOS: Mapping[str, Demo] = {
    "digits": Demo(
        name="digits",
        title="Handwritten digits",
        description="A small network reads 1,497 handwritten digits of 8 x 8 pixels; about one in ten it reads wrong.",
        open=open_digits,
    )
}
