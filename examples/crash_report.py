"""The page of ``properly demo``, in Python: evaluate the bundled crash forecasts."""

import sys

import properly

if __name__ == "__main__":
    path = sys.argv[1] if len(sys.argv) > 1 else "report.html"
    crash = properly.datasets.crash()
    # A trauma team is sent from a risk of 1 % to 10 % on; people of one crash belong together.
    evaluation = properly.evaluate(
        crash.died,
        crash.forecasts,
        within=(0.01, 0.1),
        clusters=crash.cluster,
        groups=crash.sex,
        time=crash.year,
        rng=0,
    )
    print(properly.verdict(evaluation, cases="people", event="death"))
    properly.report.write(
        path, evaluation, title="Death in car crashes", cases="people", event="death"
    )
    print(f"\nThe page is in {path}.")
