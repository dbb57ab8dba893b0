# SPDX-License-Identifier: GPL-2.0-only
#
# Everything is built below build/. "make help" lists the targets.

MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

# Neither make nor the kernel's build system can: what they say is of something else.
ifneq ($(words x$(CURDIR)),1)
$(error $(CURDIR): has a blank in its name, and make cannot build there: move it)
endif

# Who runs what is in this tree trusts its owner, as Documentation/security.rst has it. Root may run it
# in a container in which the tree is somebody's.
ifndef SUDO_UID
export SUDO_UID := $(shell stat -c %u .)
export SUDO_GID := $(shell stat -c %g .)
endif

# The kernel the module is built for: the one the guest runs by default. The
# module for another kernel appears as build/RELEASE/kmod/ovnik.ko.
DEFAULT_ROW := $(shell tools/vm/table)
DEFAULT_KERNEL := $(word 1,$(DEFAULT_ROW))
DEFAULT_SERIES := $(word 4,$(DEFAULT_ROW))
DEFAULT_KDIR := $(shell printf '%s\n' /usr/src/* | \
	grep -Ex '/usr/src/linux-headers-$(DEFAULT_SERIES)' | sort -V | tail -n 1)
KDIR ?= $(DEFAULT_KDIR)
ifeq ($(abspath $(KDIR)),$(DEFAULT_KDIR))
KBUILD_DIR := build
else
RELEASE := $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null)
KBUILD_DIR := build/$(RELEASE)
endif
HEADERS := $(wildcard $(addprefix $(KDIR)/,include/config/auto.conf include/generated/utsrelease.h))

CC := gcc
CLANG := clang

# Where the system's libraries are found out: nothing is compiled for these goals, or by
# another make after packages were installed.
NOT_PROBED := deps demo-deps check check-fast soak mutants demo demo-cluster bench install uninstall dist clean help
# BPF is not needed for these; to probe for it may fetch packages.
WITHOUT_BPF := user docs kmod module no-headers livepatch racy
GOALS := $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out $(NOT_PROBED),$(GOALS)),)
$(shell CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' LDFLAGS='$(LDFLAGS)' tools/probe build)
include build/libraries.mk
ifneq ($(filter-out $(NOT_PROBED) $(WITHOUT_BPF),$(GOALS)),)
PROBED_BPF := $(shell BPF='$(BPF)' BPFTOOL='$(BPFTOOL)' BTF='$(BTF)' CLANG='$(CLANG)' tools/probe-bpf build || echo failed)
$(if $(PROBED_BPF),$(error the BPF programs cannot be built))
include build/bpf.mk
endif
endif

# CPPFLAGS, CFLAGS and LDFLAGS are the user's or the distribution's; these are added.
CFLAGS ?= -O2 -g
OUR_CFLAGS := -std=gnu11 -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes
# Debian has libiberty's headers in a folder of their own.
OUR_CPPFLAGS := -D_GNU_SOURCE= -Iuser -Ikmod/include/uapi -Ibuild/include -idirafter /usr/include/libiberty
# The programs read what strangers have written, as root. Paths of the build are nobody's business.
OUR_CFLAGS += -fPIE -fstack-protector-strong -ffile-prefix-map=$(CURDIR)=.
OUR_LDFLAGS := -Wl,-z,relro -Wl,-z,now
PIE := -pie
ifeq ($(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS))$(findstring -O0,$(CFLAGS)),)
OUR_CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
endif
COMPILE = $(CC) $(CPPFLAGS) $(OUR_CPPFLAGS) $(CFLAGS) $(OUR_CFLAGS)
LINK = $(CC) $(LDFLAGS) $(OUR_LDFLAGS)
LDLIBS := -ljson-c $(HAVE_LIBELF) -lz $(HAVE_ARGP) -lpthread
# Of files of memory references.
REFS_LIBS := $(HAVE_ZSTD) -lz
comma := ,
# For names of functions; programs that run in the guest are not linked with it.
NAME_LIBS := $(HAVE_LIBIBERTY)
# Libraries that tracers need, and symbols for tracers that are loaded.
TRACER_LIBS := $(HAVE_SQLITE) -lm -ldl
TRACER_SYMBOLS := $(addprefix -Wl$(comma)--export-dynamic-symbol=,answer_* tracer_report_error \
	tasks_kind_names tasks_wait_texts tasks_memory_texts)
ifeq ($(WERROR),1)
OUR_CFLAGS += -Werror
endif

# V=1 shows the commands.
ifeq ($(V),1)
say = @:
Q :=
else
say = @printf '  %-7s %s\n'
Q := @
endif

# Programs have a main(); everything else in user/ is the library.
PROGRAMS := ovnik-decode ovnik-emu
USER_SOURCES := $(shell find user -name '*.c' 2>/dev/null | sort)
# NAME_none.c takes the place of NAME.c where a library is missing or too old.
without = $(if $($(1)),$(2)_none.c,$(2).c)
LEFT_OUT := $(call without,HAVE_JSON_U64,user/util/json_compat) \
	$(call without,HAVE_SQLITE,user/output/tracers/builtin/database) \
	$(if $(HAVE_SQLITE),,$(wildcard user/output/tracers/builtin/db_*.c)) \
	$(call without,HAVE_LIBELF,user/output/xray/elf) $(call without,HAVE_LIBELF,user/xray/names) \
	$(call without,HAVE_LIBIBERTY,user/xray/demangle) $(if $(HAVE_LIBELF),,user/xray/symbols.c) \
	$(if $(HAVE_ZSTD),,$(wildcard user/refs/*.c))
LIB_SOURCES := $(filter-out $(PROGRAMS:%=user/%.c) $(LEFT_OUT),$(USER_SOURCES))
BPF_SOURCES := $(wildcard tools/ovnik/bpf*.c)
OVNIK_SOURCES := $(filter-out $(BPF_SOURCES),$(wildcard tools/ovnik/*.c)) $(wildcard tools/ovnik/selftest/*.c) \
	$(if $(BTF_FILE),$(filter-out %_none.c,$(BPF_SOURCES)),tools/ovnik/bpf_none.c)
REFS_SOURCES := $(if $(HAVE_ZSTD),$(wildcard tools/ovnik-refs/*.c))
MERGE_SOURCES := $(if $(HAVE_ZSTD),$(wildcard tools/ovnik-merge/*.c))
SYNC_SOURCES := $(if $(HAVE_MPI),$(wildcard tools/ovnik-sync/*.c))
SPANK_SOURCES := $(if $(HAVE_SPANK),$(wildcard tools/slurm/*.c))
# QEMU's plugin, with what it needs of the library. What calls QEMU is made for two of its interfaces.
QEMU_SOURCES := $(wildcard tools/refs/*.c)
PLUGIN_SOURCES := $(QEMU_SOURCES) user/refs/encode.c user/refs/block.c user/refs/pack.c user/capture/crc.c user/util/file.c \
	user/util/msg.c user/util/utf8.c
GUEST_SOURCES := $(filter-out %.bpf.c,$(wildcard tools/selftests/guest/*.c))
# What the guest's programs share; and of a large program NAME.c the parts, in NAME/.
GUEST_COMMON := $(wildcard tools/selftests/guest/common/*.c)
GUEST_PARTS := $(filter-out $(GUEST_COMMON),$(wildcard tools/selftests/guest/*/*.c))
# What writes captures and logs for the host's tests; of a large one the parts, in its directory.
GEN_SOURCES := $(wildcard tools/selftests/gen/gen-*.c)
GEN_PARTS := $(wildcard tools/selftests/gen/gen-*/*.c)
UNIT_SOURCES := $(filter-out $(if $(HAVE_SQLITE),,%_database.c %_db_rows.c) $(if $(HAVE_ZSTD),,%/refs_%.c), \
	$(wildcard tools/selftests/unit/*.c))
KMOD_SOURCES := $(shell find kmod -path kmod/compat -prune -o \
	\( -name '*.[chS]' -o -name Kbuild \) -printf '%P\n' 2>/dev/null | sort)

LIB := build/libovnik.a
GUEST_TESTS := $(GUEST_SOURCES:tools/selftests/%.c=build/selftests/%)
GEN_TESTS := $(GEN_SOURCES:tools/selftests/%.c=build/selftests/%)
TAKEN := build/selftests/guest/taken.bpf.o
UNIT_TESTS := $(UNIT_SOURCES:tools/selftests/%.c=build/selftests/%)
PRVCHECK := build/selftests/prvcheck
PRVCHECK_SOURCES := $(wildcard tools/selftests/check/prvcheck/*.c)
FUZZERS := $(addprefix build/selftests/fuzz/fuzz-,decode merge xray)
SANITIZED := $(addprefix build/sanitized/,$(PROGRAMS))
THREADS := $(addprefix build/threads/,$(PROGRAMS))
HARNESS := build/kselftest/kselftest_harness.h

# The compiler whose XRay runtime the tests know.
XRAY_CXX := clang++-14
XRAYLOAD := build/selftests/gen/xrayload
XRAYDUMP := build/selftests/check/xraydump
CANONCHECK := build/selftests/check/canoncheck
DUMPTASKS := build/selftests/check/dump-tasks

objects = $(1:%.c=build/obj/%.o)
# With gcc's sanitizers, for programs that read damaged input, and for programs with threads.
sanitized = $(1:%.c=build/sanitized/%.o)
threads = $(1:%.c=build/threads/%.o)
SANITIZE := -O1 -g1 -U_FORTIFY_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined

.PHONY: all
all: kmod bpf user tools ## build the module and the programs (default)

.PHONY: user
user: $(if $(MISSING),missing,$(PROGRAMS:%=build/%) build/cfg) ## build the decoder and the emulator

.PHONY: tools
tools: $(if $(MISSING),missing,build/ovnik $(if $(REFS_SOURCES),build/ovnik-refs build/ovnik-refs.so build/ovnik-refs-qemu11.so) $(if $(MERGE_SOURCES),build/ovnik-merge) $(if $(SYNC_SOURCES),build/ovnik-sync) build/ovnik-job $(if $(SPANK_SOURCES),build/ovnik_spank.so)) ## build the program that records, ovnik-refs and its plugins, ovnik-sync, what is for Slurm

.PHONY: missing
missing:
	$(error cannot be built without $(MISSING) see Documentation/install.rst)

GENERATORS := build/gen-events build/gen-tasks

$(GENERATORS): build/%: build/obj/tools/%.o
	$(say) LD $@
	$(Q)$(LINK) -o $@ $^

# Paraver's views, for who installs them. From scratch: one that has another name now would stay.
build/gen-views: build/obj/tools/gen-views.o $(LIB)
	$(say) LD $@
	$(Q)$(LINK) -o $@ $^ $(LDLIBS)

build/cfg: build/gen-views
	$(say) VIEWS $@
	@rm -rf $@
	$(Q)build/gen-views build || { rm -rf $@; false; }

.PHONY: docs
docs: $(GENERATORS) build/ovnik-decode ## write the documentation that is generated from the sources
	build/gen-events > Documentation/events.rst
	build/gen-tasks > Documentation/tasks-tables.rst
	tools/man-outputs build/ovnik-decode Documentation/man/ovnik-decode.1 > build/man-outputs
	cp build/man-outputs Documentation/man/ovnik-decode.1

.PHONY: tests
tests: $(GENERATORS) $(PRVCHECK) $(GUEST_TESTS) $(GEN_TESTS) $(UNIT_TESTS) $(FUZZERS) $(SANITIZED) $(XRAYLOAD) $(XRAYDUMP) $(CANONCHECK) $(DUMPTASKS) $(HARNESS) livepatch build/selftests/count.so build/selftests/count-qemu11.so $(if $(BTF_FILE),$(TAKEN)) ## build the tests' programs

# Kbuild

LINKS := $(KMOD_SOURCES:%=$(KBUILD_DIR)/kmod/%)

.PHONY: kmod
kmod: $(if $(filter 2,$(words $(HEADERS))),module,no-headers) ## build the kernel module (KDIR=headers)

.PHONY: no-headers
no-headers:
	$(error no kernel headers in KDIR="$(KDIR)": "make deps" installs those of the guest's \
		kernel, KDIR=/lib/modules/$$(uname -r)/build are this machine's)

# Without the kernel's vmlinux kbuild cannot add BTF: that is done here.
LIBBPF := $(wildcard /usr/include/bpf/btf.h)
BTFIDS := $(if $(wildcard $(KDIR)/vmlinux),,$(if $(LIBBPF),build/btfids))
BTFOFFSETS := $(if $(LIBBPF),build/btfoffsets)

build/btfids build/btfoffsets: build/%: build/obj/tools/%.o
	$(say) LD $@
	$(Q)$(LINK) -o $@ $^ -lbpf

# Kbuild writes next to the sources, so it gets a tree of links to them. Links to sources
# that no longer exist are removed, because they could still be included.
.PHONY: module
module: $(if $(wildcard kmod/configure),$(KBUILD_DIR)/configured) $(BTFIDS)
	@find -L $(KBUILD_DIR)/kmod -type l -delete 2>/dev/null || true
	@mkdir -p $(sort $(dir $(LINKS)))
	@ln -sf $(CURDIR)/Kbuild $(KBUILD_DIR)/Kbuild
	@for f in $(KMOD_SOURCES); do ln -sf $(CURDIR)/kmod/$$f $(KBUILD_DIR)/kmod/$$f; done
	$(Q)$(MAKE) --no-print-directory -C $(KDIR) M=$(CURDIR)/$(KBUILD_DIR) $(if $(filter 1,$(WERROR)),KCFLAGS=-Werror) \
		$(if $(wildcard $(KDIR)/vmlinux),,CONFIG_DEBUG_INFO_BTF_MODULES=) modules
	$(Q)kmod/add-btf $(KDIR) $(KBUILD_DIR)/kmod/ovnik.ko $(if $(filter build,$(KBUILD_DIR)),$(DEFAULT_KERNEL))

# Modules of the tests: a live patch of what ours hooks, for guest/livepatch.sh, and one with a
# data race, for soak/race-kernel-1-of-2.sh.
TEST_MODULES := livepatch racy

.PHONY: $(TEST_MODULES)
$(TEST_MODULES):
	@mkdir -p $(KBUILD_DIR)/$@
	@ln -sf $(CURDIR)/tools/selftests/$@/* $(KBUILD_DIR)/$@/
	$(Q)$(MAKE) --no-print-directory -C $(KDIR) M=$(CURDIR)/$(KBUILD_DIR)/$@ \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules

# What this kernel has goes into kmod/ovnik_config.h.
$(KBUILD_DIR)/configured: kmod/configure $(wildcard kmod/compat/*) $(KDIR)/include/config/auto.conf \
		$(BTFOFFSETS)
	$(say) PROBE $(KDIR)
	$(Q)kmod/configure $(KDIR) $(KBUILD_DIR)/kmod $(BTFOFFSETS)
	@touch $@

# Installation

include tools/install/build.mk

# BPF

include bpf/build.mk

# Userspace

build/obj/%.o: %.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

# The page is part of the program.
build/obj/user/output/html/page.o: $(wildcard user/output/html/*.html user/output/html/*.css user/output/html/*.js)

# Made from scratch, because members whose source no longer exists would stay otherwise.
$(LIB): $(call objects,$(LIB_SOURCES)) build/obj/library.list
	$(say) AR $@
	@rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

build/obj/library.list: LISTED = $(LIB_SOURCES)
build/obj/ovnik.list: LISTED = $(OVNIK_SOURCES)
build/obj/library.list build/obj/ovnik.list: FORCE
	@mkdir -p $(@D)
	@echo '$(LISTED)' | cmp -s - $@ || echo '$(LISTED)' >$@

$(PROGRAMS:%=build/%): build/%: build/obj/user/%.o $(LIB)
	$(say) LD $@
	$(Q)$(LINK) $(PIE) -o $@ $^ $(NAME_LIBS) $(LDLIBS)

# Its symbols come from assembler, which a compiler that links does not see.
$(call objects,user/output/html/page.c): OUR_CFLAGS += -fno-lto

build/ovnik-decode: LDLIBS += $(TRACER_LIBS)
build/ovnik-decode: OUR_LDFLAGS += $(TRACER_SYMBOLS)
$(UNIT_TESTS): LDLIBS += -Wl,--as-needed $(TRACER_LIBS) $(REFS_LIBS)

# Programs that run in the guest are static, for there are no libraries.
build/ovnik: $(call objects,$(OVNIK_SOURCES)) $(LIB) build/obj/ovnik.list
	$(say) LD $@
	$(Q)$(LINK) -o $@ $(filter %.o %.a,$^) $(or $(STATIC),$(PIE) $(if $(BTF_FILE),$(HAVE_LIBBPF)) $(LDLIBS))

$(filter build/obj/tools/ovnik/%,$(call objects,$(OVNIK_SOURCES))): OUR_CPPFLAGS += -Ibpf -Ibuild -Itools/ovnik
build/obj/tools/ovnik/bpf_objects.o: $(BPF_SKELETONS)

build/ovnik-refs: $(call objects,$(REFS_SOURCES)) $(LIB)
	$(say) LD $@
	$(Q)$(LINK) $(PIE) -o $@ $^ $(LDLIBS) $(REFS_LIBS)

build/ovnik-merge: $(call objects,$(MERGE_SOURCES)) $(LIB)
	$(say) LD $@
	$(Q)$(LINK) $(PIE) -o $@ $^ $(REFS_LIBS) $(LDLIBS) -lm

build/ovnik-sync: $(call objects,$(SYNC_SOURCES)) $(LIB)
	$(say) LD $@
	$(Q)$(LINK) $(PIE) -o $@ $^ $(HAVE_MPI) -lm

$(call objects,$(SYNC_SOURCES)): OUR_CPPFLAGS += $(patsubst -I%,-isystem %,$(filter -I%,$(HAVE_MPI)))

build/plugin/%.o: %.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(COMPILE) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

build/plugin-qemu11/%.o: OUR_CPPFLAGS += -DQEMU_API=7
build/plugin-qemu11/%.o: %.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(COMPILE) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

build/ovnik-refs.so: $(PLUGIN_SOURCES:%.c=build/plugin/%.o)
build/ovnik-refs-qemu11.so: $(QEMU_SOURCES:%.c=build/plugin-qemu11/%.o) \
	$(patsubst %.c,build/plugin/%.o,$(filter-out $(QEMU_SOURCES),$(PLUGIN_SOURCES)))
build/ovnik-refs.so build/ovnik-refs-qemu11.so:
	$(say) LD $@
	$(Q)$(LINK) -shared -o $@ $^ $(REFS_LIBS) -lpthread

build/ovnik_spank.so: $(SPANK_SOURCES:%.c=build/plugin/%.o)
	$(say) LD $@
	$(Q)$(LINK) -shared -o $@ $^

build/ovnik-job: tools/slurm/ovnik-job kmod/include/uapi/ovnik_version.h
	$(say) SED $@
	$(Q)sed 's|@VERSION@|$(VERSION)|' $< >$@
	$(Q)chmod +x $@

build/selftests/count.so: build/plugin/tools/selftests/plugin/count.o build/plugin/tools/refs/qemu.o
build/selftests/count-qemu11.so: $(addprefix build/plugin-qemu11/tools/,selftests/plugin/count.o refs/qemu.o)
build/selftests/count.so build/selftests/count-qemu11.so:
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(LINK) -shared -o $@ $^

build/plugin/tools/selftests/%.o build/plugin-qemu11/tools/selftests/%.o: OUR_CPPFLAGS += -Itools

build/obj/tools/selftests/guest/shut.o: OUR_CPPFLAGS += -Ibpf

# They are compiled once and run for seconds.
$(call objects,$(GUEST_SOURCES) $(GUEST_COMMON) $(GUEST_PARTS)): OUR_CFLAGS += -O1

GUEST_ARCHIVE := build/selftests/guest-common.a

$(GUEST_ARCHIVE): $(call objects,$(GUEST_COMMON))
	@mkdir -p $(@D)
	$(say) AR $@
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(foreach part,$(GUEST_PARTS),$(eval $(patsubst tools/%/,build/%,$(dir $(part))): $(call objects,$(part))))

build/selftests/guest/%: build/obj/tools/selftests/guest/%.o $(GUEST_ARCHIVE) $(LIB)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(LINK) -static -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS)

$(foreach part,$(GEN_PARTS),$(eval $(patsubst tools/%/,build/%,$(dir $(part))): $(call objects,$(part))))

build/selftests/gen/gen-%: build/obj/tools/selftests/gen/gen-%.o $(LIB)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(LIB) $(LDLIBS) $(REFS_LIBS)

build/selftests/unit/%: build/obj/tools/selftests/unit/%.o $(LIB)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(LINK) -o $@ $^ $(LDLIBS)

define compile_sanitized =
@mkdir -p $(@D)
$(say) CC $@
$(Q)$(COMPILE) $(SANITIZE) -MMD -MP -c -o $@ $<
endef

define link_sanitized =
$(say) LD $@
$(Q)$(LINK) $(SANITIZE) -o $@ $^ $(NAME_LIBS) $(TRACER_LIBS) $(REFS_LIBS) $(LDLIBS)
endef

build/threads/%: SANITIZE := -O1 -g1 -U_FORTIFY_SOURCE -fsanitize=thread
build/threads/%.o: %.c
	$(compile_sanitized)

$(THREADS): build/threads/%: build/threads/user/%.o $(call threads,$(LIB_SOURCES))
	$(link_sanitized)

build/sanitized/%.o: %.c
	$(compile_sanitized)

build/sanitized/user/output/html/page.o: $(wildcard user/output/html/*.html user/output/html/*.css user/output/html/*.js)

$(FUZZERS): build/selftests/%: build/sanitized/tools/selftests/%.o $(call sanitized,$(LIB_SOURCES))
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(LINK) $(SANITIZE) -o $@ $^ $(NAME_LIBS) $(TRACER_LIBS) $(REFS_LIBS) $(LDLIBS)

# The programs themselves, for input that is written to harm them.
$(SANITIZED): build/sanitized/%: build/sanitized/user/%.o $(call sanitized,$(LIB_SOURCES))
	$(link_sanitized)

$(PRVCHECK): $(call objects,$(PRVCHECK_SOURCES))
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(LINK) -o $@ $^ -lz

# Not static: the runtime would crash when it writes the log.
$(XRAYLOAD): tools/selftests/gen/xrayload.cc
	@mkdir -p $(@D)
	$(say) CXX $@
	$(Q)$(XRAY_CXX) -g -O1 -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror) -fxray-instrument \
		-fxray-instruction-threshold=1 -o $@ $< -lpthread \
		-Wl,--wrap=_ZN6__xray24probeRequiredCPUFeaturesEv \
		-Wl,--wrap=_ZN6__xray15getTSCFrequencyEv

$(XRAYDUMP): build/obj/tools/selftests/check/xraydump.o $(LIB)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(LINK) -o $@ $^

$(CANONCHECK): build/obj/tools/selftests/check/canoncheck.o $(LIB)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(LINK) -o $@ $^ $(REFS_LIBS) $(LDLIBS)

$(DUMPTASKS): build/obj/tools/selftests/check/dump-tasks.o $(LIB)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(LINK) -o $@ $^ $(LDLIBS)

# The harness has warnings, and its macros define functions: it takes a third of the time without -O2.
$(call objects,$(UNIT_SOURCES)): OUR_CPPFLAGS += -isystem build/kselftest
$(call objects,$(UNIT_SOURCES)): OUR_CFLAGS += -Wno-missing-prototypes -O0 -U_FORTIFY_SOURCE
$(call objects,$(UNIT_SOURCES)): | $(HARNESS)

# From the kernel's sources, in one pass, because unpacking takes half a minute.
$(HARNESS): tools/selftests/extract-kselftest
	$(say) TAR build/kselftest
	$(Q)$< build/kselftest

-include $(patsubst %.o,%.d,$(call objects,tools/gen-events.c tools/gen-tasks.c tools/gen-views.c tools/btfids.c tools/btfoffsets.c $(PRVCHECK_SOURCES) $(USER_SOURCES) $(OVNIK_SOURCES) $(REFS_SOURCES) $(MERGE_SOURCES) $(SYNC_SOURCES) $(GUEST_SOURCES) $(GUEST_COMMON) $(GUEST_PARTS) $(GEN_SOURCES) $(GEN_PARTS) $(UNIT_SOURCES) tools/selftests/check/xraydump.c tools/selftests/check/canoncheck.c tools/selftests/check/dump-tasks.c))
-include $(patsubst %.c,build/plugin/%.d,$(PLUGIN_SOURCES) $(SPANK_SOURCES)) $(QEMU_SOURCES:%.c=build/plugin-qemu11/%.d)
-include $(patsubst %.o,%.d,$(call sanitized,$(LIB_SOURCES) $(PROGRAMS:%=user/%.c) $(FUZZERS:build/%=tools/%.c)))
-include $(patsubst %.o,%.d,$(call threads,$(LIB_SOURCES) $(PROGRAMS:%=user/%.c)))

include tools/selftests/fuzz/build.mk

# Checks

.PHONY: deps
deps: ## install missing Debian packages
	tools/deps

.PHONY: demo-deps
demo-deps: ## install only what the build, the guest and the demo need
	tools/deps demo

# A second make, because what can be built depends on what is installed. On all CPUs, if
# nothing else was asked for.
# What is tested is the same everywhere: with the types of Debian's kernel.
TESTED := $(if $(BTF),,BTF=debian)
IN_PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.PHONY: check
check: deps ## build, then run the selftests: 16 to 20 minutes (RESUME=1: what has not passed on this tree)
	+$(MAKE) $(IN_PARALLEL) --no-print-directory $(TESTED) all tests
	MADE=y tools/selftests/run $(if $(RESUME),--resume)

.PHONY: check-fast
check-fast: deps ## build, then run the quick selftests: 5 minutes
	+$(MAKE) $(IN_PARALLEL) --no-print-directory $(TESTED) all tests
	MADE=y tools/selftests/run --fast

ifneq ($(STATUS),)
.PHONY: soak
soak:
	tools/selftests/run --soak --status
else
.PHONY: soak
soak: deps ## build, then run the long tests: an hour each LANE, of all or of one (STATUS=1: what is missing)
	+$(MAKE) $(IN_PARALLEL) --no-print-directory $(TESTED) all tests
	MADE=y tools/selftests/run --soak $(if $(LANE),--lane $(LANE)) $(if $(RESUME),--resume)
endif

.PHONY: mutants
mutants: deps ## do the tests find bugs? each of tools/selftests/mutants is tried (MUTANT=pattern)
	+$(MAKE) $(IN_PARALLEL) --no-print-directory $(TESTED) all tests
	tools/selftests/mutate $(MUTANT)

# Before the build, as the demo would say so after it.
ifneq ($(filter demo,$(MAKECMDGOALS)),)
ifneq ($(filter-out module bpf,$(BACKEND)),)
$(error BACKEND=$(BACKEND): the back ends are module and bpf)
endif
endif

.PHONY: demo
demo: demo-deps ## record and decode a workload in a guest (BACKEND=bpf: with BPF probes; REFS=1: with every memory reference)
	+$(MAKE) --no-print-directory $(TESTED) all $(PRVCHECK)
	$(if $(REFS),tools/demo/refs,tools/demo/run $(BACKEND))

.PHONY: demo-cluster
demo-cluster: deps ## a job of Slurm on three nodes, which are guests, as one timeline; needs root
	+$(MAKE) --no-print-directory $(TESTED) all $(PRVCHECK)
	tools/demo/cluster

.PHONY: bench
bench: deps ## measure what recording costs
	+$(MAKE) --no-print-directory $(TESTED) all
	tools/bench/run

.PHONY: clean
clean: ## remove everything but the kernels that were fetched and which tests have passed
	[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name vm ! -name kselftest ! -name passed -exec rm -rf {} +
	rm -f build/vm/initrd-*

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

.PHONY: FORCE
FORCE:
