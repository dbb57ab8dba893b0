# SPDX-License-Identifier: GPL-2.0-only
#
# Builds kmod/ovnik.ko outside of ovnik's sources, as DKMS does: make KDIR=headers

KDIR ?= /lib/modules/$(shell uname -r)/build
CC ?= cc
# For what only the kernel's BTF has; without libbpf-dev some kernels need neither.
HELPERS := $(if $(wildcard /usr/include/bpf/btf.h),build/btfids build/btfoffsets)

.PHONY: all
all: $(HELPERS)
	kmod/configure $(KDIR) kmod build/btfoffsets
	$(MAKE) -C $(KDIR) M=$(CURDIR) $(if $(wildcard $(KDIR)/vmlinux),,CONFIG_DEBUG_INFO_BTF_MODULES=) modules
	kmod/add-btf $(KDIR) kmod/ovnik.ko

build/%: tools/%.c
	@mkdir -p build
	$(CC) -O2 -D_GNU_SOURCE= -o $@ $< -lbpf

.PHONY: clean
clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	rm -rf build kmod/ovnik_config.h
