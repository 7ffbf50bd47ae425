"""Looks through an HDF5 file before anything is read, so that it neither reaches into other files nor claims much memory."""

import h5py

from testimate.core.errors import BadInput
from testimate.subjects.models.bounds import MAX_DEPTH, MAX_PARAMETERS

MAX_OBJECTS = 200_000


def check_hdf5(file: h5py.File, *, left_out: str = "") -> None:
    """Walks every group; the arrays of the group ``left_out`` are not counted, for nobody reads them.

    Raises BadInput for external, soft and virtual links, arrays that are no numbers, and more of them than allowed.
    """
    waiting: list[tuple[h5py.Group, int]] = [(file, 0)]
    seen: set[object] = set()
    claimed = 0
    while waiting:
        group, depth = waiting.pop()
        place = h5py.h5o.get_info(group.id).addr
        if place in seen:  # a group that holds itself
            continue
        seen.add(place)
        for name in group:
            seen.add((place, name))
            if len(seen) > MAX_OBJECTS or depth > MAX_DEPTH:
                raise BadInput(
                    f"This HDF5 file has more than {MAX_OBJECTS:,} parts; needed is a Keras model. Save it again."
                )
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise BadInput(
                    f"This HDF5 file points to another place or file ({name!r:.60} is a link); needed is one file that holds "
                    "everything. Save the model again with model.save()."
                )
            part = group[name]
            if isinstance(part, h5py.Group):
                waiting.append((part, depth + 1))
            elif isinstance(part, h5py.Dataset):
                claimed += 0 if left_out and part.name.startswith(f"/{left_out}/") else _checked_size(part)
            if claimed > MAX_PARAMETERS:
                raise BadInput(
                    f"This HDF5 file claims more than {MAX_PARAMETERS:,} weights; needed are fewer. Use a prediction table "
                    "for a model of that size."
                )


def _checked_size(array: h5py.Dataset) -> int:
    """How many numbers the array claims."""
    if array.external or array.is_virtual:
        raise BadInput(
            f"This HDF5 file keeps {array.name!r:.60} in another file; needed is one file that holds everything. Save the "
            "model again with model.save()."
        )
    if array.dtype.kind not in "fiub":
        raise BadInput(
            f"This HDF5 file holds {array.name!r:.60}, which is no array of numbers; needed is a Keras model with its weights "
            "alone. Save it again with model.save()."
        )
    return int(array.size or 0)
