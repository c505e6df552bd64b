# SPDX-License-Identifier: Apache-2.0

# The library for programs (docs/library.md): build/lib/libloom.a and libloom.so, loom.pc, man
# pages, completion, and `make install DESTDIR= PREFIX=`.

PREFIX ?= /usr/local
DESTDIR ?=
LIBDIR ?= $(PREFIX)/lib
INSTALL := install

# All of csim but the command. The objects serve both libraries.
LIB_SRC := $(CSIM_SRC) $(wildcard csim/io/*.c csim/run/*.c csim/library/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/pic/%.o)
LIB_NEEDS := yaml-0.1 jansson
LIB_A := $(BUILD)/lib/libloom.a
LIB_SO := $(BUILD)/lib/libloom.so
# Of what is installed. The ABI may change with every minor version until 1.0, so the soname has it.
LIB_VERSION = $(shell sed -n 's/.define LOOM_VERSION "\(.*\)"/\1/p' csim/include/loom/version.h)
LIB_SONAME = libloom.so.$(basename $(LIB_VERSION))
LIB_HEADERS := $(wildcard $(addprefix csim/include/loom/*.,h def fields))
LIB_SCHEMAS := fabric sweep wishes dtable fixture
LIB_LISTS := $(wildcard csim/*/*.def csim/*/*.params csim/*/*.regs csim/*/*.fields)

$(LIB_OBJ): $(BUILD)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC pic,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC $(DEPFLAGS) -c -o $@ $<
-include $(LIB_OBJ:.o=.d)

$(LIB_A): $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) rcs $@ $^

$(BUILD)/lib/libloom.map: tools/exports $(LIB_HEADERS) $(LIB_LISTS)
	@mkdir -p $(@D)
	$(call say,EXPORTS,$@)
	$(Q)tools/exports script > $@

$(LIB_SO): $(LIB_OBJ) $(BUILD)/lib/libloom.map
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -Wl,-z,defs -Wl,-soname,$(LIB_SONAME) \
	  -Wl,--version-script=$(BUILD)/lib/libloom.map -o $@ $(LIB_OBJ) \
	  $(call pkg_libs,$(LIB_NEEDS)) -ldl -lm

LIB_MANUAL := $(BUILD)/man/loom.1
$(LIB_MANUAL): tools/manual $(BUILD)/loom
	$(call say,MANUAL,$(@D))
	$(Q)tools/manual $(BUILD)/loom $(@D)

.PHONY: library install install-files
library:
	@tools/bootstrap sim
	@+$(MAKE) --no-print-directory $(PARALLEL) $(LIB_A) $(LIB_SO)

install:
	@tools/bootstrap sim
	@+$(MAKE) --no-print-directory $(PARALLEL) install-files

# A list includes another by its place below csim; installed they stand side by side.
install-files: $(BUILD)/loom $(LIB_A) $(LIB_SO) $(LIB_MANUAL)
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))
	$(Q)$(INSTALL) -d $(addprefix $(DESTDIR)$(PREFIX)/,bin include/loom share/man/man1 \
	  share/bash-completion/completions share/doc/loom/examples) \
	  $(DESTDIR)$(LIBDIR)/pkgconfig
	$(Q)$(INSTALL) $(BUILD)/loom $(DESTDIR)$(PREFIX)/bin/loom
	$(Q)! [ -e $(RECORDER) ] || \
	  $(INSTALL) -D -m 755 $(RECORDER) $(DESTDIR)$(PREFIX)/lib/loom/libloom_record.so
	$(Q)! [ -e $(RANKS_LIBRARY) ] || \
	  $(INSTALL) -D -m 755 $(RANKS_LIBRARY) $(DESTDIR)$(PREFIX)/lib/loom/libloom_ranks.so
	$(Q)$(INSTALL) -m 644 $(LIB_A) $(DESTDIR)$(LIBDIR)/libloom.a
	$(Q)$(INSTALL) -m 755 $(LIB_SO) $(DESTDIR)$(LIBDIR)/libloom.so.$(LIB_VERSION)
	$(Q)ln -sf libloom.so.$(LIB_VERSION) $(DESTDIR)$(LIBDIR)/$(LIB_SONAME)
	$(Q)ln -sf $(LIB_SONAME) $(DESTDIR)$(LIBDIR)/libloom.so
	$(Q)$(INSTALL) -m 644 $(LIB_HEADERS) $(DESTDIR)$(PREFIX)/include/loom
	$(Q)for f in $(LIB_LISTS:csim/%=%); do \
	  mkdir -p $(DESTDIR)$(PREFIX)/include/loom/$${f%/*} && \
	  sed "s|^#include \"$${f%/*}/|#include \"|" csim/$$f \
	    > $(DESTDIR)$(PREFIX)/include/loom/$$f || exit 1; done
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(LIB_VERSION)|' \
	  -e 's|@NEEDS@|$(LIB_NEEDS)|' csim/library/loom.pc.in \
	  > $(DESTDIR)$(LIBDIR)/pkgconfig/loom.pc
	$(Q)$(INSTALL) -d $(DESTDIR)$(PREFIX)/share/loom
	$(Q)for name in $(LIB_SCHEMAS); do \
	  $(BUILD)/loom schema $$name > $(DESTDIR)$(PREFIX)/share/loom/$$name.schema.json || exit 1; done
	$(Q)$(INSTALL) -m 644 $(BUILD)/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	$(Q)$(INSTALL) -m 644 $(BUILD)/man/loom.bash \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions/loom
	$(Q)$(INSTALL) -m 644 README.md LICENSE CHANGELOG.md docs/*.md $(DESTDIR)$(PREFIX)/share/doc/loom
	$(Q)cp -R examples/. $(DESTDIR)$(PREFIX)/share/doc/loom/examples

# Packages of Debian, and lintian's judgement.
.PHONY: deb
deb:
	@tools/bootstrap deb
	@tools/deb $(BUILD)/deb $(JOBS)

TESTS += test-deb
.PHONY: test-deb
test-deb:
	@tools/deb_test

# An installed tree, and what its users do with it.
TESTS += test-library
.PHONY: test-library
test-library: $(BUILD)/loom $(LIB_A) $(LIB_SO) $(LIB_MANUAL)
	@tools/exports check $(LIB_SO)
	@BUILD=$(BUILD) MAKE='$(MAKE)' CC='$(CC)' CXX='$(CXX)' tools/library_test
