"""Pictures that belong to points of a map: a wall of them, those in place of points, the one under the pointer, and what is
picked there."""

from testimate.ui.components.linked_pictures.maps import PICTURE_SIDE, map_picks, map_pictures, map_pointer
from testimate.ui.components.linked_pictures.picture_wall import Hung, picture_wall

__all__ = ["PICTURE_SIDE", "Hung", "map_picks", "map_pictures", "map_pointer", "picture_wall"]
