# A thin cover over CMake and the scripts in tools/.
PREFIX ?= /usr/local

.DEFAULT_GOAL := help
.PHONY: help demo test test-all fuzz torture torture-ranks bench bench-trees bench-peers bench-auto bench-python bench-torch bench-gpu bench-cluster bench-scale paper program build install deb wheel python-test gpu gpu-test format lint packages clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: program ## learn 10,000 classes and compare with the best possible accuracy
	@tools/demo build/release/cli/cane

test: ## what must hold before a change goes in, in a quarter of an hour
	@mkdir -p build
	@tools/install-packages build mpi test python
	@tools/test

test-all: packages ## every test in every build, with the language model and PyTorch
	@tools/test all

fuzz: packages ## fuzz every reader for SECONDS=60 each
	@cmake --preset fuzz >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset fuzz
	@tools/fuzz --program build/asan/tests/fuzz/cane_fuzz --seconds $(or $(SECONDS),60) $(TARGETS)

torture: program ## kill -9 KILLS=100 times, disturb writes FAULTS=100 times, and compare every bit
	@tools/torture build/release/cli/cane --kills $(or $(KILLS),100) --faults $(or $(FAULTS),100) \
	  $(addprefix --lm ,$(wildcard build/release/cli/cane-lm/cane-lm))

torture-ranks: build ## kill -9 single ranks of a training KILLS=20 times, and compare every bit
	@tools/torture-ranks build/release/cli/cane --kills $(or $(KILLS),20)
	@tools/torture-ranks build/release/cli/cane --classes --kills $(or $(KILLS),20)

bench: build ## the benchmarks
	@set -e; for program in build/release/bench/*_bench; do [ ! -x "$$program" ] || "$$program"; done

bench-trees: build ## the online trees and Vowpal Wabbit's; DATA=FOLDER
	@tools/bench-trees build/release/cli/cane '$(DATA)'

bench-peers: build ## cane and its peers on DATA=FOLDER (docs/performance.md: more variables)
	@PYTHONPATH=bench python3 -m peers $(if $(DATA),'$(DATA)') $(if $(TRAIN),--train '$(TRAIN)') \
	  $(if $(TEST),--test '$(TEST)') $(if $(CANE_OPTIONS),'--cane=$(CANE_OPTIONS)') \
	  $(if $(PEERS),--only '$(PEERS)') $(if $(LIMIT),--limit '$(LIMIT)') \
	  --out '$(or $(OUT),bench/results/peers)'

bench-auto: build ## what auto picks against a list of settings; DATA=FOLDER and synthetic data
	@PYTHONPATH=bench python3 -m auto '$(or $(DATA),.)' --out '$(or $(OUT),bench/results/auto)' \
	  $(if $(ONLY),--only '$(ONLY)')

bench-python: build ## the Python package, the program and other learners; DATA=FOLDER
	@tools/bench-python '$(or $(DATA),.)' '$(or $(OUT),bench/results/python)' \
	  $(if $(ONLY),--only '$(ONLY)') $(if $(LIMIT),--limit '$(LIMIT)') \
	  $(if $(ROUNDS),--rounds '$(ROUNDS)')

bench-torch: ## output layers of PyTorch and CANE's; TRAIN=, VALID=: texts; PYTHON=, ARGS='--small'
	@set -e; export PYTHONPATH=bench/torch:python/examples/torch; \
	  $(or $(PYTHON),python3) -m outputs.shapes $(ARGS); \
	  $(or $(PYTHON),python3) -m outputs.quality $(ARGS); \
	  $(or $(PYTHON),python3) -m outputs.quality --classes 1000000 $(ARGS); \
	  $(if $(TRAIN),$(or $(PYTHON),python3) -m outputs.text '$(TRAIN)' '$(VALID)' $(ARGS))

bench-gpu: gpu ## cane on a GPU against PyTorch's full softmax; DATA=FOLDER TORCH=python ARGS='--toy'
	@PYTHONPATH=bench python3 -m device '$(or $(DATA),.)' --program build/gpu/cli/cane --out '$(or $(OUT),bench/results/device)' \
	  $(if $(TORCH),--python '$(TORCH)') $(ARGS)

bench-cluster: build ## trainings on several ranks, over shaped networks and within little memory; DATA=FOLDER
	@tools/install-packages cluster
	@PYTHONPATH=bench python3 -m cluster '$(or $(DATA),.)' --program build/release/cli/cane \
	  --out '$(or $(OUT),bench/results/cluster)' $(ARGS)

bench-scale: build ## time for an example against the number of classes, up to MOST=1000000
	@build/release/bench/scale_bench '$(or $(OUT),bench/results/scale)' \
	  --most $(or $(MOST),1000000) --trained $(or $(TRAINED),10000) \
	  $(if $(LIMIT),--limit $(LIMIT)) $(if $(AUTO),--auto $(AUTO))

paper: build ## the paper's experiments on DATA=FOLDER, reported in OUT=cane-paper; ARGS='--quick' (docs/paper.md)
	@tools/install-packages paper
	@tools/python-env build/paper python3 bench/paper/requirements.txt
	@PYTHONPATH=bench build/paper/bin/python -P -m paper '$(or $(DATA),.)' --out '$(or $(OUT),cane-paper)' \
	  --vw "$$(tools/install-vowpal-wabbit || true)" $(ARGS)

program: ## the program alone, in build/release/cli
	@mkdir -p build
	@tools/install-packages build
	@cmake --preset minimal >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset minimal

build: packages ## everything optimised, in build/release
	@cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset release

install: build ## install program, library and headers under PREFIX (/usr/local)
	@cmake --install build/release --prefix '$(PREFIX)'

deb: program ## a Debian package of the program, in build/deb
	@tools/install-packages deb
	@cpack --config build/release/CPackConfig.cmake -B build/deb
	@rm -rf build/deb/_CPack_Packages

wheel: ## wheels of the Python package that carry their libraries, in build/wheels; PYTHONS='...'
	@mkdir -p build
	@tools/install-packages build python
	@tools/python-wheel $(PYTHONS)

python-test: packages ## the Python package's part of `make test-all`; STEPS='build tests'
	@tools/python-test $(STEPS)

gpu: packages ## the program and the plug-in of `--device cuda`, in build/gpu/cli; needs CUDA's compiler
	@cmake --preset gpu >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset gpu --target cane_cli cane_cuda

gpu-test: packages ## the tests of `--device cuda`, which need a GPU; ARGS='--gtest_filter=...'
	@tools/gpu-test $(ARGS)

format: packages ## rewrite the sources in the style of .clang-format
	@tools/check-format --fix

lint: packages ## clang-tidy over every source
	@tools/lint

packages:
	@mkdir -p build
	@tools/install-packages

clean: ## remove everything that was built
	@rm -rf build
