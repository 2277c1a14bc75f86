"""Tables for a terminal, in text, and for a notebook."""

from __future__ import annotations

import math
from html.parser import HTMLParser

from properly._boundary._text import scores_as_html, table, table_of_numbers


def test_the_first_column_is_to_the_left_and_the_others_to_the_right() -> None:
    found = table(["name", "a", "long"], [["x", "1.25", "2"], ["a name", "3", ""]])
    assert found.split("\n") == [
        "name       a  long",
        "x       1.25     2",
        "a name     3",
    ]


def test_as_many_columns_as_one_likes_are_to_the_left() -> None:
    rows = [["1", "bb", "c"]]
    assert table(["aa", "b", "cc"], rows, left=0) == "aa   b  cc\n 1  bb   c"
    assert table(["aa", "b", "cc"], rows, left=3) == "aa  b   cc\n1   bb  c"


def test_no_cell_is_obeyed() -> None:
    assert table(["a", "b"], [["\x1b[2J", "1\n2"]]) == "a           b\n\\x1b[2J  1\\n2"


def test_numbers_have_five_decimals_and_what_does_not_exist_is_a_dash() -> None:
    rows = [("x", (0.125, math.nan)), ("a model", (-123456.5, math.inf))]
    assert table_of_numbers("rule", ["score", "miscalibration"], rows, 9).split("\n") == [
        "rule               score  miscalibration",
        "x                0.12500               -",
        "a model    -123456.50000             inf",
    ]


HOSTILE = "</th><script>alert('1')</script>\"\x1b[31m\n\u202e{{7*7}}&amp;\ud800"

HEAD = ("model", "score", HOSTILE)

TABLES = [("brier", [("good", "0.1", "-"), (HOSTILE, "0.2", "∞")]), ("log", [("good", "1", "2")])]


class Outline(HTMLParser):
    """Where tags begin and end, and what is between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.append((tag, dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        tag, attributes, before = self.seen[-1]
        self.seen[-1] = (tag, attributes, before + data)

    def texts(self, tag: str, **wanted: str) -> list[str]:
        return [
            text
            for name, attributes, text in self.seen
            if name == tag and wanted.items() <= attributes.items()
        ]


def test_every_cell_has_its_place_and_every_header_says_what_it_heads() -> None:
    found = Outline(scores_as_html("2 cases", HEAD, TABLES))
    assert found.open == []
    assert found.texts("p") == ["2 cases"]
    assert found.texts("caption") == ["brier", "log"]
    shown = repr(HOSTILE)[1:-1]
    assert found.texts("th", scope="col") == ["model", "score", shown] * 2
    assert found.texts("th", scope="row") == ["good", shown, "good"]
    assert found.texts("td") == ["0.1", "-", "0.2", "∞", "1", "2"]
    assert len(found.texts("th")) == 9


def test_what_is_handed_in_stays_text() -> None:
    text = scores_as_html(HOSTILE, [HOSTILE] * 2, [(HOSTILE, [[HOSTILE, HOSTILE]])])
    tags = {tag for tag, _, _ in Outline(text).seen}
    assert tags == {"div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert text.isprintable()
    text.encode("utf-8")
