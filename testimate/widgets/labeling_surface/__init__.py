"""The labeling surface: the next input at once, no label on a wrong input, nothing lost on the way."""

from testimate.widgets.labeling_surface.fallback_buttons import fallback_buttons
from testimate.widgets.labeling_surface.surface import labeling_surface
from testimate.widgets.labeling_surface.view import Past, QueuedInput, SurfaceView

__all__ = ["Past", "QueuedInput", "SurfaceView", "fallback_buttons", "labeling_surface"]
