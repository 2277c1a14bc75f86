"""Small mistakes are made where they matter, and the tests that notice them are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies.mutants.mutations import mutants_of
from studies.mutants.run import PACKAGES, equivalents, wilson

ROOT = Path(__file__).resolve().parents[2]


def test_every_equivalent_is_a_mutant_of_a_line_that_stands() -> None:
    known = equivalents()
    assert all(len(reason.split()) > 3 for reason in known.values())
    for module in {module for module, _, _ in known}:
        assert module.split(".")[1] in PACKAGES
        path = "src/" + module.replace(".", "/") + ".py"
        found = {(x.text, x.change) for x in mutants_of(path, (ROOT / path).read_bytes())}
        missing = {key[1:] for key in known if key[0] == module} - found
        assert not missing, f"{module} has no such line, or no such mutation: {missing}"


def test_wilsons_interval_is_that_of_his_paper() -> None:
    from statsmodels.stats.proportion import proportion_confint

    for successes, trials in ((0, 5), (5, 5), (371, 388)):
        expected = proportion_confint(successes, trials, method="wilson")
        assert wilson(successes, trials) == pytest.approx(expected, abs=1e-12)
    assert wilson(0, 0) == (0.0, 1.0)
