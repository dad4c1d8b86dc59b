# What a person types. Everything happens inside this folder: Python packages in .venv, the build and its logs in build/.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
PYTHON ?= python3
VENV := .venv/bin
export PYTHON

.PHONY: help demo test gpu-test gpu-memcheck gpu-bench build check explain cpp py report-build bench docs wheel reproducible format lint generated new-op sanitize fuzz clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## Install what is missing, then train on digits with JAX (MNIST=folder for your own)
	@ci/install_system.sh build
	@ci/venv.sh demo
	@ci/build.sh
	@$(VENV)/python -m penstock.demo $(if $(MNIST),--mnist "$(MNIST)")

test: ## Install what is missing, then build and run all tests and checks
	@ci/install_system.sh test
	@ci/venv.sh test
	@ci/format.sh
	@ci/lint.sh
	@ci/build.sh tests
	@ci/test.sh
	@ci/generated.sh

gpu-test: ## On a host with a GPU: run the GPU tests with the Penstock that $(PYTHON) has installed
	@PENSTOCK_NEEDS_GPU=1 $(PYTHON) -m pytest -p no:cacheprovider tests/python/gpu

gpu-memcheck: ## On a host with a GPU: run the GPU tests of picture operators under compute-sanitizer's memcheck
	@$(PYTHON) tools/gpu_memcheck.py

gpu-bench: ## On a host with a GPU: measure the installed Penstock, beside DALI where that is installed (BENCH=--quick: roughly)
	@$(PYTHON) -m penstock.bench --gpu $(BENCH)

build: ## Build again after a change (C++ library and Python module, into .venv)
	@ci/install_system.sh build
	@[ -e .venv/.penstock-test ] || ci/venv.sh demo
	@ci/build.sh

check: ## Build what an operator needs and run its tests alone: make check OP=resize
	@ci/inner.sh check "$(OP)"

explain: ## Say what an operator is and where its sources, tests and pages lie: make explain OP=resize
	@ci/inner.sh explain "$(OP)"

cpp: ## Build and run the C++ tests, of one layer with LAYER=ops
	@ci/inner.sh cpp $(LAYER)

py: ## Build the Python module and run the Python tests whose names match: make py K="flip or crop"
	@ci/inner.sh py $(if $(K),"$(K)")

report-build: ## Say what the build took longest over
	@ci/inner.sh report

bench: ## Measure this machine, side by side with other loaders that are installed (BENCH=--quick: roughly)
	@ci/install_system.sh test
	@$(MAKE) build
	@ci/bench.sh $(BENCH)

docs: ## Build the documentation site into build/docs/html
	@ci/install_system.sh docs
	@ci/venv.sh docs
	@ci/build.sh
	@ci/docs.sh

wheel: ## Make a wheel in dist/ that runs anywhere, and try it (RELEASE=1: for all GPUs; CODECS=1: own picture libraries; ARCH=aarch64)
	@ci/install_system.sh test
	@ci/venv.sh test
	@ci/cross.sh
	@ci/wheel.sh
	@ci/check_wheel.sh

reproducible: ## Make the wheel twice, in two folders, and compare them byte for byte (takes two whole builds)
	@ci/reproducible.sh

format: ## Put the layout of all sources right
	@ci/install_system.sh test
	@ci/venv.sh test
	@ci/format.sh fix

lint: ## Check layout, layers and style
	@ci/install_system.sh test
	@ci/venv.sh test
	@ci/format.sh
	@ci/lint.sh

generated: ## Write stubs, reference pages and fn.h anew from the operators' schemas
	@ci/generated.sh write

new-op: ## Try what docs/contributing.md says of a new operator: its files make it, deleting them removes it
	@ci/new_op.sh

sanitize: ## Run the C++ tests under the address, undefined and thread sanitizers
	@ci/sanitize.sh

fuzz: ## Fuzz every parser for SECONDS (20)
	@ci/fuzz.sh $(SECONDS)

clean: ## Remove what was built; .venv stays
	@rm -rf build build-* dist
