"""Write ``conformance.md`` and pages on coming from a library, from what was run.

Run with ``make conformance``, in the environment of the peers. A library that is not there is named
as such on the page.
"""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from string import Template

from properly._boundary._files import write_whole
from studies.conformance.answers import ABSENT, code_block
from studies.conformance.calls import calls
from studies.conformance.coming import PAGES, filled, names_of_all
from studies.conformance.defects import IMPORTS, defects
from studies.conformance.numbers import (
    CLASSES,
    CURVE,
    DATA,
    DIAGNOSED,
    EVENT,
    RELIABILITYDIAG,
    numbers,
)

ROOT = Path(__file__).resolve().parents[2]
PEERS = (
    "scikit-learn",
    "torchmetrics",
    "torch",
    "dcurves",
    "model-diagnostics",
    "scoringrules",
    "arviz-stats",
    "briertools",
    "hmeasure",
    "probmetrics",
)
DOCS = ROOT / "docs"


def versions() -> str:
    """Name the peers with their versions, and those that are not there."""
    found, absent = [], []
    for name in ("numpy", *PEERS):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            absent.append(name)
    told = ", ".join(found)
    return f"{told}; {', '.join(absent)} {ABSENT}" if absent else told


def page() -> str:
    """Run everything, and fill it into the template."""
    return _template("conformance").substitute(
        versions=versions(),
        r=RELIABILITYDIAG,
        data=DATA,
        prepared=code_block("\n".join(x.strip() for x in (EVENT, CLASSES, CURVE, DIAGNOSED))),
        numbers=numbers(),
        imports=code_block(IMPORTS),
        defects=defects(),
        calls=calls(),
    )


def _template(name: str) -> Template:
    return Template((DOCS / f"{name}.md.in").read_text(encoding="utf-8"))


if __name__ == "__main__":
    os.chdir(ROOT)  # where the reference numbers are found
    names = names_of_all()
    for name, coming in PAGES.items():
        text = _template(name).substitute(filled(coming, names))
        write_whole(DOCS / f"{name}.md", text)
    write_whole(DOCS / "conformance.md", page())
