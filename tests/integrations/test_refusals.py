"""What frameworks bring and is refused, word for word, from the transcripts beside this file.

``python -m tests.messages.transcripts ../integrations/torch.txt`` writes down what is said now.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.messages.transcripts import Said, read, words

NEEDS = {
    "boosting": (),
    "keras": (os.environ.setdefault("KERAS_BACKEND", "torch"), "keras"),
    "lightgbm": ("lightgbm",),
    "lightning": ("torch", "lightning"),
    "mlflow": ("mlflow", "sklearn"),
    "sklearn": ("sklearn",),
    "torch": ("torch", "torchmetrics"),
    "xgboost": ("xgboost",),
}
SAID = [said for name in NEEDS for said in read(f"../integrations/{name}.txt") if said.words]


# Frameworks warn before they ask us.
@pytest.mark.filterwarnings(
    "ignore:The ``compute`` method of metric:UserWarning",
    "ignore:The inplace keyword in DataFrame.drop is deprecated",
    "ignore:__array__ implementation:DeprecationWarning",
)
@pytest.mark.parametrize("said", SAID, ids=repr)
def test_a_refusal_is_word_for_word(said: Said) -> None:
    for library in NEEDS[Path(said.file).stem]:
        pytest.importorskip(
            library, reason=f"{library} is not installed; `make test-integrations` installs it"
        )
    assert words(said) == [said.words]
