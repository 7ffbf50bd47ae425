"""Identifies inputs by a digest of what a person sees, which is the same in every set that has the input."""

import hashlib

from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.core.subject import Dataset, Shown


def digests_of(dataset: Dataset, progress: Progress = silent) -> list[str]:
    """A digest of each input's content, (N,); inputs that look the same have the same digest.

    Each input is rendered as a tester would see it: some 5 000 pictures per second. Raises BadInput where a person sees
    nothing of the inputs, for instance in a table without columns to show.
    """
    found = []
    for row in range(len(dataset)):
        if row % 500 == 0:
            progress(row, len(dataset), "inputs looked at")
        found.append(_digest(dataset.show(row)))
    return found


def _digest(shown: Shown) -> str:
    digest = hashlib.sha256(shown.modality.encode())
    cells = [(name, text) for name, text in shown.cells if name != "row"]
    if shown.image is not None:
        digest.update(shown.image)
    elif shown.audio is not None:
        digest.update(shown.audio)
    elif shown.series is not None:
        digest.update(shown.series.values.tobytes())
    elif shown.text is not None:
        digest.update(shown.text.encode(errors="surrogatepass"))
    elif cells:
        digest.update(repr(cells).encode(errors="surrogatepass"))
    else:
        raise BadInput(
            "Nothing is shown of these inputs, so nothing tells one from another; expected a column 'key', or pictures, "
            "sounds, texts or columns that may be seen. Add one."
        )
    return digest.hexdigest()[:24]
