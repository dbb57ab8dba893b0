# SPDX-License-Identifier: GPL-2.0-only
#
# The fuzzers: libFuzzer, with the sanitizers of the same clang. tools/selftests/fuzz/run runs them.

FUZZ_CC := clang-14
FUZZ := tools/selftests/fuzz
FUZZ_TARGETS := capture merge emu xray refs filter names offsets
FUZZ_PROGRAMS := $(FUZZ_TARGETS:%=build/fuzz/%)
# Compiled as the product is, but for these.
FUZZ_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_CFLAGS := -O2 -g -gdwarf-4 -std=gnu11 -fno-omit-frame-pointer
# What the program compares bytes with, where the mutators do not know it better.
FUZZ_EDGES := -fsanitize-coverage=inline-8bit-counters,pc-table
FUZZ_COMPARES := user/trace/% user/xray/% user/output/tracers/% tools/ovnik-refs/%
# What feeds the product is not what is looked at.
FUZZ_COMMON := $(addprefix $(FUZZ)/,edit.c edit_capture.c edit_json.c edit_mend.c edit_stream.c \
	heap.c libs.c memfs.c pack.c target.c wraps.c)
FUZZ_WRAPS := $(addprefix -Wl$(comma)--wrap=,$(shell sed 1d $(FUZZ)/wraps))

fuzzed = $(1:%.c=build/fuzz/obj/%.o)

build/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(FUZZ_CC) $(CPPFLAGS) $(FUZZ_CFLAGS) $(FUZZ_SANITIZE) \
		$(if $(filter $(FUZZ_COMPARES),$<),-fsanitize=fuzzer-no-link,$(FUZZ_EDGES)) -MMD -MP -c -o $@ $<

build/fuzz/obj/$(FUZZ)/%.o: $(FUZZ)/%.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(FUZZ_CC) $(CPPFLAGS) -I$(FUZZ) -Itools $(FUZZ_CFLAGS) -Wall -Wextra -Wshadow \
		$(if $(filter 1,$(WERROR)),-Werror) -MMD -MP -c -o $@ $<

build/fuzz/obj/user/emu/cfg.o: $(wildcard cfg/*/*.cfg cfg/*/*/*.cfg)
build/fuzz/obj/user/emu/nosv/nosv_counter.o: $(wildcard cfg/*/nosv/hwc.cfg.in)

build/fuzz/product.a: $(call fuzzed,$(LIB_SOURCES) $(filter-out %/ovnik-refs.c,$(REFS_SOURCES)))
	$(say) AR $@
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(FUZZ_PROGRAMS): build/fuzz/%: build/fuzz/obj/$(FUZZ)/%.o $(call fuzzed,$(FUZZ_COMMON)) \
		build/fuzz/product.a $(FUZZ)/wraps
	$(say) LD $@
	$(Q)$(FUZZ_CC) $(FUZZ_SANITIZE) -fsanitize=fuzzer $(FUZZ_WRAPS) -o $@ $(filter %.o %.a,$^) \
		$(NAME_LIBS) $(TRACER_LIBS) $(LDLIBS)

-include $(patsubst %.o,%.d,$(call fuzzed,$(LIB_SOURCES) $(REFS_SOURCES) $(FUZZ_COMMON) \
	$(FUZZ_TARGETS:%=$(FUZZ)/%.c)))

# Written again when what writes them changes.
build/fuzz/seeds/made: $(FUZZ)/seeds $(FUZZ)/pack.py $(wildcard tools/selftests/gen/*) \
		build/ovnik-decode $(LIB)
	$(say) GEN $(@D)
	$(Q)$(FUZZ)/seeds $(@D)
	@touch $@

TIME ?= 600

.PHONY: fuzzers
fuzzers: $(FUZZ_PROGRAMS) build/fuzz/seeds/made

.PHONY: fuzz
fuzz: deps ## build and run the fuzzers (TIME=seconds for all: 600)
	+$(MAKE) --no-print-directory fuzzers
	$(FUZZ)/run $(TIME)
