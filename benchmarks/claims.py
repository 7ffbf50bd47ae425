"""The table of claims that opens RESULTS.md: each is a cell of a section's table and read from there, never typed by hand."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """What a section shows, beside what, and where it stands.

    Attributes
    ----------
    benchmark : the section, and the module that makes it.
    what, beside : in words; the second is empty where there is nothing to compare with.
    row, column : how the row begins, its first cells divided by ``|``, or how its table's head does; and the column's head.
    unit : words behind the cell.
    other : how the row of ``beside`` begins, whose cell is said, too.
    """

    benchmark: str
    what: str
    beside: str
    row: str
    column: str
    unit: str = ""
    other: str = ""


FASTER = "times as fast"
CLAIMS = (
    Claim("clusters", "exact HDBSCAN clusters, 10,000 x 84", "hdbscan, scikit-learn", "10,000 x 84", "ratios", FASTER),
    Claim(
        "clusters", "exact HDBSCAN clusters, 10,000 x 512", "hdbscan, scikit-learn", "10,000 x 512", "ratios", FASTER
    ),
    Claim("clusters", "exact HDBSCAN clusters, 26,000 x 84", "hdbscan", "26,000 x 84", "ratios", FASTER),
    Claim("clusters", "FastICA to 2 components, 50,000 x 2048", "scikit-learn", "FastICA to 2", "ratio", FASTER),
    Claim(
        "growth",
        "clusters of more inputs, seconds grow by the power",
        "hdbscan",
        "clusters",
        "power",
        "",
        "hdbscan's clusters",
    ),
    Claim(
        "prototypes",
        "MMD-critic, 20,000 inputs",
        "the whole kernel matrix",
        "0.026, as PACE",
        "ratio (target 7)",
        FASTER,
    ),
    Claim(
        "sampled_prototypes",
        "MMD^2 by a sample of 5,000 of 100,000",
        "by all",
        "0.026, as PACE|5,000",
        "over the whole's",
    ),
    Claim("cross_entropy", "cross-entropy sampling", "histograms counted again", "", "ratio (target 35)", FASTER),
    Claim("surprise", "DSA", "dnn-tip", "DSA", "ratio", FASTER),
    Claim("surprise", "LSA", "dnn-tip", "LSA", "ratio", FASTER),
    Claim("sampled_references", "DSA by 5,000 of 60,000 references", "by all: 1", "dsa|5,000", "rank correlation"),
    Claim(
        "network_references",
        "DSA by 5,000 of 60,000 references, LeNet-5",
        "by all: 1",
        "LeNet-5|dsa|5,000",
        "rank correlation",
    ),
    Claim("comparison", "ranking models without labels", "crowd-kit's GLAD", "seconds", "ratio", FASTER),
    Claim("prioritizers", "order of 50,000 by DeepAbstraction", "", "deepabstraction", "processor s (target 10)", "s"),
    Claim("neighbor_maps", "neighbor map of 10,000 x 84", "UMAP", "ours: openTSNE", "seconds", "s", "UMAP"),
    Claim("neighbor_maps", "its nearest 15 kept", "UMAP", "ours: openTSNE", "neighbors kept", "", "UMAP"),
    Claim(
        "features",
        "features into checked files, by the clock",
        "Keras in memory: 1",
        "Keras alone, a tf",
        "its wall s over it",
        "times its time",
    ),
    Claim(
        "feature_stores",
        "60,000 x 84 written and checked",
        "zarr",
        "60,000 x 84|Testimate",
        "write",
        "",
        "60,000 x 84|zarr",
    ),
    Claim("occlusion", "where a ResNet-18 looked", "", "3 x 224 x 224", "seconds", "s"),
    Claim("on_cuda", "a network's features on a card", "one core", "the last hidden layer", "ratio", FASTER),
    Claim("two_nodes", "DSA on two nodes", "one node", "dsa", "ratio (target 1.6)", FASTER),
    Claim("interval", "all 2,000 stop-safe intervals", "the whole grid: 1", "2000", "ratio", "of its time"),
    Claim(
        "labeling", "the panel after a label, rra, 2,000 labels", "target 20", "rra", "after a label (target 20)", "ms"
    ),
    Claim(
        "labeling",
        "a key to the next input, ten a second",
        "target 25",
        "10 a second|rra",
        "median ms (target 25)",
        "ms",
    ),
    Claim("labeling", "keys on a wrong input, of 600", "", "10 a second|rra", "on a wrong input"),
    Claim("label_traffic", "bytes of an answer", "target 20,000", "an answer", "bytes"),
    Claim("long_outputs", "a key beside 120,000 letters, drawn", "a frame: 16.7", "120,000", "drawn, median", "ms"),
    Claim("many_classes", "one of 200 classes by keys", "target 2", "programming", "seconds in a browser", "s"),
    Claim("endurance", "labels lost under SIGKILL, of 989 keys", "", "SIGKILL of the server", "lost"),
    Claim("team", "labels lost or doubled, of 3,000 by a team", "", "by the page, srs", "lost or twice"),
    Claim("slices", "all slices and the confusion of 100 classes", "target 200", "both", "ms", "ms"),
    Claim("opened_tables", "1,000,000 rows of numbers from CSV", "read by names alone", "1,000,000", "ratio", FASTER),
    Claim("opened_tables", "200,000 lines of JSON", "target 3", "200,000", "processor s", "s"),
    Claim("large_tables", "select rrs from 10,000,000 rows", "goal 8", "select rrs", "seconds", "s"),
    Claim("app_large_table", "Plan of 10,000,000 rows, again", "target 2", "Plan, again", "seconds", "s"),
    Claim("tables", "1,000,000 rows opened", "target 20", "1,000,000 rows", "seconds", "s"),
    Claim("python_verbs", "1,000,000 rows through three verbs", "target 10", "1,000,000 rows", "seconds", "s"),
    Claim("first_view", "clicks from an own table to its first input", "target 3", "clicks to", "measured"),
    Claim("first_view", "words on the way there", "target 350", "words on the way", "measured"),
    Claim("personas", "clicks from an own table to its report", "", "own table, to the report", "clicks"),
    Claim("app", "start to the first screen", "target 5", "start to", "seconds", "s"),
    Claim("clusters_page", "a lasso of 5,000 points", "target 1", "a lasso", "median", "s"),
    Claim("map_in_browser", "hover over 50,000 inputs", "a frame: 16.7", "hover on the page", "median", "ms"),
    Claim(
        "map_libraries",
        "lasso over 200,000 inputs by Plotly",
        "regl-scatterplot",
        "Plotly, today's map|200,000",
        "lasso, ms",
        "ms",
        "regl-scatterplot|200,000",
    ),
    Claim(
        "surface_libraries",
        "one more of 2,000 answers waiting",
        "target 1",
        "one more is kept",
        "median ms (target 1)",
        "ms",
    ),
    Claim(
        "turns", "clusters of 200,000, longest without a turn", "", "clusters|200,000", "longest without a turn", "s"
    ),
    Claim("forecasts", "forecast of DSA's seconds over what it took", "exact: 1", "dsa of 60,000", "said / taken"),
    Claim("papers", "a paper's ranking beside the true order, Spearman's", "chance: 0", "Ranking models", "here"),
    Claim("billion", "coverage at a billion inputs", "95% promised", "1,000,000,000", "coverage"),
)
"""In the order of the product: selection, models, estimates, labeling, size."""


def claims(sections: dict[str, str]) -> str:
    """The table of all claims whose section is there, each with the command that measures it again."""
    rows = [row_of(claim, sections[claim.benchmark]) for claim in CLAIMS if claim.benchmark in sections]
    return "\n".join(["| what | beside what | measured | command |", "|---|---|---|---|", *rows])


def row_of(claim: Claim, section: str) -> str:
    """One claim as a row."""
    measured = f"{cell(section, claim.row, claim.column)} {claim.unit}".strip()
    beside = claim.beside
    if claim.other:
        beside += f": {cell(section, claim.other, claim.column)} {claim.unit}".rstrip()
    return f"| {claim.what} | {beside} | {measured} | `python -m benchmarks {claim.benchmark}` |"


def cell(section: str, row: str, column: str) -> str:
    """What stands in the first table that has both; a section without them is a ``LookupError``."""
    head: list[str] = []
    for line in section.splitlines():
        cells = [one.strip() for one in line.removeprefix("|").removesuffix("|").split("|")] if line[:1] == "|" else []
        if not cells:
            head = []
        elif not head:
            head = cells
        elif column in head and set(line) - set("|-: ") and is_meant(row, cells, head):
            return cells[head.index(column)]
    raise LookupError(f"The section has no row {row!r} under {column!r}.")


def is_meant(row: str, cells: list[str], head: list[str]) -> bool:
    """Whether a row, or the head above it, begins so."""
    if row and head[0].startswith(row):
        return True
    return all(map(str.startswith, cells, row.split("|")))
