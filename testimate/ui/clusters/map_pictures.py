"""The inputs on the map as small pictures, once one has zoomed in far enough for them to have room."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.cluster_map import MapView, pictured_rows
from testimate.core.subject import Subject
from testimate.project.found_clusters import MapNow
from testimate.ui.components.linked_pictures import PICTURE_SIDE, map_pictures
from testimate.ui.error_messages import errors_in_words

PICTURES = "map pictures"


@st.fragment
@errors_in_words
def pictures_in_view(subject: Subject, now: MapNow, name: str, first: NDArray[np.intp]) -> None:
    """Draws them; alone in its fragment, so that nothing else is drawn when the view changes.

    ``name`` : of the clustering. ``first`` : rows that have room before all others. A map that still moves has no
    pictures, and neither have inputs that are not pictures.
    """
    points = now.planar.points

    def rows_in(view: MapView) -> Sequence[int]:
        rows: list[int] = pictured_rows(points, view, side=PICTURE_SIDE, first=first).tolist()
        return rows

    map_pictures(
        key=PICTURES,
        plot="map",
        name=f"{name} {now.planar.method} {now.turn}",
        on=now.settled and subject.dataset.modality == "image",
        rows_in=rows_in,
        place=lambda row: (float(points[row, 0]), float(points[row, 1])),
        show=subject.dataset.show,
    )
