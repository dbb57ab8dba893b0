# SPDX-License-Identifier: GPL-2.0-only
#
# The fuzzers: libFuzzer, with the sanitizers of the same clang. tools/selftests/fuzz/run runs them.

FUZZ_CC := clang-14
FUZZ := tools/selftests/fuzz
FUZZ_TARGETS := capture merge canon emu xray refs filter names offsets
FUZZ_PROGRAMS := $(FUZZ_TARGETS:%=build/fuzz/%)
# Compiled as the product is, but for these.
FUZZ_CFLAGS := -O2 -g -gdwarf-4 -std=gnu11 -fno-omit-frame-pointer
FUZZ_UNDEFINED := -fsanitize=undefined -fno-sanitize-recover=all
FUZZ_SANITIZE := -fsanitize=address $(FUZZ_UNDEFINED)
# What the program compares bytes with, where the mutators do not know it better.
FUZZ_EDGES := -fsanitize-coverage=inline-8bit-counters,pc-table
FUZZ_COMPARES := user/trace/% user/xray/% user/output/tracers/% tools/ovnik-refs/% tools/ovnik-merge/%
# What feeds the product is not what is looked at.
FUZZ_COMMON := $(addprefix $(FUZZ)/,edit.c edit_capture.c edit_json.c edit_mend.c edit_refs.c \
	edit_stream.c ends.c heap.c kept.c libs.c memfs.c pack.c target.c text.c wraps.c)
FUZZ_SOURCES := $(LIB_SOURCES) $(filter-out %/ovnik-refs.c %/ovnik-merge.c,$(REFS_SOURCES) \
	$(MERGE_SOURCES))
wrap = $(addprefix -Wl$(comma)--wrap=,$(1))
FUZZ_WRAPS := $(call wrap,$(shell sed 1d $(FUZZ)/wraps))

# fuzz_objects FOLDER,SANITIZERS - the rules for objects, and the product's library
define fuzz_objects
$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$$(say) CC $$@
	$$(Q)$$(FUZZ_CC) $$(OUR_CPPFLAGS) -U_FORTIFY_SOURCE $$(FUZZ_CFLAGS) $(2) \
		$$(if $$(filter $$(FUZZ_COMPARES),$$<),-fsanitize=fuzzer-no-link,$$(FUZZ_EDGES)) -MMD -MP -c -o $$@ $$<

$(1)/$$(FUZZ)/%.o: $$(FUZZ)/%.c
	@mkdir -p $$(@D)
	$$(say) CC $$@
	$$(Q)$$(FUZZ_CC) $$(OUR_CPPFLAGS) -U_FORTIFY_SOURCE -I$$(FUZZ) -Itools $$(FUZZ_CFLAGS) \
		$$(if $$(filter %/text.c,$$<),$(2)) -Wall -Wextra -Wshadow \
		$$(if $$(filter 1,$$(WERROR)),-Werror) -MMD -MP -c -o $$@ $$<

$(1)/product.a: $$(FUZZ_SOURCES:%.c=$(1)/%.o)
	$$(say) AR $$@
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^

-include $$(patsubst %.c,$(1)/%.d,$$(FUZZ_SOURCES) $$(FUZZ_COMMON) $$(FUZZ_TARGETS:%=$$(FUZZ)/%.c))
endef
$(eval $(call fuzz_objects,build/fuzz/obj,$(FUZZ_SANITIZE)))
# Three times as fast, but bytes outside of an object are only seen where no page is.
$(eval $(call fuzz_objects,build/fuzz/fast,$(FUZZ_UNDEFINED)))

# Their mutators know what is compared.
build/fuzz/capture build/fuzz/capture-fast build/fuzz/merge build/fuzz/canon: \
	FUZZ_WRAPS += $(call wrap,strcmp strncmp memcmp)
fuzz_link = $(FUZZ_CC) $(1) -fsanitize=fuzzer $(FUZZ_WRAPS) -o $@ $(filter %.o %.a,$^) \
	$(NAME_LIBS) $(TRACER_LIBS) $(REFS_LIBS) $(LDLIBS)

$(FUZZ_PROGRAMS): build/fuzz/%: build/fuzz/obj/$(FUZZ)/%.o $(FUZZ_COMMON:%.c=build/fuzz/obj/%.o) \
		build/fuzz/obj/product.a $(FUZZ)/wraps
	$(say) LD $@
	$(Q)$(call fuzz_link,$(FUZZ_SANITIZE))

build/fuzz/%-fast: build/fuzz/fast/$(FUZZ)/%.o $(FUZZ_COMMON:%.c=build/fuzz/fast/%.o) \
		build/fuzz/fast/product.a $(FUZZ)/wraps
	$(say) LD $@
	$(Q)$(call fuzz_link,$(FUZZ_UNDEFINED))

# Written again when what writes them changes.
build/fuzz/seeds/made: $(FUZZ)/seeds $(FUZZ)/pack.py $(FUZZ)/widen.py $(wildcard tools/selftests/gen/*) \
		build/ovnik-decode $(LIB)
	$(say) GEN $(@D)
	$(Q)$(FUZZ)/seeds $(@D)
	@touch $@

TIME ?= 600

.PHONY: fuzzers
fuzzers: $(FUZZ_PROGRAMS) build/fuzz/capture-fast build/fuzz/seeds/made

.PHONY: fuzz
fuzz: deps ## build and run the fuzzers (TIME=seconds for all: 600)
	+$(MAKE) --no-print-directory fuzzers
	$(FUZZ)/run $(TIME)
