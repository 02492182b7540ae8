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

# ---- where the toolkit is ----------------------------------------------------------------------
NVCC      ?= $(shell command -v nvcc 2>/dev/null || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
CUDA      := $(if $(NVCC),$(patsubst %/bin/nvcc,%,$(realpath $(NVCC))))
CUDA_DIRS := lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib extras/CUPTI/lib64 extras/CUPTI/lib
CUPTI_H   := $(if $(CUDA),$(firstword $(wildcard $(CUDA)/extras/CUPTI/include/cupti.h $(CUDA)/include/cupti.h $(CUDA)/targets/*/include/cupti.h)))
CUPTI_LIB := $(if $(CUDA),$(firstword $(wildcard $(foreach d,$(CUDA_DIRS),$(CUDA)/$(d)/libcupti.so))))
CUDA_LIBS := $(if $(CUDA),$(foreach d,$(CUDA_DIRS),$(wildcard $(CUDA)/$(d)/.)))
HAVE_GPU  := $(shell nvidia-smi -L 2>/dev/null | grep -q . && echo yes)

# auto: the GPU where nvcc and a working GPU are, else the simulated one.
ifeq ($(DEVICE),auto)
override DEVICE := $(if $(and $(NVCC),$(HAVE_GPU)),gpu,sim)
endif

LABS := $(sort $(foreach d,$(wildcard labs/*/lab.cu),$(firstword $(subst -, ,$(notdir $(patsubst %/,%,$(dir $(d))))))))
dir   = $(patsubst %/,%,$(dir $(wildcard labs/$(1)-*/lab.cu)))

# ---- how things are compiled -------------------------------------------------------------------
WARN      := -Wall -Wextra
OPT       ?= -O2 -g
DEFS      := -D_GNU_SOURCE -DLAB_VERSION='"$(VERSION)"'
CFLAGS_   := -std=c11 $(OPT) $(WARN) $(DEFS) -Icommon -MMD -MP $(CFLAGS)
SIM_INC   := -Icommon/sim/include -Icommon/sim
SIM_CU    := -x cuda --cuda-host-only --cuda-path=/nonexistent -nocudainc -nocudalib \
             -Xclang -target-sdk-version=11.0 -std=c++17 $(OPT) $(WARN) $(DEFS) -Icommon $(SIM_INC) -MMD -MP $(CFLAGS)
ARCH      ?= $(if $(HAVE_GPU),native,all-major)
GPU_INC   := -isystem $(CUDA)/include $(if $(CUPTI_H),-isystem $(dir $(CUPTI_H)))
GPU_CU    := -arch=$(ARCH) -std=c++17 $(OPT) $(DEFS) -Icommon -Xcompiler -Wall,-Wextra -MMD -MP
GPU_LINK  := -arch=$(ARCH) $(foreach d,$(CUDA_LIBS),-L$(d) -Xlinker -rpath -Xlinker $(d)) -lcublas \
             $(if $(and $(CUPTI_H),$(CUPTI_LIB)),-L$(dir $(CUPTI_LIB)) -Xlinker -rpath -Xlinker $(dir $(CUPTI_LIB)) -lcupti) -ldl

HOST_C  := $(wildcard common/*.c)
HOST_CU := $(wildcard common/*.cu)
GPU_C   := $(wildcard common/gpu/*.c)
SIM_C   := $(wildcard common/sim/*.c)
GPU_O   := $(patsubst common/%,$(B)/gpu/%.o,$(HOST_C) $(HOST_CU) $(GPU_C))
SIM_O   := $(patsubst common/%,$(B)/sim/%.o,$(HOST_C) $(HOST_CU) $(SIM_C))

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-zA-Z%_-]+:.*## / { sub(/%/, "N", $$1); printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo "  DEVICE=auto|gpu|sim|recorded   GPU=<profile>   ARGS=\"<lab options>\"   OUT=<dir>   RUN=\"<launcher>\"   FORMAT=png|svg|pdf|txt"
.DEFAULT_GOAL := help

$(B)/gpu/%.c.o: common/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_) $(GPU_INC) $(if $(CUPTI_H),-DHAVE_CUPTI) -c $< -o $@
$(B)/gpu/%.cu.o: common/%.cu
	@mkdir -p $(@D)
	$(NVCC) $(GPU_CU) -c $< -o $@
$(B)/sim/%.c.o: common/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_) $(SIM_INC) -c $< -o $@
$(B)/sim/%.cu.o: common/%.cu
	@mkdir -p $(@D)
	$(CLANG) $(SIM_CU) -c $< -o $@

# A lab is labs/N-name/lab.cu and the .c files beside it (sim.c only on the simulator).
define lab_rules
$(B)/gpu/lab-$(1): $(call dir,$(1))/lab.cu $(filter-out %/sim.c,$(wildcard $(call dir,$(1))/*.c)) $(GPU_O)
	$(NVCC) $(GPU_CU) -c $$< -o $$@.o
	$(NVCC) $(GPU_LINK) $$@.o $(GPU_O) -o $$@
$(B)/sim/lab-$(1): $(call dir,$(1))/lab.cu $(wildcard $(call dir,$(1))/*.c) $(SIM_O)
	$(CLANG) $(SIM_CU) -c $$< -o $$@.o
	$(CC) -rdynamic $(OPT) $(CFLAGS) $$@.o $(if $(wildcard $(call dir,$(1))/sim.c),$(CFLAGS_) $(SIM_INC) $(call dir,$(1))/sim.c) $(SIM_O) -o $$@ -lm -ldl
endef
$(foreach n,$(LABS),$(eval $(call lab_rules,$(n))))

-include $(shell find $(B) -name '*.d' 2>/dev/null)
