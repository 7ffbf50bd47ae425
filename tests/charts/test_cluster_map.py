"""The map: every point carries its row, noise lies underneath, crowds are thinned and lone points kept."""

import numpy as np
import plotly.graph_objects as go
import pytest

from testimate.charts.cluster_map import (
    LONGEST_NAME,
    MOST_IN_VIEW,
    MOST_PICTURES,
    Coloring,
    MapMarks,
    MapView,
    cluster_map,
    pictured_rows,
    placed_names,
    thinned,
)
from testimate.charts.palette import FAILED, RIGHT, UNLABELED, shades
from testimate.core.errors import BadInput

RNG = np.random.default_rng(11)
POINTS = RNG.normal(size=(400, 2)).astype(np.float32)
CLUSTERS = RNG.integers(-1, 12, size=400)


def rows_of(figure: go.Figure) -> dict[str, list[int]]:
    return {one.name: np.asarray(one.customdata).tolist() for one in figure.data if one.type == "scattergl"}


def test_every_point_is_drawn_once_at_its_place_with_its_row():
    rows = np.arange(400) * 3 + 7
    figure = cluster_map(POINTS, Coloring("cluster", CLUSTERS), dark=False, rows=rows)
    found = np.concatenate([np.asarray(one.customdata) for one in figure.data])
    assert sorted(found) == rows.tolist()
    for one in figure.data:
        np.testing.assert_array_equal(one.x, POINTS[(np.asarray(one.customdata) - 7) // 3, 0])
        np.testing.assert_array_equal(one.y, POINTS[(np.asarray(one.customdata) - 7) // 3, 1])


def test_points_are_drawn_with_webgl():
    assert {one.type for one in cluster_map(POINTS, Coloring("cluster", CLUSTERS), dark=False).data} == {"scattergl"}


def test_each_cluster_holds_its_members_and_noise_is_gray_and_underneath():
    figure = cluster_map(POINTS, Coloring("cluster", CLUSTERS), dark=True)
    rows = rows_of(figure)
    assert figure.data[0].name == "minority space"
    assert figure.data[0].marker.color == shades(True).noise
    assert rows["minority space"] == np.flatnonzero(CLUSTERS == -1).tolist()
    for label in range(12):
        assert rows[f"cluster {label + 1}"] == np.flatnonzero(np.equal(CLUSTERS, label)).tolist()


def test_no_two_clusters_share_color_and_symbol_and_the_legend_counts_upwards():
    figure = cluster_map(POINTS, Coloring("cluster", CLUSTERS), dark=False)
    assert len({(one.marker.color, one.marker.symbol) for one in figure.data}) == 13
    ordered = sorted(figure.data, key=lambda one: one.legendrank)
    assert [one.name for one in ordered] == [*(f"cluster {label + 1}" for label in range(12)), "minority space"]


def test_failed_right_and_unlabeled_have_their_colors_and_shapes_and_failed_lies_on_top():
    figure = cluster_map(POINTS[:4], Coloring("failed", [1.0, 0.0, None, 0.5]), dark=False)
    assert [one.name for one in figure.data] == ["unlabeled", "right", "failed"]
    assert [one.marker.color for one in figure.data] == [UNLABELED, RIGHT, FAILED]
    assert figure.data[2].marker.symbol != figure.data[1].marker.symbol
    assert rows_of(figure) == {"unlabeled": [2], "right": [1], "failed": [0, 3]}


def test_confidence_is_a_scale_in_percent_and_the_unsure_are_larger_and_on_top():
    figure = cluster_map(POINTS[:4], Coloring("confidence", [0.9, 0.4, None, 1.0]), dark=False)
    assert rows_of(figure) == {"confidence unknown": [2], "inputs": [3, 0, 1]}
    np.testing.assert_allclose(figure.data[1].marker.color, [100, 90, 40])
    assert np.all(np.diff(figure.data[1].marker.size) > 0)
    assert "%" in figure.data[1].marker.colorbar.title.text


def test_class_names_are_escaped_in_legend_and_hover():
    figure = cluster_map(
        POINTS[:2], Coloring("predicted class", [0, 1], ["<b>", "a&b"]), dark=False, hover=["<a href='x'>", "fine"]
    )
    assert {one.name for one in figure.data} == {"&lt;b&gt;", "a&amp;b"}
    assert {text for one in figure.data for text in one.text} == {"&lt;a href='x'&gt;", "fine"}


def test_beyond_sixty_classes_the_rarest_are_drawn_as_one():
    labels = np.concatenate([np.arange(100), np.arange(60)])  # the first 60 classes twice
    points = np.random.default_rng(3).normal(size=(160, 2))
    figure = cluster_map(points, Coloring("predicted class", labels, [f"c{k}" for k in range(100)]), dark=False)
    assert len(figure.data) == 61
    assert rows_of(figure)["40 other classes"] == list(range(60, 100))


def test_above_the_limit_exactly_that_many_points_are_drawn_and_the_shading_counts_all():
    points = np.random.default_rng(1).normal(size=(25_000, 2))
    figure = cluster_map(points, Coloring("cluster", np.zeros(25_000)), dark=False)
    assert sum(len(one.x) for one in figure.data if one.type == "scattergl") == 20_000
    shading = figure.data[0]
    assert shading.type == "heatmap"
    assert np.nansum(np.expm1(np.asarray(shading.z, dtype=float))) == pytest.approx(25_000, rel=1e-5)
    assert "20,000 of 25,000 inputs" in figure.layout.annotations[0].text


def test_up_to_the_limit_nothing_is_thinned():
    figure = cluster_map(POINTS, Coloring("cluster", CLUSTERS), dark=False, limit=400)
    assert sum(len(one.x) for one in figure.data) == 400
    assert not figure.layout.annotations


def test_thinning_takes_from_the_crowd_and_leaves_the_lone_points():
    crowd = np.zeros((5_000, 2)) + np.random.default_rng(2).normal(scale=1e-3, size=(5_000, 2))
    lone = np.array([[10.0, 10.0], [-10.0, 4.0], [3.0, -9.0]])
    kept = thinned(np.concatenate([crowd, lone]), 50)
    assert len(kept) == 50
    assert {5_000, 5_001, 5_002} <= set(kept.tolist())
    np.testing.assert_array_equal(kept, thinned(np.concatenate([crowd, lone]), 50))


def test_labeled_and_failed_inputs_survive_the_thinning():
    loss = np.full(400, np.nan)
    loss[[3, 141, 399]] = [1, 0, 1]
    rows = rows_of(cluster_map(POINTS * 0, Coloring("failed", loss), dark=False, limit=5))
    assert rows["failed"] == [3, 399]
    assert rows["right"] == [141]
    assert len(rows["unlabeled"]) == 2


def test_an_auxiliary_variable_is_a_scale_on_which_large_values_stand_out_and_a_far_one_spoils_nothing():
    values = np.append(np.linspace(0, 1, 399), 1e6)
    figure = cluster_map(POINTS, Coloring("auxiliary variable", values, variable="<b>lsa</b>"), dark=False)
    [points] = figure.data
    np.testing.assert_array_equal(points.customdata, np.arange(400))  # the largest lie on top
    assert np.all(np.diff(points.marker.size) >= 0)
    assert points.marker.cmax < 2
    assert points.marker.colorbar.title.text == "&lt;b&gt;lsa&lt;/b&gt; (no unit)"


def test_outside_the_focus_points_are_faded_and_none_of_the_focus_is_thinned_away():
    focus = np.zeros(400, dtype=bool)
    focus[[2, 3, 200]] = True
    for color_by, values in (("cluster", CLUSTERS), ("confidence", np.linspace(0, 1, 400))):
        figure = cluster_map(POINTS * 0, Coloring(color_by, values), dark=False, focus=focus, limit=5)
        drawn = {
            int(row): float(opacity)
            for one in figure.data
            if one.type == "scattergl"
            for row, opacity in zip(one.customdata, one.marker.opacity, strict=True)
        }
        assert len(drawn) == 5
        assert {row for row, opacity in drawn.items() if opacity > 0.5} == {2, 3, 200}
        assert max(opacity for row, opacity in drawn.items() if not focus[row]) < 0.1


def test_a_map_whose_page_shows_the_pictures_has_no_labels_of_its_own_but_still_takes_the_pointer():
    figure = cluster_map(POINTS, Coloring("cluster", CLUSTERS), dark=False, pictured=True, hover=["x"] * 400)
    assert {one.hoverinfo for one in figure.data} == {"none"}  # "skip" would take no pointer
    assert {one.text for one in figure.data} == {None}


def test_groups_that_are_no_clusters_are_not_called_so():
    figure = cluster_map(POINTS, Coloring("cluster", CLUSTERS, called="k-means group"), dark=False)
    assert {one.name for one in figure.data} == {"minority space", *(f"k-means group {k + 1}" for k in range(12))}


def test_faults_have_a_frame_in_every_coloring_and_stay_where_points_are_thinned():
    for color_by, values in (("cluster", CLUSTERS), ("confidence", np.linspace(0, 1, 400))):
        plain = cluster_map(POINTS, Coloring(color_by, values), dark=False)
        framed = cluster_map(POINTS, Coloring(color_by, values), dark=False, limit=50, marks=MapMarks(faults=[7, 399]))
        assert "faults found" not in rows_of(plain)
        assert rows_of(framed)["faults found"] == [7, 399]
        frame = next(one for one in framed.data if one.name == "faults found")
        np.testing.assert_allclose(np.stack([frame.x, frame.y], axis=1), POINTS[[7, 399]], rtol=1e-6)
        assert frame.marker.symbol == "square-open"


def test_tags_are_drawn_by_name_and_what_has_none_is_gray():
    tags = np.where(np.arange(400) < 3, 1, -1)
    tags[5] = 0
    rows = rows_of(cluster_map(POINTS, Coloring("tag", tags, ["<i>dusk", "night"]), dark=False))
    assert rows["night"] == [0, 1, 2]
    assert rows["&lt;i&gt;dusk"] == [5]
    assert len(rows["no tag"]) == 396


def test_names_stand_on_a_member_of_their_group_and_none_over_another():
    points = np.random.default_rng(3).normal(size=(900, 2))
    groups = {f"{place} name of a group": np.arange(place, 900, 30) for place in range(30)}
    found = placed_names(points, groups, height=470)
    assert 5 <= len(found) < 30  # so many names have no room
    scale = np.array([560, 470]) / np.ptp(points, axis=0)
    width = 7 * len(found[0].text)
    for place, one in enumerate(found):
        assert [one.x, one.y] in points[groups[one.text]].tolist()
        for other in found[:place]:
            across, down = np.abs(np.array([one.x - other.x, one.y - other.y]) * scale)
            assert across >= width - 8 or down >= 20
    assert placed_names(points[:0], {}, height=470) == []


def test_names_frames_and_contours_are_drawn_and_names_are_text():
    figure = cluster_map(
        POINTS,
        Coloring("cluster", CLUSTERS),
        dark=True,
        marks=MapMarks(
            faults=[3],
            labeled=[3, 5],
            chosen=[7, 8, 9],
            named={"<b>1": np.flatnonzero(CLUSTERS == 0), "x" * 80: np.flatnonzero(CLUSTERS == 1)},
            contours=True,
        ),
    )
    rows = rows_of(figure)
    assert (rows["faults found"], rows["labeled"], rows["chosen"]) == ([3], [3, 5], [7, 8, 9])
    symbols = {one.marker.symbol for one in figure.data if one.name in ("faults found", "labeled", "chosen")}
    assert len(symbols) == 3
    texts = [one.text for one in figure.layout.annotations]
    assert texts[0].startswith("&lt;b&gt;1") or texts[1].startswith("&lt;b&gt;1")
    assert max(map(len, texts)) <= LONGEST_NAME + len("&lt;&gt;")
    [density] = [one for one in figure.data if one.type == "contour"]
    assert np.isfinite(np.asarray(density.z)).all()
    assert not figure.layout.xaxis.showticklabels


def test_the_contour_lines_enclose_the_dense_place_and_not_a_lonely_point():
    points = np.concatenate([np.random.default_rng(5).normal(scale=0.1, size=(2000, 2)), [[8.0, 8.0]]])
    figure = cluster_map(points, Coloring("cluster", np.zeros(2001)), dark=False, marks=MapMarks(contours=True))
    [density] = [one for one in figure.data if one.type == "contour"]
    level, x, y = (np.asarray(getattr(density, name)) for name in ("z", "x", "y"))
    row, column = np.unravel_index(level.argmax(), level.shape)
    assert abs(x[column]) < 0.2
    assert abs(y[row]) < 0.2
    assert level[np.abs(y - 8).argmin(), np.abs(x - 8).argmin()] < density.contours.start


def test_columns_are_drawn_by_value_and_their_numbers_as_a_scale_with_the_name_of_the_column():
    values = np.where(np.arange(400) < 2, 1, -1)
    rows = rows_of(cluster_map(POINTS, Coloring("column", values, ["dry", "wet <b>"]), dark=False))
    assert rows["wet &lt;b&gt;"] == [0, 1]
    assert len(rows["no value"]) == 398
    numbers = np.append(np.arange(399.0), np.nan)
    figure = cluster_map(POINTS, Coloring("number", numbers, variable="age <i>"), dark=True)
    assert figure.data[-1].marker.colorbar.title.text == "age &lt;i&gt;"
    assert rows_of(figure)["age &lt;i&gt; unknown"] == [399]
    with pytest.raises(BadInput, match="A value has place 2 and 2 names were given"):
        cluster_map(POINTS[:1], Coloring("column", [2], ["dry", "wet"]), dark=False)


def test_a_map_has_neither_numbers_nor_lines_that_would_mean_nothing():
    layout = cluster_map(POINTS, Coloring("cluster", CLUSTERS), dark=False).layout
    for axis in (layout.xaxis, layout.yaxis):
        assert (axis.showgrid, axis.showticklabels, axis.zeroline) == (False, False, False)


def test_pictures_in_view_have_room_beside_each_other_and_faults_come_first():
    points = np.random.default_rng(9).uniform(0, 10, size=(900, 2))
    view = MapView(left=2, right=8, bottom=1, top=9, width=600, height=400)
    faults = np.array([17, 44, 801])
    rows = pictured_rows(points, view, side=30, first=faults)
    inside = (points[:, 0] >= 2) & (points[:, 0] <= 8) & (points[:, 1] >= 1) & (points[:, 1] <= 9)
    assert 100 < len(rows) <= MOST_PICTURES
    assert inside[rows].all()
    pixels = points[rows] * [100, 50]
    apart = np.abs(pixels[:, None] - pixels).max(axis=2)
    assert apart[~np.eye(len(rows), dtype=bool)].min() >= 30
    assert set(faults[inside[faults]]) <= set(rows.tolist())
    everything = np.random.default_rng(9).uniform(2, 8, size=(MOST_IN_VIEW + 1, 2))
    assert len(pictured_rows(everything, view, side=30)) == 0  # too many for pictures to say what they are
    assert pictured_rows(points[:0], view, side=30).tolist() == []
