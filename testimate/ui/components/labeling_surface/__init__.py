"""The labeling surface: the next input at once, no label on a wrong input, nothing lost on the way."""

from testimate.ui.components.labeling_surface.fallback_buttons import fallback_buttons
from testimate.ui.components.labeling_surface.surface import labeling_surface
from testimate.ui.components.labeling_surface.view import Past, QueuedInput, SurfaceView, usual_numbers

__all__ = ["Past", "QueuedInput", "SurfaceView", "fallback_buttons", "labeling_surface", "usual_numbers"]
