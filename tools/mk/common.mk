# SPDX-License-Identifier: Apache-2.0

# What every make file of the house shares. It stands once, here.
# Nothing in this file runs a command when it is read: the packages may not be installed yet.

BUILD := build

# Commands at a time, in targets that call make again. A make that was given -jN decides itself.
JOBS ?= $(or $(LOOM_JOBS),$(shell nproc))
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))

# A short line a step, or the commands with V=1: $(call say,CC,$@) and then $(Q)command.
# $(call hush,FILE) before a command keeps what it says in the file and shows it only if it fails.
ifeq ($(V),1)
Q :=
say =
else
Q := @
say = @printf '%10s  %s\n' '$(1)' '$(2)'
endif
hush = tools/hush $(1)
# $(call place,WORD,LIST): which word of the list it is, from 1.
place = $(words $(eval PLACED :=)$(foreach w,$(2),$(if $(PLACED),,x$(if $(filter $(1),$(w)),$(eval \
  PLACED := 1)))))

CC := gcc
CXX := g++
CLANG := clang
AR := ar
PKG_CONFIG := pkg-config
PYTHON := python3

# C11 and no warnings, with gcc and with clang alike.
CWARN := -Wall -Wextra -Wconversion -Werror
CPPFLAGS := -Icsim/include -Icsim -I.
CFLAGS := -std=c11 -O2 -g $(CWARN)
# Little optimization and lines only: half the time to compile, and a report names all that it did.
SANITIZE := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
DEPFLAGS = -MMD -MP

# Warnings of Verilator end the run, -Wall turns on all of them.
VERILATOR := verilator
# Asked for once, when a recipe first needs it.
VERILATOR_ROOT = $(eval VERILATOR_ROOT := \
  $(or $(shell $(VERILATOR) --getenv VERILATOR_ROOT),/usr/share/verilator))$(VERILATOR_ROOT)
RTL_DIRS := rtl/parts rtl/sched rtl/switch rtl/elite5 rtl/axi
# Contracts of circuits are checked wherever they run (rtl/include/loom_assert.vh).
VFLAGS := -Wall -Irtl/include -DLOOM_ASSERT_ON $(addprefix -y ,$(RTL_DIRS))

IVERILOG := iverilog
IFLAGS := -g2005 -Wall -Irtl/include $(addprefix -y ,$(RTL_DIRS))
YOSYS := yosys

# Evaluated in the recipe that uses it: $(call pkg_cflags,yaml-0.1 jansson).
pkg_cflags = $$($(PKG_CONFIG) --cflags $(1))
pkg_libs = $$($(PKG_CONFIG) --libs $(1))
