"""Doors to the libraries that people train and judge models with.

Each door is a module of its own, imported by its full name, and needs the extra of its name:

- `properly.integrations.sklearn`: metric functions, scorers and displays for scikit-learn.
- `properly.integrations.torch`: rules as losses and as metrics for PyTorch.
- `properly.integrations.lightning`: callbacks that log scores and reliability diagrams.
- `properly.integrations.keras`: metrics and callbacks for Keras 3.
- `properly.integrations.xgboost` and `properly.integrations.lightgbm`: rules as objectives and as
  metrics of boosted trees.
- `properly.integrations.mlflow`: an evaluator that logs scores, figures and the report.
- `properly.integrations.inspect_ai` and `properly.integrations.lm_eval`: readers for their logs,
  which need no extra.

None of them is imported until it is asked for, and neither is its library.
"""
