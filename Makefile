# `make figures` and `make test` set themselves up; `make setup` does only that, and compiles the
# chess kernel, so that the first numbers of a notebook need not wait for it.
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# What `make setup` installs besides the package itself.
EXTRAS := app ask cluster dev docs

.PHONY: setup figures quick test test-slow test-browser test-training test-local check lab reference docs dist bench fuzz lock clean

setup: .venv/.ready

# A link leads to an environment of someone else's, which --clear would empty.
.venv/.ready: requirements.lock pyproject.toml
	@if [ -L .venv ]; then echo "expected .venv to be a folder that setting up may clear, got a link to $$(readlink .venv):" \
		"set up there, or remove the link with 'rm .venv'" >&2; exit 1; fi
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -c "from workbench.environments.chess.kernel.cache import compile_all; compile_all()"
	touch $@

figures: setup
	$(BIN)/workbench figures --preset paper --jobs $(JOBS) --out figures

# The training framework is large, so that `make setup` leaves it out.
test-training: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.train.lock
	$(BIN)/python -m pytest tests/language_model/test_gradient_steps.py tests/language_model/test_reward_run.py

# Weights in a folder, asked in process: torch is large, and of no use to the rest, so it gets an environment of its own.
# The name asks for the build without CUDA, which pip takes from an index that has it (elsewhere it fails at once,
# instead of loading gigabytes: TORCH=torch takes any build).
TORCH ?= torch==2.13.0+cpu
test-local: build/local/.ready
	build/local/bin/python -m pytest tests/asking/test_local_weights.py tests/language_model/test_likelihoods.py \
		tests/asking/test_likelihood_replies.py tests/asking/test_series_stops.py::test_folders_of_weights

build/local/.ready: pyproject.toml
	$(PYTHON) -m venv --clear build/local
	build/local/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH)' 'transformers>=5.2,<6' 'accelerate>=1.10'
	build/local/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[ask,dev]'
	touch $@

# Ruff, and the tests nearest to what differs from the last commit; tests/quick.py chooses them.
quick: setup
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -m "not slow" --seconds 16 --numprocesses $(JOBS) \
		--max-worker-restart 0 $$($(BIN)/python tests/quick.py)

# Without those that drive a browser, which need chromium, and those marked slow.
test: setup
	$(BIN)/python -m pytest -m "not slow" --ignore tests/browser --numprocesses $(JOBS)

# Statistical repeats, whole runs that ask, notebooks.
test-slow: setup
	$(BIN)/python -m pytest -m slow --ignore tests/browser --numprocesses $$(($(JOBS) + 2))

test-browser: setup
	WORKBENCH_REQUIRE_BROWSER=1 $(BIN)/python -m pytest tests/browser --numprocesses $(JOBS)

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Times the reference and the compiled kernel in one run and writes benchmarks/README.md.
bench: setup
	$(BIN)/python -m benchmarks

# The kernel, and the twin of the page without Python, on 100,000 random ill-formed boards; `make test` does a share.
fuzz: setup
	$(BIN)/python tests/environments/chess/kernel/fuzz.py --count 100000
	$(BIN)/python tests/explore/twin/twin_fuzz.py --count 100000

# Without the question about news, and with the widgets' last answers in saved notebooks.
lab: setup
	JUPYTER_CONFIG_PATH=$(CURDIR)/.jupyter $(BIN)/jupyter lab --ServerApp.root_dir=$(CURDIR) \
		$(if $(filter 0,$(shell id -u)),--allow-root) notebooks/00_start_here.ipynb

# docs/commands.md, from the help of the commands; run after a change of a help text or an option.
reference: setup
	$(BIN)/python -m workbench.cli.reference > docs/commands.md

# The site, in build/docs/html: notebooks that have not run since a change run first; a warning fails.
docs: setup
	$(BIN)/python docs/site_sources.py build/docs/source $(JOBS)
	$(BIN)/python -m sphinx -c docs --builder html --doctree-dir build/docs/doctrees --jobs $(JOBS) --fail-on-warning --keep-going --quiet \
		build/docs/source build/docs/html

# The wheel, made from the source distribution, and that, in dist/; a description that does not render fails.
dist: setup
	$(BIN)/python -m pip install --quiet build twine
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m twine check --strict dist/*

# Names, versions and hashes only; run after a change of the dependencies in pyproject.toml.
lock:
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --universal --python-version 3.11 $(EXTRAS:%=--extra %) --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-header --no-annotate --quiet \
		--output-file requirements.lock pyproject.toml
	$(BIN)/uv pip compile --universal --python-version 3.11 --extra train --constraint requirements.lock \
		--generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate --quiet \
		--output-file requirements.train.lock pyproject.toml

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis figures/tables build dist
