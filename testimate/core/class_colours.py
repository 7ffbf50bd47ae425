"""The colours a team gives to its classes, as its other tools have them; on the buttons that answer with the class."""

import re
from collections.abc import Mapping, Sequence

from testimate.core.errors import BadInput


def checked_colours(colours: Mapping[str, str], classes: Sequence[str]) -> dict[str, str]:
    """The colours by class, each as #rrggbb in small letters, in the order of the classes; BadInput for any other.

    >>> checked_colours({"dog": "#0072B2"}, ["cat", "dog"])
    {'dog': '#0072b2'}
    """
    strangers = [name for name in colours if name not in classes]
    if strangers:
        raise BadInput(
            f"There is a colour for {strangers[0]!r:.60}, not one of the {len(classes)} classes. Use the names they have."
        )
    for name, colour in colours.items():
        if not isinstance(colour, str) or not re.fullmatch("#[0-9a-fA-F]{6}", colour):
            raise BadInput(
                f"The colour of {name!r:.60} is {colour!r:.40}; expected # and six hexadecimal digits, such as #0072b2."
            )
    return {name: colours[name].lower() for name in classes if name in colours}
