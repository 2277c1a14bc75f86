"""The forecasts of injuries that two papers are tried on."""

from __future__ import annotations

import numpy as np
import pytest
from reproductions.grades.forecasts import severity, severity_cases

from properly.datasets import crash


def test_injuries_are_those_that_are_known() -> None:
    data, found = crash(), severity()
    known = data.severity >= 0
    assert len(found.y) == 8746 == int(known.sum())
    assert found.y.tolist() == data.severity[known].tolist()
    assert (found.p == data.severity_probabilities[known]).all()
    assert found.clusters is not None
    assert found.clusters.tolist() == data.cluster[known].tolist()
    assert found.accuracy == pytest.approx(0.42694, abs=5e-6)


def test_cases_have_labels_and_accidents() -> None:
    found, cases = severity(), severity_cases()
    assert cases.labels == crash().severity_labels
    assert (np.asarray(cases.y) == found.y).all()
    assert (np.asarray(cases.clusters) == found.clusters).all()
