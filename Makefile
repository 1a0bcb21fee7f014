# cugate. `make help` lists the targets; everything that is built goes into build/.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

# Parallel unless told otherwise: an explicit -j comes first. Not with `clean`, which must end before the next goal.
ifeq ($(MAKELEVEL)$(filter clean,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

VERSION := $(shell sed -n 's/^\#define CUGATE_VERSION "\(.*\)"/\1/p' harness/base/version.h)

# ---- Variables for the command line; `make help` prints these comments ---------------------------------------------

PREFIX ?= /usr/local
DESTDIR ?=
CFLAGS ?= $(if $(SAN),-O1,-O2) -g
LDFLAGS ?=
PKG_CONFIG ?= pkg-config
NVCC_FLAGS ?=
#: KERNELS='reduce/* dot/*'   check-perf: only these kernels
KERNELS ?=
#: ARGS='--samples 9'         check-perf, nightly-report: more options for `cugate check`
ARGS ?=
#: STRICT=1                   check-perf, nightly-report: fail when there is no GPU
STRICT ?=
#: SIM=all                    check-perf without a GPU: also simulate what is the baseline's machine code, launches and inputs
SIM ?=
#: REPLAY=1                   nightly-report: replay recorded runs without a GPU also where CI is set
REPLAY ?=
#: BASE=origin/main           check-perf: settle by the kernels of this revision: times in turn, counts of another compiler
BASE ?=
#: SAN=address,undefined      build the harness and the tests with sanitizers, into build/san
SAN ?=
#: CUDA_ARCHS="80 90"         compute capabilities to build kernels for; default: the GPU present, else 90
CUDA_ARCHS ?= $(or $(gpu_archs),90)
#: CUDA_HOME=none             ignore any installed CUDA toolkit: take the pinned one from PyPI into build/cuda
#: CUBLAS=no                  do without cuBLAS where it is missing (a large download); its kernels are "not built"
CUBLAS ?= yes
#: DISASM=no                  do without NVIDIA's disassembler, a download: nothing can be simulated then
DISASM ?= yes
#: SESSIONS=DIR               selftest: recorded sessions in place of those of tests/data
SESSIONS ?=
#: FUZZ_SECONDS=60            fuzz: time for each target
FUZZ_SECONDS ?= 60
#: SEEDS="11 12"              sim-random: of the random kernels; default: three of today's
SEEDS ?= $(foreach n,1 2 3,$(shell date +%y%j)$(n))
#: V=1                        print whole commands
V ?=

# Sanitized objects never mix with plain ones. Kernels know no sanitizer, so both share build/libkernels.so.
BUILD ?= $(if $(SAN),build/san,build)

quoted = '$(subst ','\'',$(1))'
# $(call say,WORD)COMMAND: makes the folder of what COMMAND makes, and says so in a word unless V is set.
say = $(if $(V),mkdir -p $(@D);,@mkdir -p $(@D); printf '  %-8s %s\n' '$(1)' '$@';)

# ---- CUDA ----------------------------------------------------------------------------------------------------------

# The toolkit: CUDA_HOME, else the one that nvcc on the PATH belongs to, else /usr/local/cuda, else none. A folder
# without nvcc is none. Neither is /usr: distributions put toolkits there that are older than CUPTI's range profiler.
toolkit_on_path = $(filter-out /usr,$(patsubst %/bin/nvcc,%,$(realpath $(shell command -v nvcc))))
TOOLKIT := $(or $(CUDA_HOME:/=),$(toolkit_on_path),/usr/local/cuda)
TOOLKIT := $(patsubst %/bin/nvcc,%,$(wildcard $(TOOLKIT)/bin/nvcc))

# What the toolkit lacks comes from wheels. Both are searched, the toolkit first.
CUDA_WHEELS := build/cuda/nvidia/cu13
CUDA_INCLUDES := $(if $(TOOLKIT),$(wildcard $(addprefix $(TOOLKIT)/,include include/cccl extras/CUPTI/include)))
CUDA_LIBS := $(if $(TOOLKIT),$(firstword $(wildcard $(addprefix $(TOOLKIT)/,lib64 lib))) \
             $(wildcard $(TOOLKIT)/extras/CUPTI/lib64))

# $(call lacks,PART,FILE): PART when the toolkit has no such header.
lacks = $(if $(wildcard $(addsuffix /$(2),$(CUDA_INCLUDES))),,$(1))
CUDA_PARTS := $(strip $(if $(TOOLKIT),,nvcc) $(call lacks,cccl,cub/cub.cuh) \
              $(call lacks,profiler,cudaProfiler.h) $(call lacks,cupti,cupti_range_profiler.h) \
              $(call lacks,nvtx,nvtx3/nvToolsExt.h) \
              $(if $(filter yes,$(CUBLAS)),$(call lacks,cublas,cublas_v2.h)))

# Stands for "every part is there"; its name holds the parts, so that another set is installed anew.
empty :=
comma := ,
space := $(empty) $(empty)
CUDA_READY := $(if $(CUDA_PARTS),build/cuda/parts-$(subst $(space),-,$(CUDA_PARTS)))
# The disassembler is of a release of its own, and what simulates looks for it here: harness/machine/sass/nvdisasm.c.
DISASM_READY := $(if $(filter yes,$(DISASM)),build/disasm/ready)
WHEELS_MISSING := $(if $(filter-out $(wildcard $(CUDA_READY) $(DISASM_READY)),$(CUDA_READY) $(DISASM_READY)),wheels)

ifneq ($(CUDA_PARTS),)
CUDA_INCLUDES += $(CUDA_WHEELS)/include $(CUDA_WHEELS)/include/cccl
CUDA_LIBS += $(CUDA_WHEELS)/lib
endif

NVCC := $(or $(TOOLKIT),$(CUDA_WHEELS))/bin/nvcc
CUDA_CPPFLAGS := $(addprefix -isystem ,$(CUDA_INCLUDES))
# Wheels live below build/, which may move with the tree; after `make install`, beside the plugins (ci/fetch.sh), or the
# absolute name is left.
CUDA_RPATHS := $$ORIGIN/cuda/nvidia/cu13/lib $(if $(CUDA_PARTS),$$ORIGIN/../cuda/nvidia/cu13/lib) $(abspath $(CUDA_LIBS))
CUDA_LDFLAGS = $(addprefix -L,$(CUDA_LIBS)) -Wl,-rpath,'$(subst $(space),:,$(strip $(CUDA_RPATHS)))'

gpu_archs = $(eval gpu_archs := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
              grep -E '^[0-9]+\.[0-9]+' | tr -d . | sort -nu))$(gpu_archs)

# Machine code for each architecture, and PTX of the newest for the GPUs after it.
GENCODE = $(foreach arch,$(CUDA_ARCHS),-gencode arch=compute_$(arch),code=sm_$(arch)) \
          $(foreach arch,$(lastword $(CUDA_ARCHS)),-gencode arch=compute_$(arch),code=compute_$(arch))

# ---- Files ---------------------------------------------------------------------------------------------------------

# The plugins alone include CUDA headers, and the one for CUPTI needs CUDA's libraries; see harness/worker/backend.h.
HARNESS_C := $(wildcard harness/*/*.c harness/*/*/*.c)
INJECT_C := $(wildcard harness/inject/*.c)
PLUGIN_C := $(wildcard harness/cupti/*.c)
# The rooms inside that read images and instructions are of the gate, too.
MACHINE_READS_C := $(wildcard harness/machine/elf/*.c harness/machine/sass/*.c)
MACHINE_C := $(filter-out $(MACHINE_READS_C),$(wildcard harness/machine/*.c harness/machine/*/*.c))
OTHERS_C := $(wildcard harness/library/*.c)
RUNTIME_C := $(wildcard harness/cudart/*.c harness/driver/*.c harness/sim/*.c)
SIM_C := $(MACHINE_C) $(RUNTIME_C)
LIBRARY_C := $(filter-out harness/command/main.c $(PLUGIN_C) $(INJECT_C) $(SIM_C) $(OTHERS_C),$(HARNESS_C))
KERNELS_CU := $(wildcard kernels/*.cu)
# Tests of what executes machine code are a program of their own, which a change of the gate alone need not run.
MACHINE_TESTS_C := $(wildcard $(addprefix tests/unit/,machine/*.c machine/*/*.c library/*.c replay/*.c cudart/*.c driver/*.c sim/*.c cubin/cubin_support.c support.c test.c))
TESTS_C := $(filter-out $(filter-out %/cubin_support.c %/unit/support.c %/unit/test.c,$(MACHINE_TESTS_C)),$(wildcard tests/unit/*.c tests/unit/*/*.c tests/unit/*/*/*.c))
FUZZ_C := $(filter-out tests/fuzz/replay_main.c,$(wildcard tests/fuzz/*.c))

LIBRARY_O := $(LIBRARY_C:%.c=$(BUILD)/%.o)
DEVICE_CU := $(wildcard kernels/device/*.cu)
PLUGIN_O := $(PLUGIN_C:%.c=$(BUILD)/%.o) $(DEVICE_CU:kernels/device/%.cu=$(BUILD)/device/%.o)
INJECT_O := $(INJECT_C:%.c=$(BUILD)/%.o) $(patsubst %,$(BUILD)/harness/cupti/cupti_%.o,counters device error launch_call sass)
# Operations on the lanes of a simulated warp are compiled once for each kind of vector unit.
LANES_C := $(wildcard harness/machine/lanes_*.c harness/machine/*/lanes_*.c)
VECTORS := base $(if $(filter x86_64,$(shell uname -m)),avx2 avx512)
MACHINE_O := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(LANES_C),$(MACHINE_C))) \
             $(foreach vector,$(VECTORS),$(LANES_C:%.c=$(BUILD)/%.$(vector).o))
INTERFACE := $(shell sed -n 's/^\#define CUGATE_MACHINE_INTERFACE \([0-9]*\).*/\1/p' harness/cugate/machine.h)
MACHINE_SO := $(BUILD)/libcugate_machine.so.$(INTERFACE)
MACHINE_NEEDS := jansson inih libelf libdw libxxhash
OTHERS_O := $(OTHERS_C:%.c=$(BUILD)/%.o)
SIM_O := $(MACHINE_O) $(RUNTIME_C:%.c=$(BUILD)/%.o) $(BUILD)/driver_entries.o
TESTS_O := $(TESTS_C:%.c=$(BUILD)/%.o)
MACHINE_TESTS_O := $(MACHINE_TESTS_C:%.c=$(BUILD)/%.o)
SELFTEST_O := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/selftest/*.c))
CASES_O := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/judge/*.c) $(addprefix tests/unit/,baseline/accept_cases.c baseline/test_baseline_accept.c gate/test_check.c gate/test_check_blocks.c model/test_run_namesakes.c capsule/test_capsule_tolerance.c made_runs.c made_time.c cases.c compare_cases.c compare_support.c line_support.c support.c test.c))
# A file that another one includes is compiled there.
KERNELS_O := $(patsubst %.cu,build/%.o,$(filter-out $(shell sed -n 's|^\#include "\(.*\.cu\)"|kernels/\1|p' $(KERNELS_CU)),$(KERNELS_CU)))
TESTS_SO := $(patsubst tests/libraries/%.c,$(BUILD)/tests/lib%.so,$(wildcard tests/libraries/*.c))
# Libraries that stand in for the driver and CUPTI, and programs that launch on them: tests/standin/standin.h.
STANDIN := $(addprefix $(BUILD)/tests/standin/,libcuda.so.1 libcupti.so.13 program library.so late bare bare_static)
FUZZERS := $(FUZZ_C:tests/fuzz/%.c=$(BUILD)/fuzz/%)

# The libraries can be overridden, for example DEPENDENCY_LIBS='-l:libjansson.a -l:libinih.a ...' to link them in.
DEPENDENCIES := jansson inih libelf libdw libxxhash libzstd liblz4
DEPENDENCY_CFLAGS ?= $(shell $(PKG_CONFIG) --cflags $(DEPENDENCIES) 2>/dev/null)
DEPENDENCY_LIBS ?= $(shell $(PKG_CONFIG) --libs $(DEPENDENCIES) 2>/dev/null)
GSL_LIBS ?= $(shell $(PKG_CONFIG) --libs gsl 2>/dev/null)
CRITERION_CFLAGS ?= $(shell $(PKG_CONFIG) --cflags criterion 2>/dev/null)
CRITERION_LIBS ?= $(shell $(PKG_CONFIG) --libs criterion 2>/dev/null)

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow
C_FLAGS = -std=c11 -D_GNU_SOURCE -Iharness $(WARNINGS) -fPIC $(CFLAGS) $(DEPENDENCY_CFLAGS) \
          $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer -Wno-pass-failed)
# Under ASan it is libasan that calls dlopen, and of the two kinds of run path only the older one of the program serves its calls.
LD_FLAGS = $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN) -Wl$(comma)--disable-new-dtags)
# libstdc++ is where __cxa_demangle lives. That part of it is linked in where the compiler has it as an archive: not every
# machine has libstdc++, and a program that is measured may have another.
DEMANGLER := $(if $(wildcard $(shell $(CC) -print-file-name=libsupc++.a)),-l:libsupc++.a,-lstdc++)
LIBS = $(DEPENDENCY_LIBS) $(DEMANGLER) -ldl -lm -pthread
CU_FLAGS = -std=c++20 -O3 -lineinfo $(GENCODE) $(NVCC_FLAGS)
CU_HOST_FLAGS := -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra,-Wno-missing-field-initializers

# ---- Targets for people --------------------------------------------------------------------------------------------

.PHONY: help all computing check-perf demo nightly-report test test-all coverage test-install test-gpu planted selftest lint format rooms ready goldens fuzz sim-random install install-scripts package deb wheel release clean FORCE
.PHONY: check-dependencies fuzzers

## help: this list
help:
	@printf 'cugate %s: a performance gate for CUDA kernels\n\n' '$(VERSION)'
	@sed -n 's/^## \([a-z-]*\): /\1\t/p' Makefile | while IFS=$$'\t' read -r name text; do \
	    printf '  make %-14s %s\n' "$$name" "$$text"; done
	@printf '\nVariables:\n'; sed -n 's/^#: /  /p' Makefile

## all: build cugate, its plugins and the kernel library
all: computing $(BUILD)/libcugate_cupti.so $(BUILD)/libcugate_inject.so
computing: $(BUILD)/cugate $(MACHINE_SO) $(BUILD)/simulated/libcudart.so.13 $(BUILD)/simulated/libcuda.so.1 build/libkernels.so $(BUILD)/beside $(DISASM_READY)

## check-perf: measure every kernel and compare with the baseline of this GPU; without a GPU, compute what changed
check-perf:
	@ci/install_deps.sh build gate $(WHEELS_MISSING)
	@$(MAKE) --no-print-directory computing
	@case "$$($(BUILD)/cugate list gpus 2>&1)" in *'no NVIDIA driver here'*) ;; \
	    *) $(MAKE) --no-print-directory $(BUILD)/libcugate_cupti.so ;; esac
	@CUGATE=$(BUILD)/cugate KERNELS='$(KERNELS)' BASE='$(BASE)' STRICT='$(STRICT)' SIM='$(SIM)' NVCC='$(NVCC)' \
	    CUDA_HOME='$(CUDA_HOME)' CUDA_ARCHS='$(CUDA_ARCHS)' CUBLAS='$(CUBLAS)' NVCC_FLAGS='$(NVCC_FLAGS)' \
	    ci/check_perf.sh $(ARGS)

## demo: judge a run that was recorded on an H200, which says nothing about the kernels at hand; needs no GPU
demo: $(BUILD)/cugate
	@$(BUILD)/cugate check --replay tests/data/recorded-nvidia-h200.json

## nightly-report: measure, keep the run in the history and write the pages of all nights; without a GPU, of recorded ones
nightly-report:
	@ci/install_deps.sh build gate python $(WHEELS_MISSING)
	@$(MAKE) --no-print-directory all
	@CUGATE=$(BUILD)/cugate STRICT='$(STRICT)' REPLAY='$(REPLAY)' ci/nightly.sh $(ARGS)

test_environment = BUILD=$(BUILD) NVCC='$(abspath $(NVCC))' CUDA_INCLUDES='$(abspath $(CUDA_INCLUDES))' \
    CUDA_LIBS='$(abspath $(CUDA_LIBS))'

## test: unit tests, command lines, replays, fuzz corpora; needs no GPU
test:
	@ci/install_deps.sh build test python $(WHEELS_MISSING)
	@ci/install_python.sh --test
	@$(MAKE) --no-print-directory all $(BUILD)/tests/unit_tests $(BUILD)/tests/machine_tests $(BUILD)/tests/random_kernels $(BUILD)/tests/made_capsules fuzzers standin compiled
	@$(test_environment) ci/test.sh

## test-all: test, then all recorded kernels, not a sample, and that mutants of the simulator are caught; for a night
test-all: test
	@$(MAKE) --no-print-directory $(BUILD)/tests/opcodes
	@$(test_environment) COMPILE='$(CC) $(C_FLAGS) $(CUDA_CPPFLAGS) -c' LINK='$(CC) $(LD_FLAGS)' OBJECTS='$(SIM_O) $(OTHERS_O)' \
	    LIBS='$(LIBS)' TESTS='$(MACHINE_TESTS_O)' TEST_LIBS='$(CRITERION_LIBS)' ci/test.sh --all

## coverage: how many branches of each room the tests take, by gcov; builds all into build/coverage, a quarter of an hour
coverage:
	@ci/install_deps.sh build test $(WHEELS_MISSING)
	@$(MAKE) --no-print-directory BUILD=build/coverage CFLAGS='-O1 -g0 --coverage -include ci/coverage.h' LDFLAGS=--coverage all \
	    $(addprefix build/coverage/tests/,unit_tests machine_tests random_kernels made_capsules) fuzzers standin compiled
	@find build/coverage -name '*.gcda' -delete
	@$(test_environment) BUILD=build/coverage ci/test.sh --coverage || true
	@ci/coverage.sh build/coverage

## test-install: what is installed, projects of others by it, Slurm, pages in a browser, years of nights; needs the network, no GPU
test-install:
	@ci/install_deps.sh build test python install package browser $(WHEELS_MISSING)
	@ci/install_python.sh --test
	@$(MAKE) --no-print-directory all $(BUILD)/tests/libmany.so standin
	@$(test_environment) ci/test.sh --install

## test-gpu: the tests that need a GPU
test-gpu: all
	@ci/install_deps.sh gate
	@CUGATE=$(BUILD)/cugate tests/gpu/run.sh

## planted: that planted faults are caught and blamed on their lines, and harmless edits are not; needs a GPU
planted: all
	@$(BUILD)/cugate list gpus >/dev/null || { echo 'make planted measures; its recording is judged by make test' >&2; exit 1; }
	@ci/install_deps.sh gate
	@NVCC='$(NVCC)' CU_FLAGS='$(CU_FLAGS) $(CU_HOST_FLAGS) -Iharness $(CUDA_CPPFLAGS)' FLAGS='$(strip $(CU_FLAGS))' \
	    CUDA_LDFLAGS=$(call quoted,$(CUDA_LDFLAGS)) tests/planted/build.sh
	@CUGATE=$(BUILD)/cugate tests/planted/run.sh

## selftest: how good the gate is: its bars in figures, and that a broken gate fails them; needs no GPU
selftest: folder = $(or $(SESSIONS),$(BUILD)/selftest/sessions)
selftest:
	@ci/install_deps.sh build test $(WHEELS_MISSING)
	@$(MAKE) --no-print-directory $(BUILD)/selftest/selftest $(CASES_O) $(BUILD)/tests/libturns.so $(if $(SESSIONS),,$(folder))
	@BUILD=$(BUILD) COMPILE='$(CC) $(C_FLAGS) -c' LINK='$(CC) $(LD_FLAGS)' OBJECTS='$(SELFTEST_O)' \
	    CASES='$(CASES_O)' LIBS='$(LIBS) $(GSL_LIBS) $(CRITERION_LIBS)' \
	    tests/selftest/run.sh '$(folder)'

## lint: formatting, compiler warnings, clang-tidy, shellcheck, ruff
lint:
	@ci/install_deps.sh build test lint python $(WHEELS_MISSING)
	@ci/install_python.sh --test
	@$(MAKE) --no-print-directory $(CUDA_READY) build/include-cxx-stub/string
	@ci/lint.sh $(C_FLAGS) $(CRITERION_CFLAGS) $(CUDA_CPPFLAGS) -isystem build/include-cxx-stub

## format: rewrite the sources with clang-format and ruff
format:
	@clang-format -i $$(ci/lint.sh --files)
	@build/python/bin/ruff format --quiet reports tests/gpu/programs

## rooms: check that the harness keeps its rule of rooms, harness/ROOMS
rooms: $(BUILD)/harness/command/main.o $(LIBRARY_O) $(PLUGIN_O) $(INJECT_O) $(SIM_O) $(OTHERS_O)
	@ci/check_rooms.sh $(BUILD)

## ready: lint, rooms and test, for before a commit
ready:
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory rooms
	@$(MAKE) --no-print-directory test

## goldens: rewrite the expected outputs in tests/data from what cugate prints now
goldens: all
	@CUGATE=$(BUILD)/cugate tests/cli/run.sh --rewrite
	@CUGATE=$(BUILD)/cugate tests/scripts/terminal.sh --rewrite
	@CUGATE=$(BUILD)/cugate tests/scripts/planted.sh --rewrite
	@ci/install_python.sh --test
	@REWRITE_GOLDENS=1 CUGATE=$(BUILD)/cugate build/python/bin/python -I -m pytest -q reports/tests/test_views.py

## fuzz: run each fuzz target with libFuzzer (clang) for FUZZ_SECONDS
fuzz:
	@command -v clang >/dev/null || { echo 'error: libFuzzer comes with clang: apt-get install clang' >&2; exit 1; }
	@$(MAKE) --no-print-directory BUILD=build/libfuzzer CC=clang SAN=address,undefined,fuzzer-no-link \
	    FUZZ_MAIN= FUZZ_LDFLAGS=-fsanitize=fuzzer fuzzers
	@BUILD=build/libfuzzer ci/test.sh --fuzz $(FUZZ_SECONDS)

## sim-random: that random kernels give the same on one core and on all, by each vector unit, and that arithmetic is the CPU's
sim-random:
	@ci/install_deps.sh build gate $(WHEELS_MISSING)
	@$(MAKE) --no-print-directory all $(BUILD)/tests/random_kernels
	@for script in random oracle; do \
	    CUGATE=$(BUILD)/cugate GENERATOR=$(BUILD)/tests/random_kernels $(test_environment) tests/sim/$$script.sh $(SEEDS); done

## install: copy the program, its plugins, headers, metrics, scripts, reports, manual and completion to PREFIX (below DESTDIR)
install: to := $(DESTDIR)$(PREFIX)
install: install-scripts $(BUILD)/cugate $(MACHINE_SO) $(BUILD)/libcugate_machine.a $(BUILD)/libcugate_cupti.so $(BUILD)/libcugate_inject.so $(BUILD)/libcugate_sim.so $(BUILD)/simulated/libcuda.so.1
	sed 's|@VERSION@|$(VERSION)|' harness/cugate.pc.in >$(BUILD)/cugate.pc
	sed 's|@VERSION@|$(VERSION)|;s|@NEEDS@|$(MACHINE_NEEDS)|;s|@LIBS@|$(DEMANGLER) -ldl -lm -pthread|' harness/library/cugate_machine.pc.in \
	    >$(BUILD)/cugate_machine.pc
	sed 's|@VERSION@|$(VERSION)|' harness/cugateConfigVersion.cmake.in >$(BUILD)/cugateConfigVersion.cmake
	install -d "$(to)"/{bin,lib/cugate/simulated,lib/pkgconfig,lib/cmake/cugate,include/cugate,share/cugate/metrics/gpus,share/cugate/schema}
	install $(BUILD)/cugate "$(to)/bin"
	install $(BUILD)/libcugate_{cupti,inject,sim}.so "$(to)/lib/cugate"
	install $(BUILD)/simulated/libcuda.so.1 "$(to)/lib/cugate/simulated"
	for version in 12 13; do ln -sfn ../libcugate_sim.so "$(to)/lib/cugate/simulated/libcudart.so.$$version"; done
	install $(MACHINE_SO) "$(to)/lib"
	ln -sfn $(notdir $(MACHINE_SO)) "$(to)/lib/libcugate_machine.so"
	install -m 644 $(BUILD)/libcugate_machine.a "$(to)/lib"
	install -m 644 $(BUILD)/{cugate,cugate_machine}.pc "$(to)/lib/pkgconfig"
	install -m 644 $(BUILD)/cugateConfigVersion.cmake harness/cugate{Config,Test}.cmake "$(to)/lib/cmake/cugate"
	install -m 644 harness/cugate/*.{h,hpp} "$(to)/include/cugate"
	install -m 644 metrics/*.ini "$(to)/share/cugate/metrics"
	install -m 644 metrics/gpus/*.ini "$(to)/share/cugate/metrics/gpus"
	install -m 644 harness/report/schema/*.json "$(to)/share/cugate/schema"

# What a gate is made of beside the program, in the folders that it has here: ci/where.sh tells the two apart.
SCRIPTS := where gate nightly shards slurm_shards job join_comments check before bisect build_base report fetch install_python install_cuda_wheels
install-scripts: $(BUILD)/cugate
	ci/man.sh $(BUILD)/cugate >$(BUILD)/cugate.1
	$(BUILD)/cugate help completion >$(BUILD)/completion
	install -d "$(to)"/bin "$(to)"/share/{man/man1,bash-completion/completions} \
	    "$(to)"/share/cugate/{ci,reports/cugate_reports/templates}
	install $(SCRIPTS:%=ci/%.sh) "$(to)/share/cugate/ci"
	for name in gate nightly shards slurm_shards job report fetch; do ln -sfn ../share/cugate/ci/$$name.sh "$(to)/bin/cugate-$${name/_/-}"; done
	install -d "$(to)/share/cugate/ci/github"
	install -m 644 ci/github/performance.yml ci/github/nightly.yml "$(to)/share/cugate/ci/github"
	install -m 644 ci/slurm.sh ci/SKILL.md "$(to)/share/cugate/ci"
	install -m 644 reports/requirements.txt "$(to)/share/cugate/reports"
	install -m 644 reports/cugate_reports/*.py "$(to)/share/cugate/reports/cugate_reports"
	install -m 644 reports/cugate_reports/templates/* "$(to)/share/cugate/reports/cugate_reports/templates"
	install -m 644 $(BUILD)/cugate.1 "$(to)/share/man/man1"
	install -m 644 $(BUILD)/completion "$(to)/share/bash-completion/completions/cugate"

# What packages are made of: what install copies to /usr, but for the plugins, which look for CUPTI where any machine may have it.
package: root = $(BUILD)/package/root
package:
	@ci/install_deps.sh build package $(WHEELS_MISSING)
	@$(MAKE) --no-print-directory $(BUILD)/package/libcugate_cupti.so $(BUILD)/package/libcugate_inject.so
	@rm -rf $(root) && $(MAKE) --no-print-directory install DESTDIR='$(abspath $(root))' PREFIX=/usr >$(BUILD)/package/log
	@install $(BUILD)/package/libcugate_{cupti,inject}.so $(root)/usr/lib/cugate

## deb: a Debian package of what install copies, in build/package; NVIDIA's parts are not in it, cugate-fetch gets them
deb: package
	@rm -rf $(BUILD)/package/deb && cp -a $(BUILD)/package/root $(BUILD)/package/deb
	@ci/deb.sh $(BUILD)/package/deb $(VERSION) $(BUILD)/package/cugate_$(VERSION)_$$(dpkg --print-architecture).deb

## wheel: the same for pip, with the libraries it needs; and the reports alone, cugate_reports with the command cugate-report
wheel: folder = $(BUILD)/package/wheel
wheel: package
	@ci/install_deps.sh python && ci/install_python.sh --test
	@ci/wheel.sh $(BUILD)/package/root $(VERSION) $(BUILD)/package
	@rm -rf $(folder) && mkdir -p $(folder)
	@cp -r reports/{pyproject.toml,requirements.in,cugate_reports} $(folder) && cp -r metrics $(folder)/cugate_reports
	@build/python/bin/python -I -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index \
	    --wheel-dir $(BUILD)/package $(folder)
	@echo "package: $$(ls $(BUILD)/package/cugate_reports-*.whl)"

## release: both packages, checksums, and notes from CHANGELOG.md, in build/release
release: deb wheel
	@ci/release.sh $(VERSION) $(BUILD)/package $(BUILD)/release

## clean: remove what was built; what was downloaded (build/{cuda,disasm,python}) and measured (build/history) stays
clean:
	@for entry in build/*; do case $$entry in build/cuda | build/disasm | build/python | build/history) ;; *) rm -rf "$$entry" ;; esac; done

# ---- Rules ---------------------------------------------------------------------------------------------------------

$(sort $(BUILD) build):
	@mkdir -p $@

# `make all` only says what is missing; check-perf and test have installed it before they come here.
check-dependencies:
	@ci/install_deps.sh --check build

$(CUDA_READY): ci/install_cuda_wheels.sh
	@ci/install_cuda_wheels.sh build/cuda '$(TOOLKIT)' $(CUDA_PARTS)
	@touch $@
build/disasm/ready: ci/install_cuda_wheels.sh
	@ci/install_cuda_wheels.sh build/disasm '' disasm
	@touch $@

# Flags live in files that change only when the flags do; objects depend on them.
update = if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/flags.c: FORCE | $(BUILD)
	@$(file >$@.new,$(CC) $(C_FLAGS) $(CUDA_CPPFLAGS) $(LD_FLAGS) $(LIBS) $(CUDA_LDFLAGS))$(update)
build/flags.cu: FORCE | build
	@$(file >$@.new,$(NVCC) $(CU_FLAGS) $(CU_HOST_FLAGS) $(CUDA_LDFLAGS) $(CUDA_PARTS))$(update)

$(BUILD)/%.o: %.c $(BUILD)/flags.c | check-dependencies
	$(call say,CC)$(CC) $(C_FLAGS) $(PLUGIN_FLAGS) -MMD -MP -c -o $@ $<

ARCH_avx2 := -march=x86-64-v3
ARCH_avx512 := -march=x86-64-v4 -mprefer-vector-width=512
define lanes_rule
$(LANES_C:%.c=$(BUILD)/%.$(1).o): $(BUILD)/%.$(1).o: %.c $(BUILD)/flags.c | check-dependencies
	$$(call say,CC)$(CC) $$(C_FLAGS) -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math $(ARCH_$(1)) \
	    -DVECTOR=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach vector,$(VECTORS),$(eval $(call lanes_rule,$(vector))))

# A unit test takes longer to compile than to run. The self-test runs long, so its objects are optimized.
$(filter-out $(SELFTEST_O),$(TESTS_O) $(MACHINE_TESTS_O)): TEST_FLAGS := -O0
$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags.c | check-dependencies
	$(call say,CC)$(CC) $(C_FLAGS) $(TEST_FLAGS) -Itests/unit $(CRITERION_CFLAGS) -MMD -MP -c -o $@ $<

# The rooms of plugins, which alone include CUDA's headers.
CUDA_O := $(patsubst %.c,$(BUILD)/%.o,$(PLUGIN_C) $(INJECT_C) $(RUNTIME_C))
$(CUDA_O): $(CUDA_READY)
$(CUDA_O): PLUGIN_FLAGS = $(CUDA_CPPFLAGS)
$(patsubst %.c,$(BUILD)/%.o,$(PLUGIN_C) $(INJECT_C)): PLUGIN_FLAGS += -fvisibility=hidden
# What is between two operations of the simulator: here SSE's instructions would wait for rows that AVX-512's still load.
LOOP_O := $(patsubst %,$(BUILD)/harness/machine/%.o,barriers block/watch control memory/memory races/meetings races/shadow splits warp)
$(LOOP_O): PLUGIN_FLAGS += $(if $(filter x86_64,$(shell uname -m)),-mgeneral-regs-only)
# cupti_profiler_host.h is C but for an unused #include <string>: for these files, an empty header stands in.
HOST_O := $(BUILD)/harness/cupti/cupti_counters.o
$(HOST_O): PLUGIN_FLAGS += -isystem build/include-cxx-stub
$(HOST_O): | build/include-cxx-stub/string
# The occupancy calculator is one header of the toolkit's that needs no library.
$(BUILD)/harness/cubin/occupancy.o: PLUGIN_FLAGS := $(CUDA_CPPFLAGS)
$(BUILD)/harness/cubin/occupancy.o: $(CUDA_READY)
build/include-cxx-stub/string:
	@mkdir -p $(@D) && : >$@

$(BUILD)/libcugate.a: $(LIBRARY_O)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^

# What executes machine code, for programs of others: harness/machine/README.md. It exports cugate_* alone, also as an archive.
OTHERS_ALL_O := $(OTHERS_O) $(MACHINE_O) $(patsubst %.c,$(BUILD)/%.o,$(wildcard harness/base/*.c harness/names/*.c) $(MACHINE_READS_C))
OTHERS_LIBS = $(if $(findstring -l:,$(DEPENDENCY_LIBS)),$(DEPENDENCY_LIBS),$(shell $(PKG_CONFIG) --libs $(MACHINE_NEEDS) 2>/dev/null)) $(DEMANGLER) -ldl -lm -pthread
$(MACHINE_SO): $(OTHERS_ALL_O) harness/library/library.map
	$(call say,LD)$(CC) $(LD_FLAGS) -shared -o $@ $(OTHERS_ALL_O) -Wl,-soname,$(@F) -Wl,--version-script=harness/library/library.map \
	    -Wl,--exclude-libs,ALL -Wl,--as-needed $(OTHERS_LIBS)
	@if ldd -r $@ 2>&1 | grep 'undefined symbol'; then rm $@; exit 1; fi
	@ln -sfn $(@F) $(@:.$(INTERFACE)=)
$(BUILD)/libcugate_machine.a: $(OTHERS_ALL_O)
	$(call say,AR)$(LD) -r -o $(@:.a=.o) $^ && objcopy --strip-debug --wildcard --keep-global-symbol='cugate_*' $(@:.a=.o) && rm -f $@ && $(AR) rcs $@ $(@:.a=.o)

$(BUILD)/cugate: $(BUILD)/harness/command/main.o $(BUILD)/libcugate.a
	$(call say,LD)$(CC) $(LD_FLAGS) -o $@ $^ $(LIBS) -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../lib/cugate'

# What a plugin lacks with CUDA's libraries at hand: those in a package look for them where another machine has them.
UNDEFINED = LD_LIBRARY_PATH='$(subst $(space),:,$(strip $(abspath $(CUDA_LIBS))))' ldd -r

# The plugin is not linked with the driver: worker/backend.c loads that first, if there is one. So cu* symbols stay open, are bound
# when they are first called (distributions that bind at once would refuse to load it), and no other may be open.
# CUPTI opens libnvperf_host.so by its bare name: of the two kinds of run path, only the older serves its needs.
$(BUILD)/libcugate_cupti.so $(BUILD)/package/libcugate_cupti.so: $(PLUGIN_O) $(BUILD)/libcugate.a
	$(call say,LD)$(CC) $(LD_FLAGS) -shared -o $@ $^ -Wl,--exclude-libs,ALL -Wl,-z,lazy -Wl,--as-needed \
	    $(LIBS) -Wl,--disable-new-dtags $(CUDA_LDFLAGS) -lcupti -lstdc++
	@if $(UNDEFINED) $@ 2>&1 | grep 'undefined symbol' | grep -v 'symbol: cu[A-Z]'; then rm $@; exit 1; fi

# What the driver loads into programs that `cugate run -- PROGRAM` measures. It binds all symbols at once, so the driver's library is
# named as needed; an empty one stands for it here. Of the harness only what a measured process needs is in it, and no
# library but CUPTI: the program may have another version of any.
$(BUILD)/libcuda-empty.so: | $(BUILD)
	$(call say,LD)$(CC) -shared -nostdlib -x c /dev/null -o $@ -Wl,-soname,libcuda.so.1
$(BUILD)/libcugate_inject.so $(BUILD)/package/libcugate_inject.so: $(INJECT_O) $(BUILD)/libcugate.a $(BUILD)/libcuda-empty.so
	$(call say,LD)$(CC) $(LD_FLAGS) -shared -Wl,--no-as-needed -o $@ $^ -Wl,--exclude-libs,ALL -Wl,--as-needed \
	    $(LIBS) -Wl,--disable-new-dtags $(CUDA_LDFLAGS) -lcupti
	@if $(UNDEFINED) $@ 2>&1 | grep 'undefined symbol' | grep -v 'symbol: cu[A-Z]'; then rm $@; exit 1; fi

# The table of the driver's entry points, and other names of some: harness/driver/README.md.
header = $(firstword $(wildcard $(addsuffix /$(1),$(CUDA_INCLUDES))))
$(BUILD)/driver_entries.c: ci/driver_entries.awk $(CUDA_READY) | $(BUILD)
	$(call say,AWK)awk -v aliases=$(@:.c=.ld) -f $< $(call header,cuda.h) $(call header,cudaTypedefs.h) $(call header,cudaProfilerTypedefs.h) >$@
$(BUILD)/driver_entries.o: $(BUILD)/driver_entries.c $(BUILD)/flags.c
	$(call say,CC)$(CC) $(C_FLAGS) -MMD -MP -c -o $@ $<

# Other names of the runtime's functions, for programs with a default stream for each thread: the same here.
$(BUILD)/runtime_aliases.ld: $(RUNTIME_C:%.c=$(BUILD)/%.o) $(CUDA_READY)
	$(call say,AWK)nm --defined-only $(filter %.o,$^) | awk '$$2 == "T" { there[$$3] } match($$0, /__CUDART_API_PT[DS][SZ]\(cuda[A-Za-z0-9_]+/) { \
	    name = substr($$0, RSTART + 18, RLENGTH - 18); other = name "_" tolower(substr($$0, RSTART + 13, 4)); \
	    if (name in there && !(other in there)) print other " = " name ";" }' - $(call header,cuda_runtime_api.h) >$@

# The runtime of CUDA for a simulated GPU, and its driver: it carries the runtime's name, so that kernel libraries take it for
# that one, and exports what that does under the version that they ask for.
$(BUILD)/libcugate_sim.so: $(SIM_O) $(BUILD)/runtime_aliases.ld $(BUILD)/libcugate.a harness/cudart/cudart.map
	$(call say,LD)$(CC) $(LD_FLAGS) -shared -o $@ $(SIM_O) $(BUILD)/driver_entries.ld $(BUILD)/runtime_aliases.ld $(BUILD)/libcugate.a -Wl,-soname,libcudart.so.13 \
	    -Wl,--version-script=harness/cudart/cudart.map -Wl,--exclude-libs,ALL -Wl,--as-needed $(LIBS)
	@if ldd -r $@ 2>&1 | grep 'undefined symbol'; then rm $@; exit 1; fi

# Where programs that are simulated find the two: measure/program_setting.c. Both have one state: the driver's library is a
# filter of the other (DT_FILTER), where its functions are found. It has their names, since what links it looks for them: with
# --as-needed, as Ubuntu's gcc does by default, a library that defines nothing is left out.
$(BUILD)/simulated/libcudart.so.13: $(BUILD)/libcugate_sim.so
	@mkdir -p $(@D) && ln -sfn ../libcugate_sim.so $(@D)/libcudart.so.12 && ln -sfn ../libcugate_sim.so $@ && touch -h $@
$(BUILD)/simulated/libcuda.so.1: $(BUILD)/simulated/libcudart.so.13
	$(call say,LD)nm -D --defined-only $< | awk '$$3 ~ /^cu[A-Z]/ { sub(/@.*/, "", $$3); print ".globl " $$3 "; .type " $$3 ", @function; " $$3 ": .long 0" }' | \
	    $(CC) -shared -nostdlib -x assembler - -x none -o $@ -Wl,-soname,libcuda.so.1 -Wl,-F,libcudart.so.13 -Wl,--no-as-needed $< \
	    -Wl,-rpath,'$$ORIGIN' -Wl,-z,noexecstack

# In a package they find CUPTI where any machine may have it, and not where this one has it.
$(BUILD)/package/%.so: private CUDA_RPATHS := $$ORIGIN/cuda/nvidia/cu13/lib /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64

# cugate's own kernels travel inside the plugin, for every GPU: what is installed may meet another one than the present.
# Without lines, which would name this machine's folders. Not by `ld -b binary`, which aligns nothing.
build/device/%.fatbin: kernels/device/%.cu build/flags.cu $(CUDA_READY)
	$(call say,NVCC)$(NVCC) -fatbin $(filter-out $(GENCODE) -lineinfo,$(CU_FLAGS)) -arch=all $(CUDA_CPPFLAGS) -o $@ $<
.SECONDARY: $(DEVICE_CU:kernels/device/%.cu=build/device/%.fatbin)
$(BUILD)/device/%.o: build/device/%.fatbin | $(BUILD)
	$(call say,EMBED)name=_binary_$*_fatbin && printf '%s\n' '.section .rodata' '.balign 16' \
	    ".globl $${name}_start, $${name}_end" ".hidden $${name}_start, $${name}_end" \
	    "$${name}_start: .incbin \"$<\"" "$${name}_end:" '.section .note.GNU-stack,"",%progbits' | \
	    $(CC) -c -x assembler -o $@ -

build/kernels/%.o: kernels/%.cu build/flags.cu $(CUDA_READY) | check-dependencies
	$(call say,NVCC)$(NVCC) $(CU_FLAGS) $(CU_HOST_FLAGS) -Iharness $(CUDA_CPPFLAGS) -MMD -MP -c -o $@ $<

build/catalogue.cpp: FORCE | build $(CUDA_READY)
	@ci/registry.sh '$(strip $(CU_FLAGS))' $(KERNELS_CU) >$@.new
	@$(update)
build/catalogue.o: build/catalogue.cpp build/flags.cu
	$(call say,NVCC)$(NVCC) -std=c++20 -O2 $(CU_HOST_FLAGS) -Iharness $(CUDA_CPPFLAGS) -MMD -MP -c -o $@ $<

build/libkernels.so: $(KERNELS_O) build/catalogue.o
	$(call say,LD)$(CXX) -shared -o $@ $^ $(CUDA_LDFLAGS) -lcudart -ldl

# What cugate looks for beside itself, for the builds that are not in build/ itself.
$(BUILD)/beside: build/libkernels.so | $(BUILD)
	@[ $(BUILD) = build ] || { ln -sfn ../libkernels.so $(BUILD)/libkernels.so; ln -sfn ../metrics build/metrics; ln -sfn ../disasm $(BUILD)/disasm; }
	@touch $@

# The rule of these folders: tests/scripts/compiled.sh.
COMPILING := $(addprefix tests/,$(addsuffix .sh,$(addprefix scripts/,bisect capsule exec_driver exec_simulated own referee simulate simulate_own static static_files swap timeless) sim/faults sim/oracle sim/proof sim/runtime))
.PHONY: compiled
## compiled: what scripts of tests/ compile with nvcc, once for all builds; test does it too
compiled: $(foreach script,$(COMPILING),build/tests/compiled/$(basename $(notdir $(script)))/ready)
define compiled_rule
build/tests/compiled/$(basename $(notdir $(1)))/ready: $(1) tests/scripts/compiled.sh $(wildcard tests/data/*.cu tests/capsule/*.cu tests/capsule/taken.c tests/sim/*.cu \
    tests/sim/*.h tests/sim/*.cuh tests/sim/driver_program.c tests/sim/place_programs.* tests/sim/oracle_cpu.cc tests/planted/*.patch harness/cugate/*) $(KERNELS_CU) \
    build/libkernels.so | $(BUILD)/tests/random_kernels $(BUILD)/cugate
	$$(call say,NVCC)rm -rf $$(@D) && mkdir -p $$(@D) && $$(test_environment) GENERATOR=$(BUILD)/tests/random_kernels $(1) --compile \
	    >$$(@D)/log 2>&1 || { cat $$(@D)/log; exit 1; }
	@touch $$@
endef
$(foreach script,$(COMPILING),$(eval $(call compiled_rule,$(script))))

# Kernel libraries for the tests, in plain C; like the plugins they are loaded and not linked.
$(BUILD)/tests/lib%.so: tests/libraries/%.c tests/libraries/answer.h harness/cugate/kernel.h $(BUILD)/flags.c | check-dependencies
	$(call say,CC)$(CC) $(C_FLAGS) -shared -o $@ $<

$(BUILD)/tests/unit_tests: $(TESTS_O) $(BUILD)/libcugate.a | $(TESTS_SO) $(BUILD)/libcugate_cupti.so
$(BUILD)/tests/machine_tests: $(MACHINE_TESTS_O) $(SIM_O) $(OTHERS_O) $(BUILD)/libcugate.a | $(TESTS_SO)
$(BUILD)/tests/unit_tests $(BUILD)/tests/machine_tests:
	$(call say,LD)$(CC) $(LD_FLAGS) -o $@ $^ $(LIBS) $(CRITERION_LIBS) \
	    -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/..' -Wl,--export-dynamic-symbol='mbedtls_x509_crt_parse_*'

# A GPU that is made up, for tests of what CUPTI measures. Sources that match a pattern make one library or program.
.PHONY: standin
standin: $(STANDIN)
standin_o = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1:%=tests/standin/%)))
$(BUILD)/tests/standin/%.o: tests/standin/%.c $(BUILD)/flags.c $(CUDA_READY) | check-dependencies build/include-cxx-stub/string
	$(call say,CC)$(CC) $(C_FLAGS) -isystem build/include-cxx-stub $(CUDA_CPPFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/standin/libcuda.so.1: $(call standin_o,driver_*.c) $(BUILD)/libcugate.a tests/standin/libcuda.map
	$(call say,LD)$(CC) $(LD_FLAGS) -shared -o $@ $(filter %.o %.a,$^) -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL \
	    -Wl,--version-script=tests/standin/libcuda.map $(LIBS)
$(BUILD)/tests/standin/libcupti.so.13: $(call standin_o,profiler_*.c) tests/standin/libcupti.map
	$(call say,LD)$(CC) $(LD_FLAGS) -shared -o $@ $(filter %.o,$^) -Wl,-soname,$(@F) \
	    -Wl,--version-script=tests/standin/libcupti.map -ldl -lm -pthread

# Found by LD_LIBRARY_PATH, as where there is a real driver.
$(BUILD)/tests/standin/program: $(call standin_o,made_*.c gpu.c echo.c) $(BUILD)/tests/standin/cubins.o | $(BUILD)/tests/standin/libcuda.so.1
	$(call say,LD)$(CC) $(LD_FLAGS) -o $@ $^ -L$(@D) -l:libcuda.so.1 -ldl -pthread
$(BUILD)/tests/standin/library.so: $(call standin_o,library.c gpu.c) $(BUILD)/tests/standin/cubins.o | $(BUILD)/tests/standin/libcuda.so.1
	$(call say,LD)$(CC) $(LD_FLAGS) -shared -o $@ $^ -L$(@D) -l:libcuda.so.1
$(BUILD)/tests/standin/late: $(call standin_o,late.c) $(BUILD)/tests/standin/cubins.o
	$(call say,LD)$(CC) $(LD_FLAGS) -o $@ $^ -ldl
$(BUILD)/tests/standin/bare: $(call standin_o,bare.c)
	$(call say,LD)$(CC) $(LD_FLAGS) -o $@ $^
# Sanitizers need shared libraries.
$(BUILD)/tests/standin/bare_static: tests/standin/bare.c $(BUILD)/flags.c
	$(call say,LD)$(CC) -std=c11 -D_GNU_SOURCE $(CFLAGS) $(LDFLAGS) -static -o $@ $(filter tests/%.c,$^)

# Machine code for one architecture, whatever GPU is here: the made up one is of that.
STANDIN_CUBINS := $(patsubst %,build/tests/standin/%.cubin,kernels other unlined)
$(STANDIN_CUBINS): build/tests/standin/%.cubin: tests/standin/kernels.cu build/flags.cu $(CUDA_READY)
	$(call say,NVCC)$(NVCC) -cubin -arch=sm_90 $(if $(filter unlined,$*),,-lineinfo) $(if $(filter other,$*),-DOTHER) -o $@ $<
# In containers as nvcc puts them into a program (harness/cubin/cubin.c), but for the one that has another add_one.
$(BUILD)/tests/standin/cubins.o: $(STANDIN_CUBINS) | $(BUILD)
	$(call say,EMBED)for file in $^; do name=_binary_$$(basename $$file .cubin)_cubin; section='.nv_fatbin, "a"'; \
	    [ $$name != _binary_other_cubin ] || section=.rodata; printf '%s\n' ".section $$section" '.balign 16' \
	    '.long 0xba55ed50' '.short 1, 16' '.quad 2f - 1f' '1: .short 2, 1' '.long 16' '.quad 2f - 3f' \
	    ".globl $${name}_start" '3:' "$${name}_start: .incbin \"$$file\"" '2:'; done | \
	    { cat; echo '.section .note.GNU-stack,"",%progbits'; } | $(CC) -c -x assembler -o $@ -

$(BUILD)/selftest/selftest: $(SELFTEST_O) $(BUILD)/libcugate.a
	$(call say,LD)$(CC) $(LD_FLAGS) -o $@ $^ $(LIBS) $(GSL_LIBS)

# One folder, whatever folders the archive has.
$(BUILD)/selftest/sessions: tests/data/sessions-nvidia-h200.tar.xz
	$(call say,UNPACK)rm -rf $@ && mkdir -p $@ && \
	    tar -xJf $< -C $@ --transform 's|^\./||;s|/|-|g' --no-anchored --wildcards '*.json' && touch $@

# Prints random kernels, on which the simulator is compared with a GPU.
$(BUILD)/tests/sim/random_kernels.o: tests/sim/random_kernels.txt
$(BUILD)/tests/random_kernels: $(BUILD)/tests/sim/random_kernels.o
	$(call say,LD)$(CC) $(LD_FLAGS) -o $@ $^

# Makes capsules without a GPU.
$(BUILD)/tests/made_capsules: $(BUILD)/tests/capsule/made_capsules.o $(BUILD)/libcugate.a
	$(call say,LD)$(CC) $(LD_FLAGS) -o $@ $^ $(LIBS)

# Which instructions a file has.
$(BUILD)/tests/opcodes: $(BUILD)/tests/sim/opcodes.o $(SIM_O) $(BUILD)/libcugate.a
	$(call say,LD)$(CC) $(LD_FLAGS) -o $@ $^ $(LIBS)

# Without libFuzzer, a main of our own feeds the corpus to each target.
FUZZ_MAIN ?= $(BUILD)/tests/fuzz/replay_main.o
fuzzers: $(FUZZERS)
$(BUILD)/fuzz/fuzz_decode $(BUILD)/fuzz/fuzz_driver $(BUILD)/fuzz/fuzz_proof: $(SIM_O)
$(FUZZERS): $(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/%.o $(FUZZ_MAIN) $(BUILD)/libcugate.a
	$(call say,LD)$(CC) $(LD_FLAGS) $(FUZZ_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

FORCE:

-include $(shell [ -d build ] && find build -path build/cuda -prune -o -name '*.d' -print)
