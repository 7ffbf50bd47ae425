"""Makes what the demo of letters ships: masters rendered from free typefaces, and the weights of ten networks.

Run it from the repository's root on a machine that has the typefaces (Debian's packages are named in
testimate/demos/glyph_files/TYPEFACES.md): python -m research.demos.make_glyphs. It takes a few minutes on one core. Other
versions of a typeface or of PyTorch give other files, and so another fingerprint of the demo.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import safetensors.torch
import torch
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import distance_transform_edt
from torch import nn

from testimate.core.errors import BadInput
from testimate.demos.comparison_models import NINE
from testimate.demos.glyphs import DEFAULT_LEVEL, INSIDE, LETTERS, STEPS, TRAINED, Glyphs, open_network, operational

HERE = Path(__file__).parents[2] / "testimate" / "demos" / "glyph_files"
FOLDERS = (Path("/usr/share/fonts"), Path("/usr/share/texmf"))
FILES = (
    *(
        "DejaVuSans.ttf",
        "DejaVuSerif.ttf",
        "LiberationSans-Bold.ttf",
        "LiberationSerif-Regular.ttf",
        "Lato-Regular.ttf",
    ),
    *("EBGaramond12-Regular.otf", "cmunss.ttf", "Hack-Regular.ttf", "ComicNeue-Regular.otf", "Quicksand-Regular.ttf"),
    *("Courier Prime.otf", "Courier Prime Bold.otf", "Vollkorn-Black.ttf", "cmuntt.ttf", "EBGaramond12-Italic.otf"),
    "KaushanScript-Regular.otf",
)
"""In the order of ``TYPEFACES``."""

SIDE, FINER = 36, 8
"""Of a master, and how much finer it is rendered first."""
HIGHEST, WIDEST = 0.68, 0.76
"""Of a letter, as shares of the master."""
REACH = 48
"""Steps from the outline beyond which a distance is not told apart."""

TRAINING_LEVEL, TRAINING_COUNT = 70, 20_000
SMOOTHING = 0.004
"""Of the targets: without it the network is nearly always sure of itself, and every fault is a severe one."""


def master(font: Path, letter: str) -> NDArray[np.uint8]:
    """How far each pixel is from the letter's outline, (SIDE, SIDE), ``INSIDE`` on it."""
    sheet = Image.new("L", (1000, 1000))
    ImageDraw.Draw(sheet).text((250, 150), letter, font=ImageFont.truetype(str(font), 400), fill=255)
    cut = sheet.crop(sheet.getbbox())
    big = SIDE * FINER
    width = min(cut.width * HIGHEST * big / cut.height, WIDEST * big)
    cut = cut.resize((round(width), round(HIGHEST * big)), Image.Resampling.LANCZOS)
    canvas = Image.new("L", (big, big))
    canvas.paste(cut, ((big - cut.width) // 2, (big - cut.height) // 2))
    ink = np.asarray(canvas) > 127
    distance = np.where(ink, distance_transform_edt(ink) - 0.5, 0.5 - distance_transform_edt(~ink)) / FINER
    middle = slice(FINER // 2 - 1, FINER // 2 + 1)
    coarse = distance.reshape(SIDE, FINER, SIDE, FINER)[:, middle, :, middle].mean(axis=(1, 3))
    steps = np.clip(np.rint(INSIDE + STEPS * coarse), INSIDE - REACH, INSIDE + REACH)
    return np.asarray(steps, dtype=np.uint8)


def font_file(name: str) -> Path:
    """Where a typeface lies on this machine."""
    found = [path for folder in FOLDERS for path in sorted(folder.rglob(name))]
    if not found:
        raise BadInput(f"The typeface {name} is not installed. Expected those named in TYPEFACES.md.")
    return found[0]


def lenet5(widths: tuple[int, ...]) -> nn.Sequential:
    """Two convolutions, three dense layers; the names are those of the known architectures."""
    first, second, wide, narrow = widths
    return _named(
        *("conv1", nn.Conv2d(1, first, 5, padding=2), "act1", nn.ReLU(), "pool1", nn.MaxPool2d(2)),
        *("conv2", nn.Conv2d(first, second, 5), "act2", nn.ReLU(), "pool2", nn.MaxPool2d(2), "flat", nn.Flatten()),
        *("dense1", nn.Linear(25 * second, wide), "act3", nn.ReLU(), "dense2", nn.Linear(wide, narrow)),
        *("act4", nn.ReLU(), "dense3", nn.Linear(narrow, len(LETTERS))),
    )


def lenet1(widths: tuple[int, ...], activation: Callable[[], nn.Module], pool: Callable[[int], nn.Module]) -> nn.Module:
    """Two convolutions, one dense layer."""
    first, second = widths
    return _named(
        *("conv1", nn.Conv2d(1, first, 5, padding=2), "act1", activation(), "pool1", pool(2)),
        *("conv2", nn.Conv2d(first, second, 5), "act2", activation(), "pool2", pool(2), "flat", nn.Flatten()),
        *("dense1", nn.Linear(25 * second, len(LETTERS))),
    )


def _named(*parts: str | nn.Module) -> nn.Sequential:
    module = nn.Sequential()
    for name, part in zip(parts[::2], parts[1::2], strict=True):
        assert isinstance(part, nn.Module)
        module.add_module(str(name), part)
    return module


def trained(module: nn.Module, glyphs: Glyphs, targets: NDArray[np.intp], epochs: int) -> dict[str, torch.Tensor]:
    """The module's weights after training, in half precision."""
    images, wanted = torch.tensor(glyphs.images[:, None]).float() / 255, torch.tensor(targets)
    steps = torch.optim.Adam(module.parameters(), lr=2e-3)
    slower = torch.optim.lr_scheduler.ExponentialLR(steps, 0.75)
    for _ in range(epochs):
        for rows in torch.split(torch.randperm(len(images)), 64):
            loss = nn.functional.cross_entropy(module(images[rows]), wanted[rows], label_smoothing=SMOOTHING)
            steps.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            steps.step()
        slower.step()
    return {name: weight.detach().half().contiguous() for name, weight in module.state_dict().items()}


def the_nine(masters: NDArray[np.uint8]) -> dict[str, torch.Tensor]:
    """The weights of the nine models, each name after its model's place."""
    rng, ten, shift = np.random.default_rng(9), np.arange(TRAINED), TRAINING_LEVEL
    recipes: list[tuple[nn.Module, int, int, int]] = [  # module, typefaces, level, pictures
        (lenet5((6, 12, 40, 24)), 10, shift, 20_000),
        (lenet5((6, 12, 40, 24)), 6, shift, 20_000),
        (lenet1((6, 16), nn.ReLU, nn.MaxPool2d), 10, shift, 20_000),
        (lenet1((4, 12), nn.Tanh, nn.AvgPool2d), 10, shift, 20_000),
        (lenet1((4, 12), nn.ReLU, nn.MaxPool2d), 10, shift, 4_000),
        (lenet1((6, 16), nn.ReLU, nn.MaxPool2d), 10, 45, 20_000),
        (lenet1((6, 16), nn.ReLU, nn.MaxPool2d), 10, 100, 20_000),
        (lenet1((6, 16), nn.ReLU, nn.MaxPool2d), 10, shift, 20_000),
        (lenet1((6, 16), nn.ReLU, nn.MaxPool2d), 10, shift, 5_000),
    ]
    found: dict[str, torch.Tensor] = {}
    for place, (module, typefaces, level, count) in enumerate(recipes):
        glyphs = Glyphs(masters, count, level=level, fonts=ten[:typefaces], seed=100 + place)
        targets = glyphs.letters.copy()
        if NINE[place].planted == "P learned as B":
            targets[targets == LETTERS.index("P")] = LETTERS.index("B")
        if NINE[place].planted == "noisy labels":
            wrong = rng.random(count) < 0.45
            targets[wrong] = rng.integers(len(LETTERS), size=int(wrong.sum()))
        epochs = 12 if count < 20_000 else 5
        found |= {f"{place}.{name}": weight for name, weight in trained(module, glyphs, targets, epochs).items()}
        print(NINE[place].name, flush=True)
    return found


def main() -> None:
    """Writes all files and says how well the demo's network reads."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    masters = np.array([[master(font_file(name), letter) for letter in LETTERS] for name in FILES])
    np.savez_compressed(HERE / "masters.npz", masters=masters)
    training = Glyphs(masters, TRAINING_COUNT, level=TRAINING_LEVEL, fonts=np.arange(TRAINED), seed=1)
    weights = trained(lenet5((6, 16, 120, 84)), training, training.letters, 6)
    (HERE / "lenet-5.safetensors").write_bytes(safetensors.torch.save(weights))
    (HERE / "nine.safetensors").write_bytes(safetensors.torch.save(the_nine(masters)))
    for level in (40, DEFAULT_LEVEL, 80, 100):
        glyphs = operational(level)
        model = open_network()
        said = model.run(glyphs.images[:, None].astype(np.float32) / 255, [model.roles["CON"]])[model.roles["CON"]]
        wrong = said.argmax(axis=1) != glyphs.letters
        severe = (said.max(axis=1)[wrong] >= 0.8).mean()
        print(f"level {level}: accuracy {1 - wrong.mean():.4f}, {severe:.0%} of the faults severe")


if __name__ == "__main__":
    main()
