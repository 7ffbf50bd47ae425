"""The harbor demo's scenes in numbers: what is where, in which weather, and what the detector finds.

The detector is no network but a rule with chance in it. It gives each thing a logit that grows with its size on the picture and
falls with fog, rain, night and with how far other things cover it; the score is its logistic function. A thing is found where
the score is at least ``LEAST_SCORE``. Rocks and gulls look like buoys and get a low logit of their own, a higher one in fog; a
ship far away is called a boat in one case of eight, and one found thing in thirty gets a second box.
"""

import math
from dataclasses import dataclass

import numpy as np

CLASSES = ("ship", "boat", "buoy")
WEATHERS = ("clear", "rain", "fog", "night")
LEAST_SCORE = 0.5
LOWEST = 0.05
"""Boxes with a smaller score are not kept at all."""

HORIZON = 0.36
"""Where the sea begins, as a share of the picture's height."""

SIZES = {"ship": (0.30, 0.15), "boat": (0.15, 0.10), "buoy": (0.045, 0.10), "rock": (0.06, 0.05), "gull": (0.05, 0.035)}
"""Width and height of each thing at the lower edge of the picture, as shares of it."""

Chance = np.random.Generator


@dataclass(frozen=True)
class Thing:
    """Something on the sea: its kind, its box as shares of the picture, how near it is, 0..1, and its color, 0..1."""

    kind: str
    left: float
    top: float
    width: float
    height: float
    near: float
    color: float

    @property
    def is_object(self) -> bool:
        """Whether a detector should find it: rocks and gulls only look like something."""
        return self.kind in CLASSES


@dataclass(frozen=True)
class FoundBox:
    """A box of the detector; ``of`` the place of the thing it is drawn around, ``again`` where that has a box already."""

    kind: str
    left: float
    top: float
    width: float
    height: float
    score: float
    of: int
    again: bool = False


@dataclass(frozen=True)
class Scene:
    """A picture: its number, the weather, the things in it from the farthest to the nearest, and the boxes drawn."""

    number: int
    weather: str
    things: tuple[Thing, ...]
    boxes: tuple[FoundBox, ...]

    def wrong(self, box: FoundBox) -> bool:
        """Whether a box is around nothing, of another class, or the second around one thing."""
        return box.again or self.things[box.of].kind != box.kind

    def missed(self) -> list[str]:
        """The class of each object without a right box among those judged."""
        found = {box.of for box in self.boxes if box.score >= LEAST_SCORE and not self.wrong(box)}
        return [one.kind for place, one in enumerate(self.things) if one.is_object and place not in found]


def made_scenes(size: int, *, seed: int) -> list[Scene]:
    """``size`` scenes, always the same for a seed."""
    return [_scene(number, np.random.default_rng([seed, number])) for number in range(size)]


def _scene(number: int, chance: Chance) -> Scene:
    weather = str(chance.choice(WEATHERS, p=[0.5, 0.18, 0.17, 0.15]))
    count = int(chance.poisson(float(chance.choice([0.6, 2.4, 4.5], p=[0.3, 0.5, 0.2]))))
    kinds = [str(one) for one in chance.choice(CLASSES, count, p=[0.35, 0.35, 0.3])]
    kinds += ["rock"] * int(chance.poisson(0.25)) + ["gull"] * int(chance.poisson(0.25))
    things: list[Thing] = []
    for kind in kinds:
        made = _placed(kind, things, chance)
        if made is not None:
            things.append(made)
    things.sort(key=lambda one: one.near)
    boxes = [box for place in range(len(things)) for box in _seen(place, things, weather, chance)]
    return Scene(number, weather, tuple(things), tuple(boxes))


def _placed(kind: str, others: list[Thing], chance: Chance) -> Thing | None:
    """A thing where it covers no other by more than a third; None where there is no room in ten tries."""
    for _ in range(10):
        near = float(chance.uniform(0.15, 1.0))
        scale = 0.35 + 0.65 * near
        width, height = (scale * one for one in SIZES[kind])
        left = float(chance.uniform(0.01, 0.99 - width))
        bottom = HORIZON + 0.05 + (0.90 - HORIZON) * near
        made = Thing(kind, left, bottom - height, width, height, near, float(chance.random()))
        if all(_covered(made, one) < 1 / 3 and _covered(one, made) < 1 / 3 for one in others):
            return made
    return None


def _covered(one: Thing, other: Thing) -> float:
    """The share of the first that the second covers."""
    wide = min(one.left + one.width, other.left + other.width) - max(one.left, other.left)
    high = min(one.top + one.height, other.top + other.height) - max(one.top, other.top)
    return max(wide, 0.0) * max(high, 0.0) / (one.width * one.height)


def _seen(place: int, things: list[Thing], weather: str, chance: Chance) -> list[FoundBox]:
    """The boxes that the detector draws around a thing: none, one or two."""
    thing = things[place]
    covered = sum(_covered(thing, other) for other in things[place + 1 :])
    if thing.is_object:
        logit = 5.2 + 1.4 * math.log(thing.near) - 4.0 * covered
        logit -= {"clear": 0.0, "rain": 1.2, "fog": 1.0 + 3.2 * (1 - thing.near), "night": 1.9}[weather]
    else:
        logit = -2.2 + {"clear": 0.0, "rain": 0.5, "fog": 1.4, "night": 0.6}[weather]
    score = 1 / (1 + math.exp(-(logit + float(chance.logistic(0, 0.8)))))
    kind = thing.kind if thing.is_object else "buoy"
    if kind == "ship" and thing.near < 0.5 and chance.random() < 1 / 8:
        kind = "boat"
    boxes = [_box(thing, kind, score, place, chance, again=False)]
    if chance.random() < 1 / 30:
        boxes.append(_box(thing, kind, 0.75 * score, place, chance, again=True))
    return [one for one in boxes if one.score >= LOWEST]


def _box(thing: Thing, kind: str, score: float, place: int, chance: Chance, *, again: bool) -> FoundBox:
    """The box, a little off; one drawn again more so."""
    off = chance.normal(0, 0.12 if again else 0.03, 4)
    width, height = thing.width * (1.06 + abs(float(off[0]))), thing.height * (1.06 + abs(float(off[1])))
    left = min(max(thing.left - 0.03 * thing.width + float(off[2]) * thing.width, 0.0), 1.0 - width)
    top = min(max(thing.top - 0.03 * thing.height + float(off[3]) * thing.height, 0.0), 1.0 - height)
    return FoundBox(kind, left, top, width, height, round(min(score, 0.999), 3), place, again)
