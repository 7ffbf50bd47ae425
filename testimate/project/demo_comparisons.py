"""The demos' models as comparisons: ten that read the digits, nine that read the letters."""

from testimate.core.progress import Progress, silent
from testimate.demos.comparison_models import SHIFT_SEED, digits_predictions, glyph_predictions
from testimate.demos.glyphs import DEFAULT_LEVEL, LETTERS, key_of
from testimate.project.compared_models import TRUE_LABEL, ComparisonChoice, csv_of
from testimate.project.project import Project

DEMO_NAME = "Ten models that read digits.csv"
GLYPHS_NAME = "Nine models that read letters"


def demo_comparison(project: Project, shift: tuple[str, int] | None = None) -> str:
    """The ten models on the digits demo as a comparison of the project; its key. ``shift`` : name and severity, or None."""
    found, truth = digits_predictions(shift=shift)
    name = DEMO_NAME if shift is None else f"The same under {shift[0]}, severity {shift[1]}.csv"
    seen = None if shift is None else (*shift, SHIFT_SEED)
    content = csv_of({name: values.tolist() for name, values in (*found.items(), (TRUE_LABEL, truth))})
    return project.add_comparison(content, ComparisonChoice(name, TRUE_LABEL, (), "digits", seen)).key


def glyph_comparison(project: Project, level: int, progress: Progress = silent) -> str:
    """The nine models on the demo's letters at that level, in percent, as a comparison of the project; its key."""
    found, truth = glyph_predictions(level, progress)
    letters = {name: [LETTERS[place] for place in places] for name, places in (*found.items(), (TRUE_LABEL, truth))}
    name = f"{GLYPHS_NAME}{'' if level == DEFAULT_LEVEL else f', shift {level / 100:.2f}'}.csv"
    return project.add_comparison(csv_of(letters), ComparisonChoice(name, TRUE_LABEL, (), key_of(level))).key
