# SPDX-License-Identifier: GPL-2.0-only
#
# Installs what was built; included by the top Makefile.

VERSION := $(shell sed -n 's/^\#define OVNIK_VERSION "\(.*\)"$$/\1/p' kmod/include/uapi/ovnik_version.h)
DESTDIR :=
PREFIX := /usr/local
LIBDIR := $(PREFIX)/lib
SYSCONFDIR := /etc

INSTALL_ENV = VERSION='$(VERSION)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' \
	SYSCONFDIR='$(SYSCONFDIR)' CC='$(CC)'

.PHONY: install
install: ## install what was built (DESTDIR=, PREFIX=/usr/local)
	$(Q)$(INSTALL_ENV) tools/install/install

.PHONY: uninstall
uninstall: ## remove what install has installed, with the same DESTDIR and PREFIX
	$(Q)$(INSTALL_ENV) tools/install/install --remove

# The same bytes from the same commit: names in order, times and owners of the commit's.
DIST := ovnik-$(VERSION)

.PHONY: dist
dist: ## make build/ovnik-VERSION.tar.xz of the last commit, with its checksum
	$(say) TAR build/$(DIST).tar.xz
	@mkdir -p build
	$(Q)tools/install/dist $(DIST) build
