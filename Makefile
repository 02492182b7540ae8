# Every command a person types. `make` alone lists them.

VERSION := 0.1.0
DEVICE  ?= auto
OUT     ?= out
RUN     ?=
ARGS    ?=
FORMAT  ?= png
FROM    ?= out
CC      ?= cc
CLANG   ?= clang
B       ?= build

# A folder's name as one word of the shell, whatever is in it, and never an option; "~/" is the home,
# though make was given it after a "=" where the shell leaves it as it is.
quoted = '$(subst ','\'',$(1))'
home   = $(if $(filter ~/%,$(1)),$(HOME)/$(patsubst ~/%,%,$(1)),$(if $(filter -%,$(1)),./)$(1))
folder = $(call quoted,$(call home,$(1)))
O      = $(call folder,$(or $(OUT),out))

SHELL       := /bin/bash
.SHELLFLAGS := -o pipefail -c
MAKEFLAGS   += --no-builtin-rules

ifneq ($(words $(B)),1)
$(error B=$(B): name one folder, without spaces)
endif
export PLOT_BUILD := $(abspath $(call home,$(B)))

# With -j these would compile the same files at once, mix their reports, or come before their setup.
# Each compiles its own files in parallel, for that is done by another make.
ifneq ($(filter setup labs plots lab-% exercise-%,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

# ---- where the toolkit is ----------------------------------------------------------------------
NVCC      ?= $(shell command -v nvcc 2>/dev/null || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
# nvcc may be a link, through which it does not find its toolkit, or a script that starts the
# toolkit's own: it says itself where that is.
override NVCC := $(or $(filter %/nvcc,$(realpath $(NVCC))),$(NVCC))
CUDA      := $(if $(NVCC),$(realpath $(shell $(NVCC) --dryrun -E -x cu /dev/null 2>&1 | sed -n 's/^\#\$$ TOP=//p')))
CUDA_DIRS := lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib extras/CUPTI/lib64 extras/CUPTI/lib
# Where NVIDIA's installers, package managers and Debian (nvidia-cuda-toolkit) put libraries and CUPTI.
cuda_library = $(if $(CUDA),$(firstword $(wildcard $(addsuffix /lib$(1).so,$(CUDA_DIRS:%=$(CUDA)/%) /usr/lib/$(MACHINE)-linux-gnu))))
MACHINE   := $(shell uname -m)
CUPTI     ?= $(if $(and $(CUPTI_H),$(CUPTI_LIB)),yes)
CUPTI_H   := $(if $(CUDA),$(firstword $(wildcard $(addsuffix /cupti.h,$(CUDA)/extras/CUPTI/include $(CUDA)/include $(CUDA)/targets/*/include /usr/include))))
CUPTI_LIB := $(call cuda_library,cupti)
CUBLAS    := $(call cuda_library,cublas)
CUDA_LIBS := $(if $(CUDA),$(foreach d,$(CUDA_DIRS),$(wildcard $(CUDA)/$(d)/.)))
HAVE_GPU  := $(shell nvidia-smi -L 2>/dev/null | grep -q . && echo yes)

# auto: the GPU where nvcc and a working GPU are (a launcher brings its own), else the simulated one.
ifeq ($(DEVICE),auto)
override DEVICE := $(if $(and $(NVCC),$(HAVE_GPU)$(RUN)),gpu,sim)
endif

ifeq ($(filter gpu sim recorded,$(DEVICE)),)
$(error DEVICE=$(DEVICE): choose auto, gpu, sim or recorded)
endif

# one_of(variable, words): an error unless it is one of the words.
one_of = $(if $(filter $($(1)),$(2)),,$(error $(1)=$($(1)): choose one of $(2)))
PICTURES := png svg pdf txt

LABS := $(sort $(foreach d,$(wildcard labs/*/lab.cu),$(firstword $(subst -, ,$(notdir $(patsubst %/,%,$(dir $(d))))))))
lab_dir = $(patsubst %/,%,$(dir $(wildcard labs/$(1)-*/lab.cu)))

# One compiler for .c and .cu, so that there is one sanitizer library.
ifdef SAN
override B := build/san
CC      := $(CLANG)
SANITIZE := -fsanitize=address,undefined -fno-sanitize=function,vptr -fno-sanitize-recover=undefined -fno-omit-frame-pointer
override CFLAGS := $(strip $(filter-out $(SANITIZE),$(CFLAGS)) $(SANITIZE))
endif

# ---- how things are compiled -------------------------------------------------------------------
# A command is shown by what it makes; V=1 shows it whole.
V         ?=
Q          = $(if $(V),,@echo "  $@";)
WARN      := -Wall -Wextra
OPT       ?= -O2 -g
DEFS      := -D_GNU_SOURCE -DLAB_VERSION='"$(VERSION)"'
CFLAGS_   := -std=c11 $(OPT) $(WARN) $(DEFS) -Icommon -MMD -MP $(CFLAGS)
SIM_INC   := -Icommon/sim/include -Icommon/sim -DSIM_DEVICES_DIR='"$(abspath common/sim/devices)"'
SIM_CU    := -x cuda --cuda-host-only --cuda-path=/nonexistent -nocudainc -nocudalib \
             -Xclang -target-sdk-version=11.0 -std=c++17 $(OPT) $(WARN) $(DEFS) -Icommon $(SIM_INC) -MMD -MP $(CFLAGS)
ARCH      ?= $(if $(HAVE_GPU),native,all-major)
GPU_INC   := -isystem $(CUDA)/include $(if $(CUPTI:no=),-isystem $(dir $(CUPTI_H)) -DHAVE_CUPTI)
GPU_CU    := -arch=$(ARCH) -std=c++17 $(OPT) $(DEFS) -Icommon -Xcompiler -Wall,-Wextra -MMD -MP
GPU_LINK  := -arch=$(ARCH) $(foreach d,$(CUDA_LIBS),-L$(d) -Xlinker -rpath -Xlinker $(d)) -lcublas \
             $(if $(CUPTI:no=),-L$(dir $(CUPTI_LIB)) -Xlinker -rpath -Xlinker $(dir $(CUPTI_LIB)) -lcupti) -ldl

HOST_C  := $(wildcard common/*.c)
HOST_CU := $(wildcard common/*.cu)
GPU_C   := $(wildcard common/gpu/*.c)
SIM_C   := $(wildcard common/sim/*.c)
GPU_O   := $(patsubst common/%,$(B)/gpu/%.o,$(HOST_C) $(HOST_CU) $(GPU_C))
SIM_O   := $(patsubst common/%,$(B)/sim/%.o,$(HOST_C) $(HOST_CU) $(SIM_C))

# Students get the suite without its tests, its grader and what prints the sheets (handout-bundle).
INSTRUCTORS := test test-gpu bench lint cupti-versions grade grade-class gradescope handout-bundle handouts record
ABSENT      := $(if $(wildcard tests/grade),,$(INSTRUCTORS))
ifneq ($(filter $(ABSENT),$(MAKECMDGOALS)),)
$(error make $(firstword $(filter $(ABSENT),$(MAKECMDGOALS))) is for instructors, whose copy of the suite has what it needs)
endif

.PHONY: help
help: ## this list
	@echo "  make lab-1 .. lab-$(lastword $(LABS))     build, run, report and draw one lab"
	@echo "  make exercise-1 ..      the same for your exercise.cu, with its judge's verdict"
	@awk -F ':.*## ' -v absent=" $(ABSENT) " '/^[a-zA-Z%_-]+:.*## / && !index(absent, " " $$1 " ") { sub(/%/, "N", $$1); printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo "  DEVICE=auto|gpu|sim|recorded   GPU=<profile>   ARGS=\"<lab options>\"   OUT=<dir>   RUN=\"<launcher>\"   FORMAT=png|svg|pdf|txt   PART=<name>|all   V=1 shows commands"
.DEFAULT_GOAL := help

# What was compiled with other flags, for another version or with another toolkit is compiled anew.
GPU_FLAGS := $(CC) $(CFLAGS_) $(GPU_INC) $(NVCC) $(GPU_CU)
SIM_FLAGS := $(CC) $(CFLAGS_) $(CLANG) $(OPT) $(CFLAGS)
define flags_rules
ifneq ($$(file <$(B)/$(1)/flags),$$($(2)))
$(B)/$(1)/flags: FORCE
endif
$(B)/$(1)/flags:
	@$(3)mkdir -p $$(@D) && printf '%s\n' $$(call quoted,$$($(2))) >$$@
endef
NEED_CLANG := command -v $(firstword $(CLANG)) >/dev/null || { \
    echo "no $(firstword $(CLANG)), which compiles for the simulated GPU: make setup, or name it with CLANG=" >&2; exit 3; }; 
$(eval $(call flags_rules,gpu,GPU_FLAGS))
$(eval $(call flags_rules,sim,SIM_FLAGS,$(NEED_CLANG)))

$(B)/gpu/%.c.o: common/%.c $(B)/gpu/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_) $(GPU_INC) -c $< -o $@
$(B)/gpu/%.cu.o: common/%.cu $(B)/gpu/flags
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(GPU_CU) -c $< -o $@
$(B)/sim/%.c.o: common/%.c $(B)/sim/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_) $(SIM_INC) -c $< -o $@
$(B)/sim/%.cu.o: common/%.cu $(B)/sim/flags
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(SIM_CU) -c $< -o $@

# A lab is labs/N-name/lab.cu and the .cu and .c files beside it (sim.c only on the simulator).
$(B)/gpu/labs/%.o: labs/% $(B)/gpu/flags
	@mkdir -p $(@D)
	$(Q)$(if $(filter %.cu,$<),$(NVCC) $(GPU_CU),$(CC) $(CFLAGS_) $(GPU_INC)) -c $< -o $@
$(B)/sim/labs/%.o: labs/% $(B)/sim/flags
	@mkdir -p $(@D)
	$(Q)$(if $(filter %.cu,$<),$(CLANG) $(SIM_CU),$(CC) $(CFLAGS_) $(SIM_INC)) -c $< -o $@

lab_src = $(filter-out %/exercise.cu %/judge.cu $(if $(filter gpu,$(1)),%/sim.c),$(wildcard $(call lab_dir,$(2))/*.cu $(call lab_dir,$(2))/*.c))
define lab_rules
$(B)/gpu/lab-$(1): $(patsubst %,$(B)/gpu/%.o,$(call lab_src,gpu,$(1))) $(GPU_O)
	$$(Q)$(NVCC) $$^ $(GPU_LINK) -o $$@
$(B)/sim/lab-$(1): $(patsubst %,$(B)/sim/%.o,$(call lab_src,sim,$(1))) $(SIM_O)
	$$(Q)$(CC) -rdynamic $(OPT) $(CFLAGS) $$^ -o $$@ -lm -ldl
endef
$(foreach n,$(LABS),$(eval $(call lab_rules,$(n))))

# An exercise is labs/N-name/exercise.cu, run by the judge beside it, which may use the lab's other
# files: they are linked as a library. SOLUTION=file.cu takes the exercise's place.
EXERCISES := $(sort $(foreach d,$(wildcard labs/*/judge.cu),$(firstword $(subst -, ,$(notdir $(patsubst %/,%,$(dir $(d))))))))
SOLUTION  ?=
exercise_cu  = $(if $(SOLUTION),$(SOLUTION),$(call lab_dir,$(1))/exercise.cu)
exercise_o   = $(B)/$(1)/$(call lab_dir,$(2))/judge.cu.o $(if $(filter sim,$(1)),$(patsubst %,$(B)/sim/%.o,$(wildcard $(call lab_dir,$(2))/sim.c)))
exercise_lib = $(patsubst %,$(B)/$(1)/%.o,$(filter-out %/lab.cu %/sim.c,$(call lab_src,$(1),$(2))))
define exercise_rules
$(B)/gpu/exercise-$(1): $(call exercise_cu,$(1)) $(B)/exercise-$(1).from $(call exercise_o,gpu,$(1)) $(GPU_O) $(B)/gpu/exercise-$(1).a
	$$(Q)$(NVCC) $(GPU_CU) -MT $$@ -I$(call lab_dir,$(1)) -c $$< -o $$@.o
	$$(Q)$(NVCC) $$@.o $$(filter %.o,$$^) $$(filter %.a,$$^) $(GPU_LINK) -o $$@
$(B)/sim/exercise-$(1): $(call exercise_cu,$(1)) $(B)/exercise-$(1).from $(call exercise_o,sim,$(1)) $(SIM_O) $(B)/sim/exercise-$(1).a
	$$(Q)$(CLANG) $(SIM_CU) -MT $$@ -I$(call lab_dir,$(1)) -c $$< -o $$@.o
	$$(Q)$(CC) -rdynamic $(OPT) $(CFLAGS) $$@.o $$(filter %.o,$$^) $$(filter %.a,$$^) -o $$@ -lm -ldl
# As the compiler sees it, for the grader.
$(B)/gpu/exercise-$(1).i: $(call exercise_cu,$(1)) FORCE
	@$(NVCC) $$(filter-out -MMD -MP,$(GPU_CU)) -I$(call lab_dir,$(1)) -E $$< -o $$@
$(B)/sim/exercise-$(1).i: $(call exercise_cu,$(1)) FORCE
	@$(CLANG) $$(filter-out -MMD -MP,$(SIM_CU)) -I$(call lab_dir,$(1)) -E $$< -o $$@
$(B)/gpu/exercise-$(1).a: $(call exercise_lib,gpu,$(1))
	@rm -f $$@; ar rcs $$@ $$^
$(B)/sim/exercise-$(1).a: $(call exercise_lib,sim,$(1))
	@rm -f $$@; ar rcs $$@ $$^
# Holds whose exercise it is: with another SOLUTION it is built anew.
$(B)/exercise-$(1).from: FORCE
	@mkdir -p $$(@D); [ "$$$$(cat $$@ 2>&1)" = '$(call exercise_cu,$(1))' ] || echo '$(call exercise_cu,$(1))' >$$@
endef
FORCE:
$(foreach n,$(EXERCISES),$(eval $(call exercise_rules,$(n))))

.PHONY: gpu sim need-cuda
need-cuda:
	@$(if $(CUDA),,echo "no CUDA toolkit: nvcc is neither on PATH nor in /usr/local/cuda; name it with NVCC=, or choose DEVICE=sim" >&2; exit 3;) \
	$(if $(CUBLAS),,echo "no libcublas.so in $(CUDA) to link the labs with; install cuBLAS, or choose DEVICE=sim" >&2; exit 3)
$(B)/gpu/flags: | need-cuda
gpu: $(LABS:%=$(B)/gpu/lab-%) ## compile and link every lab with nvcc, also where no GPU is
sim: $(LABS:%=$(B)/sim/lab-%) ## compile and link every lab for the simulated GPU

.PHONY: sim-devices
sim-devices: ## the GPUs that can be simulated (GPU=<name>), and the hosts they can sit in (SIM_HOST=<name>)
	@awk 'FNR == 1 { n = FILENAME; gsub(/.*\/|\.txt$$/, "", n) } \
	    /^name *=/ { sub(/^name *= */, ""); sub(/ *#.*/, ""); \
	    printf "%s=%-18s %s\n", (FILENAME ~ /hosts/ ? "SIM_HOST" : "GPU"), n, $$0 }' \
	    common/sim/devices/*.txt common/sim/devices/hosts/*.txt

.PHONY: fidelity
fidelity: sim ## each recorded quantity of the H200 beside the simulated one: ARGS=--all
	@tests/fidelity $(ARGS) $(B)/sim

# ---- tests on a GPU ----------------------------------------------------------------------------
NEED_CUPTI := events subscriber tracer
GPU_TESTS  := $(filter-out $(if $(CUPTI:no=),,$(NEED_CUPTI)),$(patsubst tests/gpu/%.cu,%,$(wildcard tests/gpu/*.cu)))
GPU_TESTS  := $(patsubst %,$(B)/gpu/tests/%,$(GPU_TESTS))
REPEAT     ?= 10

$(B)/gpu/tests/%.o: tests/gpu/%.cu
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(GPU_CU) $(if $(CUPTI:no=),-isystem $(dir $(CUPTI_H))) -c $< -o $@
$(B)/gpu/bench.o: tests/bench.cu
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(GPU_CU) -c $< -o $@
$(B)/sim/bench.o: tests/bench.cu
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(SIM_CU) -c $< -o $@
$(GPU_TESTS) $(B)/gpu/bench: %: %.o $(GPU_O)
	$(Q)$(NVCC) $^ $(GPU_LINK) -o $@
$(B)/sim/bench: %: %.o $(SIM_O)
	$(Q)$(CC) -rdynamic $(OPT) $(CFLAGS) $^ -o $@ -lm -ldl

# The tracer as each version of CUPTI's headers would have it: 18 is CUDA 11.8, 19 12.0, 23 12.5,
# 26 12.8; the structs of all are in later headers too.
CUPTI_VERSIONS := 18 19 23 26 28 130000
.PHONY: cupti-versions
cupti-versions:
	@$(if $(CUPTI:no=),,echo "no CUPTI in $(CUDA)" >&2; exit 77;) \
	for v in $(CUPTI_VERSIONS); do for f in common/gpu/cupti*.c; do \
	    $(CC) $(CFLAGS_) -MF /dev/null -Werror $(GPU_INC) -D_CUPTI_VERSION_H_ -DCUPTIAPI= -DCUPTI_API_VERSION=$$v \
	        -fsyntax-only $$f && echo "$$f: CUPTI $$v" || exit; done; done
	@for f in common/gpu/cupti*.c; do $(CC) $(CFLAGS_) -MF /dev/null -Werror $(GPU_INC) -UHAVE_CUPTI -fsyntax-only $$f \
	    && echo "$$f: no CUPTI" || exit; done

.PHONY: test-gpu bench need-gpu
need-gpu:
	@$(if $(HAVE_GPU)$(RUN),:,echo "no GPU here (nvidia-smi finds none); make test needs none" >&2; exit 3)
test-gpu: need-gpu $(GPU_TESTS) $(LABS:%=$(B)/gpu/lab-%) ## tests on a GPU: REPEAT=10 runs of each lab
	@$(if $(CUPTI:no=),,echo "left out, because this toolkit has no CUPTI: $(NEED_CUPTI)";) \
	BUILD=$(B) LABS="$(LABS)" REPEAT=$(REPEAT) TEST_LIMIT_S=7200 \
	    $(RUN) tests/run $(GPU_TESTS) tests/gpu/time-outs tests/gpu/labs tests/gpu/exercises tests/gpu/grading tests/gpu/memory
bench: $(B)/$(DEVICE)/bench ## what the labs' machinery costs, against the bare calls
	@$(RUN) $< $(ARGS)

# ---- tests without a GPU: SAN=1 runs them under the address and undefined-behaviour sanitizers ----
UNIT_TESTS := $(patsubst tests/unit/%.c,$(B)/sim/unit/%,$(wildcard tests/unit/*.c))
TESTS      ?= $(UNIT_TESTS) $(wildcard tests/*.bats)

$(B)/sim/unit/%: tests/unit/%.c $(SIM_O)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_) $(SIM_INC) -Itests/unit $(if $(CUDA),-idirafter $(CUDA)/include) -MT $@ -c $< -o $@.o
	$(Q)$(CC) -rdynamic $(OPT) $(CFLAGS) $@.o $(SIM_O) -o $@ -lm -ldl
$(B)/sim/probe: tests/probe.cu $(SIM_O)
	$(Q)$(CLANG) $(SIM_CU) -MT $@ -c $< -o $@.o
	$(Q)$(CC) -rdynamic $(OPT) $(CFLAGS) $@.o $(SIM_O) -o $@ -lm -ldl

.PHONY: test lint
lint: ## hold the sources against .clang-format, .clang-tidy and shellcheck
	@tests/lint format tidy shell
test: $(if $(CUBLAS),$(if $(SAN),,gpu)) sim $(filter $(B)/%,$(TESTS)) $(B)/sim/probe ## tests that need no GPU: TESTS="tests/faults.bats", SAN=1
	@BUILD=$(B) CUDA=$(CUDA) tests/run $(TESTS)

# ---- running -----------------------------------------------------------------------------------
.PHONY: setup labs plots record
setup: ## install what is missing (Debian, Ubuntu), and say what was found
	@NVCC=$(NVCC) CUDA=$(CUDA) CUPTI=$(if $(CUPTI:no=),$(CUPTI_LIB)) CUBLAS=$(CUBLAS) common/setup.sh

.PHONY: $(LABS:%=lab-%)
$(LABS:%=lab-%): lab-%:
	@$(MAKE) --no-print-directory run-$(DEVICE) LAB=$*
.PHONY: $(EXERCISES:%=exercise-%)
$(EXERCISES:%=exercise-%): exercise-%:
	@$(if $(filter recorded,$(DEVICE)),echo "an exercise has no recorded run; choose DEVICE=sim" >&2; exit 2,:)
	@$(MAKE) --no-print-directory run-$(DEVICE) PROGRAM=exercise LAB=$*
lab-%:
	@echo "there is no $@; labs: $(LABS)" >&2; exit 2
exercise-%:
	@echo "there is no $@; exercises: $(EXERCISES)" >&2; exit 2
labs: ## run every lab
	@status=0; for n in $(LABS); do $(MAKE) --no-print-directory lab-$$n || status=1; done; exit $$status

.PHONY: run-gpu run-sim run-recorded
PROGRAM ?= lab
run-gpu run-sim: run-%: $(B)/$(DEVICE)/$(PROGRAM)-$(LAB)
	@$(call one_of,FORMAT,$(PICTURES))
	@RUN=$(call quoted,$(RUN)) common/run-lab.sh $< $(O)/$(PROGRAM)-$(LAB) $(FORMAT) $(ARGS)
run-recorded:
	@$(call one_of,FORMAT,$(PICTURES))
	@common/recorded.sh $(call lab_dir,$(LAB)) $(O)/recorded/lab-$(LAB) $(FORMAT)
plots: ## draw the charts again: FROM=out, recorded, or both (yours and recorded ones in one chart)
	@$(call one_of,FORMAT,$(PICTURES))$(call one_of,FROM,out recorded both)
	@drawn=; part=$(call quoted,$(filter-out all,$(PART))); \
	draw() { \
	    if [ -n "$$part" ] && ! plots/plot-data parts "$$2" | grep -q "^$$part "; then return; fi; \
	    plots/draw --out "$$@" || exit; drawn=1; }; \
	for n in $(LABS); do \
	    recorded=$$(ls -d labs/$$n-*/recorded/*/ 2>/dev/null); own=$(O)/lab-$$n; \
	    if [ $(FROM) = recorded ]; then \
	        for run in $$recorded; do draw $(O)/recorded/lab-$$n/$$(basename $$run) $$run $(FORMAT); done; \
	    elif [ ! -d "$$own" ]; then continue; \
	    elif [ $(FROM) = both ]; then draw $(O)/both/lab-$$n "$$own" $(FORMAT) $$recorded; \
	    else draw "$$own" "$$own" $(FORMAT); fi; done; \
	if [ -z "$$drawn" ] && [ -n "$$part" ]; then echo "plots: no run has a part $$part: the charts' names, after timeline-" >&2; exit 1; fi; \
	if [ -z "$$drawn" ]; then echo "plots: no run is in "$(O)"; run a lab first (make lab-N)" >&2; exit 1; fi
.PHONY: plot
plot: ## draw a profiler's trace: TRACE=file.csv (cuda_gpu_trace, cuda_api_trace; nvprof), or several
	@$(call one_of,FORMAT,$(PICTURES))
	@plots/trace-convert $(O)/trace $(or $(TRACE),$(error say which: make plot TRACE=file.csv, as from nsys stats --report cuda_gpu_trace --format csv, or nvprof --print-gpu-trace --csv))
	@TITLE=$(call quoted,$(notdir $(TRACE))) plots/draw $(O)/trace $(FORMAT)

# ---- grading -----------------------------------------------------------------------------------
GRADE_FORMAT  := $(if $(filter file,$(origin FORMAT)),,$(FORMAT))
GRADE_FORMATS := text tap junit gradescope classroom autolab
# Students name what they hand in: SUBMISSION and CLASS are taken as they stand.
SUBMISSION    ?= .
unexport SUBMISSION CLASS
HANDED_OUT    := labs/handed-out.sha256
.PHONY: grade grade-class gradescope handout-bundle hand-in
grade: ## grade this folder, or SUBMISSION=<dir or archive>: ARGS="lab-1", FORMAT=text|tap|junit|gradescope|classroom|autolab
	@$(if $(GRADE_FORMAT),$(call one_of,FORMAT,$(GRADE_FORMATS)))
	@tests/grade --device $(DEVICE) --submission $(call folder,$(value SUBMISSION)) --format $(or $(GRADE_FORMAT),text) $(ARGS)
grade-class: ## grade each folder, .zip or .tar.gz in CLASS=<dir>; the grade book goes to out/grades/grades.csv; ARGS="lab-1 lab-3"
	@tests/grade-class --device $(DEVICE) --out $(O)/grades $(call folder,$(or $(value CLASS),$(error say which: make grade-class CLASS=folder))) $(ARGS)
gradescope: ## out/gradescope.zip, an autograder for a machine without a GPU; ARGS="lab-1 lab-3"
	@tests/grading/pack.py gradescope $(O)/gradescope.zip $(ARGS)
handout-bundle: ## out/gpu-asynchrony-labs.tar.gz, what students get: the labs, and the sheets as PDF and HTML; ARGS="lab-1 lab-3"
	@if ! changed=$$(LC_ALL=C sha256sum --quiet -c $(HANDED_OUT) 2>/dev/null); then \
	    changed=$$(sed 's/: FAILED.*//' <<<"$$changed" | xargs); echo "handout-bundle: filled in or changed since" \
	        "they were handed out: $${changed:-unknown, for $(HANDED_OUT) is missing}; put them back (git stash keeps" \
	        "yours), or, if students" \
	        "are to get them so: sha256sum labs/*/answers.txt labs/*/exercise.cu >$(HANDED_OUT)" >&2; exit 1; fi
	@rm -rf $(O)/sheets && handouts/write --sheets $(O)/sheets
	@tests/grading/pack.py handout $(O)/gpu-asynchrony-labs.tar.gz $(O)/sheets $(ARGS)
hand-in: ## out/hand-in.zip (or .tar.gz), what a student hands in: exercises, answers, own runs
	@common/hand-in.sh $(O) $(B)/$(if $(filter gpu,$(DEVICE)),gpu,sim) $(LABS)

.PHONY: handouts
handouts: ## the sheets: numbers and figures from the recorded runs, then HTML and A4 PDF in build/handouts
	@handouts/write $(B)/handouts
record: ## on a GPU machine: store this GPU's runs beside each lab
	@$(MAKE) --no-print-directory gpu && common/record.sh $(B)/gpu $(LABS)

-include $(shell find $(B) -name '*.d' 2>/dev/null)
