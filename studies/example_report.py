"""The page about the bundled example that the site and its pictures show."""

from __future__ import annotations

from pathlib import Path

import properly

SOURCE = Path(properly.__file__).parent


def write_report(path: Path) -> None:
    """Evaluate the bundled example with all that is known of it, and write the page."""
    crash = properly.datasets.crash()
    evaluation = properly.evaluate(
        crash.died,
        crash.forecasts,
        within=(0.01, 0.1),
        clusters=crash.cluster,
        groups=crash.sex,
        time=crash.year,
        recalibrate="auto",
        rng=0,
    )
    properly.report.write(
        path,
        evaluation,
        title="Death in car crashes",
        cases="people",
        event="death",
        command="properly demo",
    )


def is_stale(path: Path) -> bool:
    """Tell whether a page is not there, or was written before the package was changed."""
    if not path.exists():
        return True
    written = path.stat().st_mtime
    files = (file for file in SOURCE.rglob("*") if "__pycache__" not in file.parts)
    return any(file.stat().st_mtime > written for file in files if file.is_file())
