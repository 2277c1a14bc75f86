"""The page printed from an evaluation."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.laws.subjects import SUBJECTS

import properly
from properly import Evaluation, report
from properly.errors import DataError
from properly.report._page import embedded, page
from properly.report._score_tables import number

if TYPE_CHECKING:
    from pathlib import Path

    from properly.rules import BinaryRule

HOSTILE = "</script><img src=x onerror=alert(1)>--><b>&"


class Tags(HTMLParser):
    """Collects the tags and the text of a page, what stands in scripts apart."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[dict[str, str | None]] = []
        self.text, self.scripts = "", dict[str, str]()
        self.within = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.append(dict(attrs))
        self.within = f"{tag} {dict(attrs).get('id')}"

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self.within = ""

    def handle_data(self, data: str) -> None:
        if self.within.startswith(("script", "style")):
            self.scripts[self.within.partition(" ")[2]] = data
        else:
            self.text += data


@pytest.fixture(scope="module")
def evaluation() -> Any:
    models = {HOSTILE: [0.1, 0.0, 0.9, 0.4], "plain": [0.2, 0.3, 0.9, 0.1]}
    return properly.evaluate([0, 1, 1, 0], models, task="binary", replicates=0)


@pytest.fixture(scope="module")
def tags(evaluation: Any) -> Tags:
    return Tags(page(evaluation))


def test_names_of_models_are_text(tags: Tags) -> None:
    assert not {"img", "b"} & set(tags.tags)
    assert tags.tags.count("script") == 6
    assert tags.text.count(HOSTILE) >= 4  # two tables, a legend, the worst cases


def test_nothing_of_a_user_stands_in_a_script_but_as_an_escaped_string(evaluation: Any) -> None:
    text = page(evaluation, title=HOSTILE, cases=HOSTILE, event=HOSTILE, command=HOSTILE)
    assert HOSTILE not in text
    assert "\\u003c/script\\u003e\\u003cimg src=x" in text
    assert Tags(text).tags.count("script") == 6


def test_the_page_shows_the_scores_and_says_what_infinity_means(
    evaluation: Evaluation, tags: Tags
) -> None:
    assert f"{evaluation.decompositions['plain']['brier'].score:.4g}" in tags.text
    assert "∞: a forecast that was certain turned out wrong" in tags.text
    assert f"Cases of infinite loss: {HOSTILE}: 1." in tags.text


def test_the_verdict_stands_first(evaluation: Evaluation) -> None:
    said = properly.verdict(evaluation, cases="people", event="death")
    text = Tags(page(evaluation, cases="people", event="death")).text
    place = text.index(said.headline.replace(" %", "\N{NO-BREAK SPACE}%"))
    assert place < text.index("Scores")
    for sentence in said.sentences:
        assert sentence.text.replace(" %", "\N{NO-BREAK SPACE}%") in text


def test_the_numbers_can_be_taken_out_of_the_page(evaluation: Evaluation, tags: Tags) -> None:
    numbers = json.loads(tags.scripts["numbers"])
    assert numbers["models"] == json.loads(evaluation.to_json())["models"]
    assert numbers["version"] == properly.__version__
    assert numbers["verdict"]["headline"] == properly.verdict(evaluation).headline


def test_every_chart_has_a_place_a_title_and_words_for_the_ear(tags: Tags) -> None:
    specs = json.loads(tags.scripts["charts"])
    places = {a["id"]: a for a in tags.attributes if (a.get("id") or "").startswith("drawing-")}
    assert {f"drawing-{name}" for name in specs} == set(places)
    for attributes in places.values():
        assert attributes["role"] == "img"
        assert len(attributes["aria-label"] or "") > 20


def test_the_policy_names_every_script_and_style_by_its_hash(tags: Tags) -> None:
    policy = next(a["content"] for a in tags.attributes if "http-equiv" in a) or ""
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert len(re.findall("sha256-", policy)) == 3
    assert not {"link", "iframe", "object", "embed", "img"} & set(tags.tags)
    assert not any(
        name.startswith("on") or name in ("style", "src") for a in tags.attributes for name in a
    )


def test_the_same_evaluation_gives_the_same_bytes(evaluation: Evaluation, tmp_path: Path) -> None:
    first, second = (report.write(tmp_path / name, evaluation) for name in ("a.html", "b.html"))
    assert first.read_bytes() == second.read_bytes()


def test_an_old_page_stays_unless_it_may_be_replaced(evaluation: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(DataError, match="exists already and is not overwritten"):
        report.write(path, evaluation, overwrite=False)
    assert path.read_text(encoding="utf-8") == "old"
    assert report.write(path, evaluation) == path
    assert path.stat().st_size > 800_000


@pytest.mark.slow
@pytest.mark.parametrize("rule", [subject.rule for subject in SUBJECTS], ids=repr)
def test_a_page_can_be_printed_for_every_rule(rule: BinaryRule) -> None:
    e = properly.evaluate([0, 1, 1, 0], [0.2, 0.7, 0.6, 0.6], rules=rule, replicates=0)
    numbers = json.loads(Tags(page(e)).scripts["numbers"])
    assert (
        numbers["models"]["forecast"][rule.name]["score"]
        == e.to_dict()["models"]["forecast"][rule.name]["score"]
    )


def test_a_command_and_code_are_shown_as_they_were_given(evaluation: Any) -> None:
    tags = Tags(
        page(evaluation, command="properly report a.csv", python="import properly\nx = 5 % 3")
    )
    assert "properly report a.csv" in tags.text
    assert "import properly\nx = 5 % 3" in tags.text


def test_what_steers_a_page_is_shown_and_not_obeyed() -> None:
    names = ("\x00\x1b[2J", "\u202eright to left", "\ud800", "two\nlines")
    p = [0.2, 0.7, 0.4]
    text = page(properly.evaluate([0, 1, 0], dict.fromkeys(names, p), replicates=0))
    assert not set("\x00\x1b\u202e\ud800") & set(text)
    for shown in ("\\x00\\x1b[2J", "\\u202eright to left", "\\ud800", "two\\nlines"):
        assert shown in Tags(text).text


def test_embedded_json_is_the_same_json() -> None:
    x = {"a": ["<&>", "\u2028", 'say "no"', 1.5, None, True], "</script>": {}}
    text = embedded(x)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {
        "a": ["<&>", "\\u2028", 'say "no"', 1.5, None, True],
        "</script>": {},
    }


@pytest.fixture(scope="module", params=[12, 40])
def crowd(request: pytest.FixtureRequest) -> Any:
    rng = np.random.default_rng(2)
    p = rng.random(2000)
    y = rng.random(2000) < p
    models = {
        f"model {k}": np.clip(p + 0.02 * k * rng.normal(size=2000), 0.001, 0.999)
        for k in range(request.param)
    }
    return properly.evaluate(y, models, task="binary", replicates=0, rng=1, groups=y ^ (p > 0.5))


@pytest.mark.slow
def test_of_many_models_the_best_are_drawn_and_all_are_tabled(crowd: Any) -> None:
    text = page(crowd)
    assert len(text.encode()) < 2_000_000
    tags = Tags(text)
    specs = json.loads(tags.scripts["charts"])
    drawn = [f"model {k}" for k in range(8)]
    assert all(
        next(x for x in spec["params"] if x["name"] == "shown")["value"] == drawn
        for spec in specs.values()
    )
    boxes = [a["value"] for a in tags.attributes if "data-model" in a]
    assert boxes == drawn
    assert f"tables have all {len(crowd.models)}" in tags.text
    numbers = json.loads(tags.scripts["numbers"])
    assert list(numbers["models"]) == list(crowd.models)
    assert list(numbers["comparisons"]) == (["brier"] if len(crowd.models) == 12 else [])


def test_the_legend_knows_models_by_the_names_that_charts_have() -> None:
    models = {"two\nlines": [0.2, 0.7, 0.4], "no\xa0break": [0.3, 0.7, 0.4]}
    e = properly.evaluate([0, 1, 0], models, replicates=0)
    tags = Tags(page(e))
    shown = json.loads(tags.scripts["charts"])["regret"]["params"][0]["value"]
    assert [a["value"] for a in tags.attributes if "data-model" in a] == shown


@pytest.fixture(scope="module")
def clinical() -> Any:
    rng = np.random.default_rng(3)
    p = np.round(rng.random(300), 3)
    y = rng.random(300) < p
    models = {"free": np.clip(p, 0.01, 0.99), "sure": np.where(p > 0.9, 1.0, p)}
    clusters = np.arange(300) // 3
    return properly.evaluate(y, models, clusters=clusters, task="binary", replicates=19, rng=1)


@pytest.mark.slow
def test_parts_stand_beside_what_is_left_of_them_without_their_bias(clinical: Any) -> None:
    text = Tags(page(clinical)).text
    intervals = clinical.decompositions["free"]["brier"].intervals
    # Of clusters no test takes part, and the lower end would say nothing.
    low, high = intervals.discrimination
    assert f"{number(intervals.corrected_miscalibration)}at most " in text
    assert f"{number(intervals.corrected_discrimination)}{number(low)} to " in text
    raw = clinical.decompositions["free"]["brier"].discrimination
    assert f"{number(high)}; uncorrected {number(raw)}" in text
    independent = properly.evaluate([0, 1] * 30, [0.3, 0.6] * 30, replicates=19, rng=1)
    assert "at most 0" not in Tags(page(independent)).text
    assert high > low


def test_clinical_numbers_have_intervals_or_a_reason(clinical: Any) -> None:
    text = Tags(page(clinical)).text
    free, sure = (clinical.calibration[name] for name in ("free", "sure"))
    low, high = free.slope.interval
    assert f"{number(free.slope.value)}{number(low)} to {number(high)}" in text
    low, high = sure.slope.interval
    without = f"without {sure.certain} forecasts of 0 or 1"
    assert f"{number(sure.slope.value)}{number(low)} to {number(high)}; {without}" in text
    assert f"{number(free.ici.mean_if_calibrated)} if calibrated" in text
    assert "score test" in text


FEW, MANY = 10_000, 200_000


def printed(cases: int, kind: str) -> str:
    rng = np.random.default_rng(5)
    z = rng.normal(-2.5, 1.1, cases)
    columns: dict[str, Any] = {"replicates": 19}
    if kind == "clusters":
        columns = {"replicates": 0, "clusters": np.arange(cases) // 10}
    y = rng.random(cases) < 1 / (1 + np.exp(-z))
    sharp, steep, vague = (
        1 / (1 + np.exp(-slope * z - noise * rng.normal(size=cases)))
        for slope, noise in ((1, 0.2), (1.4, 0.3), (1, 0.8))
    )
    models = {"sharp": sharp, "steep": steep, "rounded": np.round(vague, 2)}
    e = properly.evaluate(y, models, within=(0.02, 0.2), rng=1, **columns)
    return page(e)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["independent", "clusters"])
def test_many_cases_make_a_page_as_light_as_few(kind: str) -> None:
    few, many = printed(FEW, kind), printed(MANY, kind)
    assert len(many) <= 1.1 * len(few)
    charts = [
        {name: len(json.dumps(spec)) for name, spec in json.loads(found[1]).items()}
        for text in (few, many)
        if (found := re.search(r'id="charts">(.*?)</script>', text, re.DOTALL))
    ]
    assert charts[0].keys() == charts[1].keys()
    for name, size in charts[1].items():
        assert size <= 2 * charts[0][name], name


@pytest.mark.parametrize("task", ["multiclass", "ordinal"])
def test_names_of_models_and_classes_are_text_on_a_page_of_classes(task: Any) -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet([1, 1, 1], 60)
    labels, y = ["<i>none</i>", "some", "all"], [rng.choice(3, p=row) for row in p]
    models = {HOSTILE: p, "even": np.full((60, 3), 1 / 3)}
    tags = Tags(page(properly.evaluate(y, models, labels=labels, task=task, replicates=0)))
    assert not {"img", "b", "i"} & set(tags.tags)
    assert all(name in tags.text for name in (HOSTILE, labels[0]))
    assert ("quadratic kappa" in tags.text) == (task == "ordinal")
