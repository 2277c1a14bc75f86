"""Repair forecasts by a map: learn it in one year, save it, and apply it to the next."""

import sys

import properly
from properly.recalibration import load
from properly.rules import Log

if __name__ == "__main__":
    path = sys.argv[1] if len(sys.argv) > 1 else "map.json"
    crash = properly.datasets.crash()
    y, p = crash.died, crash.forecasts["balanced_boosting"]
    past, later = crash.year == 2001, crash.year == 2002

    # People of one crash belong together: they are kept in one fold.
    found = properly.recalibrate(y[past], p[past], clusters=crash.cluster[past], name="boosting")
    print(found)
    if not found.recommended:
        sys.exit("\nNo map helps; the forecasts are best left as they are.")
    found.map.save(path)

    # In another program, later on: a frame would go in with forecast="name of the column".
    stored = load(path)
    q = stored.at(p[later])
    before, after = Log()(y[later], p[later]), Log()(y[later], q)
    print(f"\nThe log score of 2002 is {before:.3f} as it was, and {after:.3f} after the map.")
    print(f"To act at 5 % is to act on the old forecasts from {stored.threshold(0.05):.1%} on.")
    print(f"The map is in {path}.")
