"""The light under each condition of the road demo: sky, haze, headlights, rain and the camera's noise."""

from typing import NamedTuple

Colour = tuple[float, float, float]
"""Red, green and blue, 0..1."""


class Weather(NamedTuple):
    """What the light does. ``sight``: metres at which half is lost in haze, nearest and farthest. ``light``: on what is
    drawn; ``sky``: above and at the horizon, where it is the colour of the haze. ``beam``: of the headlights. ``noise``: of
    the camera. ``wet``: how much darker the road is. ``streaks``: of rain.
    """

    sight: tuple[float, float]
    light: Colour
    sky: tuple[Colour, Colour]
    beam: float = 0.0
    noise: float = 0.02
    wet: float = 0.0
    streaks: float = 0.0


WEATHER = (
    Weather((500, 900), (1.0, 1.0, 0.98), ((0.36, 0.58, 0.90), (0.78, 0.87, 0.95))),
    Weather((110, 260), (0.66, 0.69, 0.73), ((0.50, 0.54, 0.58), (0.66, 0.69, 0.72)), wet=0.35, streaks=0.10),
    Weather((7, 26), (0.88, 0.89, 0.90), ((0.76, 0.78, 0.80), (0.80, 0.82, 0.83)), noise=0.025),
    Weather((300, 600), (0.62, 0.47, 0.40), ((0.22, 0.24, 0.42), (0.92, 0.56, 0.32)), noise=0.03),
    Weather((300, 600), (0.06, 0.072, 0.13), ((0.015, 0.02, 0.055), (0.06, 0.066, 0.11)), beam=1.0, noise=0.04),
)
"""In the order of the conditions."""
