"""How the documentation is built: ``make docs``. Pages fetch nothing from elsewhere."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from docutils import nodes
from docutils.nodes import SkipNode
from latex2mathml.converter import convert

import properly
from properly import rules
from properly.rules import BinaryRule, ClassRule, _registry

# The documentation's scripts are not part of the package.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from studies.example_report import is_stale, write_report
from studies.stand_ins import put_up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docutils.nodes import Element
    from sphinx.application import Sphinx

# Their doors are documented whether or not the frameworks are installed; Keras asks for TensorFlow
# unless it is told otherwise.
os.environ.setdefault("KERAS_BACKEND", "torch")
put_up(("torch", "torchmetrics", "lightning", "keras", "xgboost", "lightgbm", "mlflow"))

project = "properly"
author = "the properly developers"
project_copyright = author
version = release = properly.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", "**.ipynb_checkpoints"]
templates_path = ["_templates"]
default_role = "autolink"

autosummary_generate = True
# A function and the class it returns differ by a capital only, which some file systems ignore.
autosummary_filename_map = {
    "properly.Tally": "properly.Tally-class",
    "properly.datasets.Crash": "properly.datasets.Crash-class",
    "properly.decisions.Confusion": "properly.decisions.Confusion-class",
    "properly.decisions.Dominance": "properly.decisions.Dominance-class",
    "properly.inference._bootstrap.Bootstrap": "properly.inference._bootstrap.Bootstrap-class",
}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath", "substitution"]
myst_heading_anchors = 3
# Notebooks are stored with what they printed; `make verify` runs them again.
nb_execution_mode = "off"
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "pydata_sphinx_theme"
html_title = "properly"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "vs",
}
# These sections are one page each: their sidebar would be empty.
html_sidebars: dict[str, list[str]] = {"index": [], "getting-started": [], "gallery": []}


EXAMPLES = [rules.parse_rule(text) for text in _registry.EXAMPLES]


def facts_of_rules() -> str:
    """Lay out what rules say of themselves, so that the page cannot disagree with the code."""
    return laid_out([(rule, rule.range[1]) for rule in EXAMPLES if isinstance(rule, BinaryRule)])


def facts_of_class_rules() -> str:
    """Lay out what rules for several classes say of themselves."""
    of_classes = [rule for rule in EXAMPLES if isinstance(rule, ClassRule)]
    return laid_out([(rule, rule.range_for(3)[1]) for rule in of_classes])


def laid_out(examples: list[tuple[rules.Rule, float]]) -> str:
    """Write a table of rules, each with its greatest loss."""
    lines = ["| rule | propriety | losses | name in tables |", "| --- | --- | --- | --- |"]
    for rule, worst in examples:
        losses = f"0 to {worst:.4g}".replace("inf", "∞").replace(" ", "&nbsp;")
        lines.append(f"| `{rule}` | {rule.propriety.value} | {losses} | `{rule.name}` |")
    return "\n".join(lines)


def thumbnails() -> str:
    """Lay out the pictures of the gallery side by side, each leading to its lines."""
    page = (Path(__file__).parent / "gallery.md").read_text(encoding="utf-8")
    found = re.findall(
        r"^### (.+?)$.*?\((_static/gallery/\w+\.png)\)$", page, re.MULTILINE | re.DOTALL
    )
    links = [
        f'<a href="#{title.lower().replace(" ", "-")}">'
        f'<img src="{path}" alt=""><span>{title}</span></a>'
        for title, path in found
    ]
    return "\n".join(["```{raw} html", '<div class="thumbnails">', *links, "</div>", "```"])


def write_math(self: Any, node: Element) -> NoReturn:
    """Write a formula in a line as MathML, which browsers lay out without any script."""
    self.body.append(convert(node.astext()))
    raise SkipNode


def write_displayed_math(self: Any, node: Element) -> NoReturn:
    """Write a displayed formula as MathML, its lines aligned."""
    formula = node.astext().strip()
    if "&" in formula:
        formula = rf"\begin{{align*}}{formula}\end{{align*}}"
    self.body.append(f'<div class="formula">{convert(formula, display="block")}</div>')
    raise SkipNode


def leave_aliases_alone(_app: Sphinx, what: str, *_: object) -> tuple[None, None] | None:
    """Keep numpydoc from giving an alias of an array the signature of the array."""
    return (None, None) if what == "data" else None


def find_name(objects: Mapping[str, Any], code: str) -> str | None:
    """Return the documented name that code names, such as `rules.Brier()` or `tally`."""
    name = code.partition("(")[0].removeprefix("properly.")
    places = (f"properly.{name}", f"properly.rules.{name}")
    return next((place for place in places if place in objects), None)


def link_names(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Lead from names in the guides to the reference, once in each section."""
    if page.startswith("reference/"):
        return
    objects = app.env.domains.python_domain.objects
    linked = set()
    for code in list(doctree.findall(nodes.literal)):
        name = find_name(objects, code.astext())
        if name is None or isinstance(code.parent, nodes.reference | nodes.title):
            continue
        section = code.parent
        while section and not isinstance(section, nodes.section | nodes.definition_list_item):
            section = section.parent
        if (section, name) in linked:
            continue
        linked.add((section, name))
        found = objects[name]
        target = app.builder.get_relative_uri(page, found.docname)
        link = nodes.reference("", "", refuri=f"{target}#{found.node_id}", internal=True)
        code.replace_self(link)
        link += code


def ship_report(app: Sphinx, error: Exception | None) -> None:
    """Put a report beside the pages, which the landing page opens; it takes seconds to make."""
    page = Path(app.outdir) / "report.html"
    if error is None and app.builder.format == "html" and is_stale(page):
        write_report(page)


def setup(app: Sphinx) -> None:
    """Tell Sphinx how to write mathematics, what has no signature, and what else the site has."""
    app.add_html_math_renderer("mathml", (write_math, None), (write_displayed_math, None))
    app.connect("autodoc-process-signature", leave_aliases_alone, priority=400)
    app.connect("doctree-resolved", link_names)
    app.connect("build-finished", ship_report)


html_math_renderer = "mathml"
myst_substitutions = {
    "facts_of_rules": facts_of_rules(),
    "facts_of_class_rules": facts_of_class_rules(),
    "thumbnails": thumbnails(),
}
