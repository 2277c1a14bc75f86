"""Models are switched off and on in all charts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.pages import Printed
    from tests.browser.window import Window

pytestmark = pytest.mark.slow


def traces(window: Window, model: str) -> dict[str, int]:
    """Count in each figure what has the colour of a model, and the words that name it."""
    counts: dict[str, int] = window.page.evaluate(
        """(model) => {
          const box = [...document.querySelectorAll("[data-model]")].find((x) => x.value === model);
          const ink = getComputedStyle(box.parentElement.querySelector(".swatch")).color;
          const isTrace = (x) => x.textContent === model
            || [getComputedStyle(x).fill, getComputedStyle(x).stroke].includes(ink);
          return Object.fromEntries([...document.querySelectorAll("figure")].map((figure) => [
            figure.id,
            [...figure.querySelectorAll("svg :is(path, line, text)")].filter(isTrace).length,
          ]));
        }""",
        model,
    )
    return counts


def ranked(window: Window) -> list[str]:
    window.open_all()
    return window.page.locator("#ranking tbody th").all_text_contents()


def switch(window: Window, model: str, *, on: bool) -> None:
    window.page.locator(f'[data-model][value="{model}"]').set_checked(on)
    window.settle()


def test_a_model_is_switched_off_in_all_charts_and_on_again(window: Window) -> None:
    before, rows = traces(window, "naive_bayes"), ranked(window)
    others = traces(window, "boosting")
    assert min(before.values()) > 0, before
    switch(window, "naive_bayes", on=False)
    assert set(traces(window, "naive_bayes").values()) == {0}, traces(window, "naive_bayes")
    stay = traces(window, "boosting")
    assert {name for name in others if others[name] and not stay[name]} == set()
    assert ranked(window) == [name for name in rows if name != "naive_bayes"]
    switch(window, "naive_bayes", on=True)
    assert traces(window, "naive_bayes") == before
    assert ranked(window) == rows


def test_all_models_may_be_switched_off(window: Window, crash: Printed) -> None:
    for model in crash.evaluation.models:
        switch(window, model, on=False)
    assert sorted(ranked(window)) == ["event rate", "treat all", "treat none"]
    assert [said for said in window.said if not said.startswith("warning")] == []


def test_classes_have_the_same_switches(ordinal_window: Window) -> None:
    before = traces(ordinal_window, "flatter")
    assert sum(count > 0 for count in before.values()) >= 5, before
    switch(ordinal_window, "flatter", on=False)
    after = traces(ordinal_window, "flatter")
    assert set(after.values()) == {0}, after
    assert [said for said in ordinal_window.said if not said.startswith("warning")] == []
