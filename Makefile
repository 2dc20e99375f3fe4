# clothsim: `make help` lists the targets. One Makefile, no recursion; objects land in build/$(config).
config ?= release
CC     ?= gcc
CXX    ?= g++
ifeq ($(origin CC),default)
CC := gcc
endif

MAKEFLAGS += --no-builtin-rules
B := build/$(config)

# -ffp-contract=off: a fused multiply-add rounds once instead of twice, and whether the compiler
# makes one depends on the CPU it builds for; results must not.
WARN   := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla
CWARN  := $(WARN) -Wmissing-prototypes -Wstrict-prototypes
COMMON := -Ilib -Itests -ffp-contract=off -fno-math-errno -D_GNU_SOURCE -pthread
LIBS   := -lcjson -lamd -lz -lm -pthread

OPT_release  := -O2 -g
OPT_debug    := -O0 -g
OPT_O3       := -O3 -g
OPT_sanitize := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_thread   := -O1 -g -fsanitize=thread
OPT_coverage := -O0 -g --coverage
OPT := $(OPT_$(config))
ifeq ($(OPT),)
$(error unknown config=$(config): release, debug, O3, sanitize, thread or coverage)
endif

CFLAGS   ?=
ALL_C    := -std=c17 $(COMMON) $(CWARN) $(OPT) $(CFLAGS)
ALL_CXX  := -std=c++17 $(COMMON) $(WARN) $(OPT)
# the release programs go to bin/, every other configuration keeps its own
BIN := $(if $(filter release,$(config)),bin,$(B)/bin)

LIB_SRC   := $(wildcard lib/*/*.c)
LIB_OBJ   := $(LIB_SRC:%.c=$(B)/%.o)
LIB       := $(B)/libclothsim.a
CLI_SRC   := $(wildcard cli/*.c)
TOOL_SRC  := $(wildcard tools/*.c)
TOOL_BIN  := $(TOOL_SRC:tools/%.c=$(BIN)/%)
TEST_SRC  := $(wildcard tests/unit/test_*.c)
TEST_BIN  := $(TEST_SRC:tests/unit/%.c=$(B)/tests/%)
BENCH_SRC := $(wildcard tests/bench/*.c)
BENCH_BIN := $(BENCH_SRC:tests/bench/%.c=$(B)/bench/%)

.PHONY: all
all: $(BIN)/clothsim $(BIN)/clothsim-tet $(TOOL_BIN) ## build every program into bin/

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_C) -MMD -MP -c $< -o $@

$(B)/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(ALL_CXX) -MMD -MP -c $< -o $@

$(LIB): $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $^

$(BIN)/clothsim: $(CLI_SRC:%.c=$(B)/%.o) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(OPT) $^ -o $@ $(LIBS)

# TetGen is AGPL-3 and aborts on bad input: a program of its own, never linked to the rest
$(BIN)/clothsim-tet: $(B)/cli/clothsim-tet.o
	@mkdir -p $(@D)
	$(CXX) $(OPT) $^ -o $@ -ltet

$(TOOL_BIN): $(BIN)/%: $(B)/tools/%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(OPT) $(filter %.o,$^) $(LIB) -o $@ $(TOOL_LIBS) $(LIBS)

# tools/clothview.c is the program, tools/view/ what it is made of
VIEW_SRC := $(wildcard tools/view/*.c)
$(BIN)/clothview: TOOL_LIBS := -lpng
$(BIN)/clothview: $(VIEW_SRC:%.c=$(B)/%.o)

# the viewer of pages: readable source in tools/view/web, bundled by `make view`, kept in the program
BUNDLE := build/view/viewer.bundle.js
ifneq ($(wildcard $(BUNDLE)),)
$(B)/tools/view/embed.o: $(BUNDLE)
$(B)/tools/view/embed.o: ALL_C += -DVIEW_BUNDLE='"$(BUNDLE)"'
endif

.PHONY: view deps-view
deps-view: ## install what the viewer is bundled with (npm packages, into build/view)
	@tools/view/web/install

view: deps-view ## bundle the viewer of HTML pages and build it into bin/clothview
	@tools/view/web/bundle $(BUNDLE)
	@$(MAKE) --no-print-directory bin/clothview

$(B)/view/test_view: $(B)/tests/view/test_view.o $(B)/tests/check.o $(VIEW_SRC:%.c=$(B)/%.o) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(OPT) $(filter %.o,$^) $(LIB) -o $@ -lpng $(LIBS)
$(B)/tests/view/test_view.o: ALL_C += -Itools

.PHONY: check-view gallery
check-view: deps-view view $(B)/view/synth $(B)/view/test_view ## test clothview; installs chromium and ffmpeg
	@tests/view/install
	@BIN=$(BIN) BUILD=$(B) tests/view/run

gallery: all ## simulate every scene and put a picture of each into docs/gallery
	@BIN=$(BIN) tools/view/gallery

# caches to look at, for the viewer's tests
$(B)/view/synth: $(B)/tests/view/synth.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(OPT) $^ -o $@ $(LIBS)

$(TEST_BIN): $(B)/tests/%: $(B)/tests/unit/%.o $(B)/tests/check.o $(B)/tests/kit.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(OPT) $^ -o $@ $(LIBS)

$(BENCH_BIN): $(B)/bench/%: $(B)/tests/bench/%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(OPT) $^ -o $@ $(LIBS)

.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)

# ------------------------------------------------------------------------------------------ people

.PHONY: help
help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' Makefile
	@echo "  config=release|debug|O3|sanitize|thread|coverage   CC=gcc|clang"

.PHONY: deps
deps: ## install the Debian packages that building needs (root or sudo)
	@tools/install-deps build

.PHONY: check
check: all $(TEST_BIN) ## run the tests (under 3 minutes)
	@CONFIG=$(config) BIN=$(BIN) BUILD=$(B) tests/run

.PHONY: layers
layers: ## prove that every file of lib/ uses only its own floor or lower ones
	@tools/check-layers

.PHONY: format
format: ## clang-format every C and C++ file
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp')

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build bin
