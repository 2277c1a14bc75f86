"""``python -m studies.pictures``: draw the pictures of the documentation, all or those named.

They are kept in the repository, so there is no need to draw them unless the drawing or the data
change. All need the extra ``plots``.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from studies.pictures.canvas import STATIC

# A module each, in which the function `draw` saves the pictures of a page to a folder.
GROUPS = (
    "landing",
    "reliability",
    "decisions",
    "classes",
    "penalized",
    "means",
    "inference",
    "report",
    "selection",
    "recalibration",
    "production",
    "gallery",
)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.pictures", description="Draw pictures."
    )
    # argparse would hold the empty list against the choices.
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--out", type=Path, default=STATIC, help="folder (default: docs/_static)")
    options = parser.parse_args()
    unknown = [name for name in options.groups if name not in GROUPS]
    if unknown:
        parser.error(f"no pictures are named {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    for name in options.groups or GROUPS:
        import_module(f"studies.pictures.{name}").draw(options.out)


if __name__ == "__main__":
    main()
