"""The page printed from an evaluation."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import pytest
from tests.laws.subjects import SUBJECTS

from properly import Evaluation, evaluate, report

if TYPE_CHECKING:
    from properly.rules import BinaryRule

HOSTILE = "</script><img src=x onerror=alert(1)>--><b>&"


class Tags(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def evaluation() -> Evaluation:
    models = {HOSTILE: [0.1, 0.0, 0.9, 0.4], "plain": [0.2, 0.3, 0.9, 0.1]}
    return evaluate([0, 1, 1, 0], models, task="binary")


def read(path: Path) -> Tags:
    page = Tags()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def test_names_of_models_are_text(evaluation: Evaluation, tmp_path: Path) -> None:
    page = read(report.write(tmp_path / "report.html", evaluation))
    assert not {"script", "img", "b"} & set(page.tags)
    assert page.text.count(HOSTILE) == 3  # two tables and the caption of a picture


def test_the_page_shows_the_scores(evaluation: Evaluation, tmp_path: Path) -> None:
    page = read(report.write(str(tmp_path / "report.html"), evaluation))
    assert f"{evaluation.decompositions['plain']['brier'].score:.5f}" in page.text
    assert "∞: a forecast that was certain turned out wrong." in page.text
    assert page.tags.count("svg") == 2


def test_the_page_shows_what_needs_no_model(evaluation: Evaluation, tmp_path: Path) -> None:
    page = read(report.write(tmp_path / "report.html", evaluation))
    for name, found in evaluation.baselines.items():
        assert page.text.count(name) >= 2  # a row in each of two tables
        assert f"{found['brier'].skill:.5f}" in page.text


def test_what_has_no_value_is_said_to_have_none(tmp_path: Path) -> None:
    alike = evaluate([0, 0], [0.0, 0.0])  # the event rate never errs, nor does the model
    page = read(report.write(tmp_path / "report.html", alike))
    assert "not defined" in page.text


def test_the_same_evaluation_gives_the_same_bytes(evaluation: Evaluation, tmp_path: Path) -> None:
    first, second = (report.write(tmp_path / name, evaluation) for name in ("a.html", "b.html"))
    assert first.read_bytes() == second.read_bytes()


def test_the_page_asks_nothing_of_the_network(evaluation: Evaluation, tmp_path: Path) -> None:
    text = report.write(tmp_path / "report.html", evaluation).read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not {"link", "script", "iframe"} & set(read(tmp_path / "report.html").tags)


def test_a_page_that_fails_leaves_the_old_one_and_no_debris(
    evaluation: Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        report.write(path, evaluation)
    assert [(p.name, p.read_text(encoding="utf-8")) for p in tmp_path.iterdir()] == [
        ("report.html", "old")
    ]


@pytest.mark.parametrize("rule", [subject.rule for subject in SUBJECTS], ids=repr)
def test_a_page_can_be_printed_for_every_rule(rule: BinaryRule, tmp_path: Path) -> None:
    e = evaluate([0, 1], {"model": [0.2, 0.7]}, rules=rule)
    page = read(report.write(tmp_path / "report.html", e))
    assert f"{e.decompositions['model'][rule.name].score:.5f}" in page.text


def test_the_page_does_not_depend_on_the_style_of_its_writer(
    evaluation: Evaluation, tmp_path: Path
) -> None:
    plain = report.write(tmp_path / "plain.html", evaluation)
    with mpl.rc_context({"font.size": 20, "axes.grid": True}):
        styled = report.write(tmp_path / "styled.html", evaluation)
    assert plain.read_bytes() == styled.read_bytes()


def test_a_link_is_followed_and_odd_names_are_written(tmp_path: Path) -> None:
    real, link = tmp_path / "real.html", tmp_path / "link.html"
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    report.write(link, evaluate([0, 1], {"\ud800\u202e": [0.2, 0.7]}))
    assert link.is_symlink()
    assert "ud800" in real.read_text(encoding="utf-8")
