"""Plan where inputs belong together: how wide the interval of drawn groups will be, by how alike they are supposed to fail."""

from tests.pages.test_plan_and_results import field, said

TABLE = "prediction,confidence,patient\n" + "".join(
    f"{'ab'[row % 2]},{0.6 + 0.39 * (row * 7 % 11) / 11:.3f},p{row // 5}\n" for row in range(600)
)


def test_the_width_of_drawn_groups_follows_what_is_supposed_of_them(opened, project):
    from testimate.subjects.table_choices import TableChoices

    key = project.add_table("visits.csv", TABLE.encode(), choices=TableChoices(columns=(("group", "patient"),))).key
    plan = opened("plan", subject=key, technique="srs-groups", labels="200", seed="1")
    assert not plan.exception
    alike = field(plan, "number_input", "Suppose inputs of one group fail alike (%)")
    before = said(plan)
    assert "points after 200 labels. ±" in before
    alike.set_value(90).run()
    after = said(plan)
    wide, wider = (float(words.split(" points after 200 labels")[0].rpartition("±")[2]) for words in (before, after))
    assert wider > 1.2 * wide
