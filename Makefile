# Testimate's tasks; `make app` and `make test` are all a fresh machine needs.
PYTHON ?= python3
BIN := .venv/bin
# One BLAS thread per test process: two threaded ones on two cores wait for each other.
# Compiled files are kept, whatever the shell says: pytest rewrites every test file, which is half of finding the tests.
TESTED := env -u PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: setup app test words check format lint types imports equal foreign javascript javascript-checked house bench study docs pictures clean

setup: .venv/installed .venv/installed-dev

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
	  echo "Python $$($(PYTHON) -V 2>&1 | cut -d' ' -f2) was met; Testimate needs 3.11, 3.12 or 3.13. Install one and run: make PYTHON=python3.11 setup"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "This Python has no venv module; Testimate needs it for its own environment. On Debian: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: requirements.txt pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

.venv/installed-dev: requirements-dev.txt .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

app: .venv/installed
	$(BIN)/testimate app

# Two processes for each core, up to twelve: they wait for disks and browsers. A third one takes longer in all, since each finds
# the tests and loads the libraries for itself (docs/testing.md). Each takes up to 1 GB. A part of it: make test TESTS=tests/cli
PROCESSES ?= $(shell $(BIN)/python -c 'import os; print(min(2 * len(os.sched_getaffinity(0)), 12))' 2>/dev/null || echo 4)
test: setup $(if $(shell command -v npm),node_modules/.package-lock.json)
	$(TESTED) $(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal -m "not slow" --durations=25 -rfE $(TESTS)

# Writes what each surface says now into tests/words; look at what git says has changed.
words: setup
	$(TESTED) $(BIN)/python -m pytest tests/words --regen-all

# Each of these alone, too: make lint, make types, make imports, make javascript, make test.
STAGES := format lint types imports javascript test
check: setup
	@for stage in $(STAGES); do $(MAKE) --no-print-directory $$stage || { \
	  echo "make check stopped at its stage: $$stage. Repeat it with: make $$stage" >&2; exit 1; }; done

format: setup
	$(BIN)/ruff format --check .

lint: setup
	$(BIN)/ruff check .

# Finding the tests once, beside mypy, compiles them: each of the test processes would do it otherwise.
types: setup
	@$(TESTED) $(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1 & $(BIN)/mypy; status=$$?; wait; exit $$status

imports: setup
	$(BIN)/lint-imports

# Whether anything that people see differs from the commit in equality/base: make equal, make equal SCREENS=1,
# make equal ONLY='foreign/*'
# It sets nothing up where that was done once: a worktree shares the environment of the checkout it belongs to.
equal:
	@test -e .venv/installed-dev || $(MAKE) --no-print-directory setup
	$(TESTED) $(BIN)/python -m equality $(if $(SCREENS),--screens) $(if $(ONLY),--only '$(ONLY)')

# Whether every file of data/foreign is read as its README says.
foreign:
	@test -e .venv/installed-dev || $(MAKE) --no-print-directory setup
	$(TESTED) $(BIN)/python -m equality.foreign

# Files, questions after a task's type, rules that stand twice, hops of the walks: at the start, now, and aimed for.
house: setup
	$(TESTED) $(BIN)/python -m tests.house

# Nothing of it is needed to install or use the app; continuous integration always has Node.
javascript:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory javascript-checked; else \
	  echo "The JavaScript was not checked: there is no npm on this machine. On Debian: apt-get install nodejs npm"; fi

javascript-checked: node_modules/.package-lock.json
	npm run --silent bundled
	npm run --silent lint
	npm run --silent types
	npm run --silent test

node_modules/.package-lock.json: package.json package-lock.json
	npm ci --silent --no-audit --no-fund
	@touch $@

bench: setup
	$(BIN)/python -m benchmarks

# Resumable: what is measured is kept in .studies, which may be removed to measure anew.
study: setup
	$(TESTED) $(BIN)/python -m research.studies.make_studies
	$(TESTED) $(BIN)/python -m pytest -m slow

# The site, from this checkout alone; it is read and searched from disk.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build
	$(BIN)/python docs/site/check_links.py build/site
	@echo "Open build/site/index.html"

# Of the app as it is; look at each before you keep it.
pictures: setup
	PYTHONPATH=. $(BIN)/python docs/pictures/take_pictures.py
	PYTHONPATH=. $(BIN)/python docs/pictures/record_walks.py

clean:
	rm -rf .venv node_modules
