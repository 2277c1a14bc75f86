"""Evaluate the bundled crash forecasts and write a report."""

import sys
from pathlib import Path

import properly

if __name__ == "__main__":
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "report.html")
    crash = properly.datasets.crash()
    evaluation = properly.evaluate(crash.died, crash.forecasts)
    print(evaluation)
    written = properly.report.write(path, evaluation)
    print(f"\nthe report is in {written.resolve()}")
