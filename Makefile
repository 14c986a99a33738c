# deeplda: a thin door to Meson and Ninja. `make help` lists what there is.
#
# The first target that builds also sets up: tools/install-deps installs the Debian packages that are
# missing, Meson configures $(BUILD) once. After that both steps find nothing to do.
BUILD ?= build
PREFIX ?= /usr/local
MESON ?= meson

.PHONY: all demo test bench install docs asan clean help dependencies bench-dependencies

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

help:
	@echo "make             build the library, the program, the tests and the examples"
	@echo "make demo        build, train on the embedded digits, show the test accuracy, write a report"
	@echo "make test        build and run all tests"
	@echo "make asan        the same with the address and undefined-behaviour sanitizers"
	@echo "make bench       compare the speed with PyTorch and oneDNN (long; BENCH=--quick to try it)"
	@echo "make install     install below PREFIX ($(PREFIX))"
	@echo "make docs        write docs/options.md and the man page's options from the option table"
	@echo "make clean       remove $(BUILD) and $(BUILD)-asan"

demo: $(BUILD)/build.ninja
	@ninja -C $(BUILD) cli/deeplda
	$(BUILD)/cli/deeplda train digits -o runs/demo --force
	$(BUILD)/cli/deeplda report runs/demo

test: all
	@tools/run-tests $(BUILD)

# The oneDNN comparison exists only if Meson found its library, which may have come just now; Meson remembers that
# it was missing until everything is wiped.
bench: bench-dependencies all
	@grep -q bench/onednn_layers $(BUILD)/build.ninja || { $(MESON) setup --wipe $(BUILD) && ninja -C $(BUILD); }
	@! grep -q bench/onednn_layers $(BUILD)/build.ninja || ninja -C $(BUILD) bench/onednn_layers
	/usr/bin/python3 bench/run.py --build $(BUILD) $(BENCH)

install: all
	@$(MESON) configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	$(MESON) install -C $(BUILD)

docs: $(BUILD)/build.ninja
	@ninja -C $(BUILD) cli/deeplda
	@tools/update-docs $(BUILD)/cli/deeplda

asan: $(BUILD)-asan/build.ninja
	@ninja -C $(BUILD)-asan
	@tools/run-tests $(BUILD)-asan

clean:
	rm -rf $(BUILD) $(BUILD)-asan

# ---- set-up ----

dependencies:
	@tools/install-deps --check || tools/install-deps

bench-dependencies: dependencies
	@tools/install-deps --bench --check || tools/install-deps --bench

$(BUILD)/build.ninja: | dependencies
	$(MESON) setup $(BUILD) --prefix $(abspath $(PREFIX))

$(BUILD)-asan/build.ninja: | dependencies
	$(MESON) setup $(BUILD)-asan --buildtype debugoptimized -Db_sanitize=address,undefined -Db_lundef=false
