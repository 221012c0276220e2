# On a fresh machine with python3 and make these two commands do all set-up:
#   make demo    runs the main job on a small log of repeated runs
#   make test    runs the tests (make lint: style, types and layers)
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint bench clean

demo: $(READY)
	$(BIN)/surefoot grade examples/oncall_runs.jsonl
	@echo
	@echo "The same log against a plan (the gate blocks the task that flips, exit 1):"
	@echo
	$(BIN)/surefoot grade examples/oncall_runs.jsonl --plan examples/oncall.toml; test $$? -eq 1

test: $(READY)
	$(BIN)/python -m pytest -n auto

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $(READY)
