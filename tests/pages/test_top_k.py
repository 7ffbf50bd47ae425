"""How many of the first classes count, chosen on Plan: another subject of the same model and data, run only once."""

import time

import numpy as np
from sklearn.metrics import top_k_accuracy_score

from testimate.project.project import Project
from tests.own_files import described


def test_another_count_of_classes_on_plan_is_another_subject_of_the_same_model(opened, project, own, monkeypatch):
    subject = project.add_uploaded(described(own.model, own.dataset))
    project.inputs(subject.key)
    monkeypatch.setattr("testimate.feature_cache.cache.fill", None)  # running the model again would fail
    page = opened("plan", subject=subject.key)
    for _ in range(600):  # until the page's own project has read what is known
        if field := [one for one in page.number_input if one.label == "Right if the class is among the first"]:
            break
        time.sleep(0.05)  # another thread reads it; AppTest runs no timers that would draw the page again
        page.run()
    page = field[0].set_value(2).run()
    assert not page.exception
    key = page.query_params["subject"]
    key = key if isinstance(key, str) else key[0]
    assert key != subject.key
    again = Project(project.folder)  # from what is stored
    assert 1 - again.inputs(key).losses.mean() == top_k_accuracy_score(own.y, own.probabilities(own.x), k=2)
    assert np.mean(1 - again.inputs(subject.key).losses) == 0.8
