"""Hundreds of damaged and dangerous files: each is opened as it is or refused in a sentence, and none has an effect outside."""

import resource
from pathlib import Path

import pytest

from testimate.core.errors import TestimateError
from testimate.datasets.open import open_dataset_file
from tests.models.damage import malicious_files

DAMAGED, CARRYING = 400, 47
MODELS = (".onnx", ".pt", ".safetensors", ".keras", ".h5")


@pytest.mark.slow  # test_malicious_files.py and the files beside it try one of each kind
def test_no_damaged_or_dangerous_file_has_an_effect_outside_or_fails_without_a_sentence(
    warm, tmp_path, keras_files, canary
):
    sound, tried = tmp_path / "sound", tmp_path / "tried"
    sound.mkdir()
    tried.mkdir()
    opened, sentences = 0, []
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name, content in malicious_files(sound, keras_files, canary, DAMAGED, seed=1):
        path: Path = tried / name.replace("/", "-")
        path.write_bytes(content)
        before = sorted(tmp_path.rglob("*"))
        try:
            if path.suffix in MODELS:
                warm.open(path)
            else:
                dataset = open_dataset_file(path).dataset
                for row in range(min(3, len(dataset))):
                    dataset.show(row)
            opened += 1
        except TestimateError as error:
            sentences.append(str(error))
        except Exception as error:
            raise AssertionError(f"{name} ended in {error!r}") from error
        assert not canary.exists(), name
        assert sorted(tmp_path.rglob("*")) == before, name
        assert path.read_bytes() == content, name
        path.unlink()
    assert opened + len(sentences) == DAMAGED + CARRYING
    assert len(sentences) > CARRYING - 8, "nearly all that carry a program"
    assert [one for one in sentences if not one.endswith((".", ")")) or "Traceback" in one] == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 2_000_000, "kilobytes"
