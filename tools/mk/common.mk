# What every make file of the house shares. It stands once, here.
# Nothing in this file runs a command when it is read: the packages may not be installed yet.

BUILD := build

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
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
DEPFLAGS = -MMD -MP

# Warnings of Verilator end the run, -Wall turns on all of them.
VERILATOR := verilator
VERILATOR_ROOT = $(or $(shell $(VERILATOR) --getenv VERILATOR_ROOT),/usr/share/verilator)
RTL_DIRS := rtl/parts rtl/sched rtl/switch rtl/elite5
VFLAGS := -Wall -Irtl/include $(addprefix -y ,$(RTL_DIRS))
# Given to make for the C++ that Verilator writes; its own default becomes -O2 -Os.
VMAKE := OPT_FAST=-O2 OPT_GLOBAL=-O2 OPT_SLOW=-O0

IVERILOG := iverilog
IFLAGS := -g2005 -Wall -Irtl/include $(addprefix -y ,$(RTL_DIRS))
YOSYS := yosys

# Evaluated in the recipe that uses it: $(call pkg_cflags,libcyaml jansson).
pkg_cflags = $$($(PKG_CONFIG) --cflags $(1))
pkg_libs = $$($(PKG_CONFIG) --libs $(1))
