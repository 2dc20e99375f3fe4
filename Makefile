# clothsim: `make help` lists the targets. One Makefile, no recursion; objects land in build/$(config).
config ?= release
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := $(if $(findstring clang,$(CC)),clang++,g++)
endif

# as many jobs as there are CPUs, unless -j says otherwise; makes that this one starts share them
ifeq ($(MAKELEVEL),0)
MAKEFLAGS := -j$(shell nproc) $(MAKEFLAGS) --no-builtin-rules
else
MAKEFLAGS += --no-builtin-rules
endif
B := build/$(config)

# -ffp-contract=off: a fused multiply-add rounds once instead of twice, and whether the compiler
# makes one depends on the CPU it builds for; results must not.
WARN   := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla
CWARN  := $(WARN) -Wmissing-prototypes -Wstrict-prototypes
COMMON := -Ilib -Itests -include base/strict.h -ffp-contract=off -fno-math-errno -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=700 -pthread
LIBS   := -lcjson -lamd -lz -lm -pthread

OPT_release  := -O3
OPT_debug    := -O0 -g -DCSIM_POISON
OPT_O2       := -O2 -g
OPT_sanitize := -O1 -g -DCSIM_POISON -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_thread   := -O1 -g -fsanitize=thread
OPT_coverage := -O1 -g --coverage
OPT_portable := -O3 -g
OPT_trace    := -O3 -g -DCSIM_POOL_TRACE
OPT_fuzz     := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
OPT := $(OPT_$(config))
ifeq ($(OPT),)
$(error unknown config=$(config): release, debug, O2, sanitize, thread, coverage, portable, trace or fuzz)
endif

# against exploits of what a mesh or cache from outside may find: no result depends on these
ifneq ($(filter release O2 portable,$(config)),)
HARDEN := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
LINK   := -pie -Wl,-z,relro,-z,now
endif

PYTHON := $(if $(wildcard /usr/bin/python3),/usr/bin/python3,python3)

CFLAGS   ?=
ERROR    := $(if $(filter 1,$(WERROR)),-Werror)
ALL_C    := -std=c17 $(COMMON) $(CWARN) $(OPT) $(HARDEN) $(ERROR) $(CFLAGS)
ALL_CXX  := -std=c++17 $(COMMON) $(WARN) $(OPT) $(HARDEN) $(ERROR)
# the release programs go to bin/, every other configuration keeps its own
BIN := $(if $(filter release,$(config)),bin,$(B)/bin)

LIB_SRC   := $(wildcard lib/*/*.c)
LIB_OBJ   := $(LIB_SRC:%.c=$(B)/%.o)
LIB       := $(B)/libclothsim.a
VERSION   := $(shell sed -n 's/^\#define CSIM_VERSION "\(.*\)"/\1/p' lib/clothsim.h)
# until 1.0 the interface may change with every minor version, and so does the name programs link to
SONAME    := libclothsim.so.$(basename $(VERSION))
SHARED    := $(B)/$(SONAME)
CLI_SRC   := $(wildcard cli/*.c)
TOOL_SRC  := $(wildcard tools/*.c)
TOOL_BIN  := $(TOOL_SRC:tools/%.c=$(BIN)/%)
TEST_SRC  := $(wildcard tests/unit/test_*.c)
TEST_BIN  := $(TEST_SRC:tests/unit/%.c=$(B)/tests/%)
BENCH_SRC := $(wildcard tests/bench/*.c)
BENCH_BIN := $(BENCH_SRC:tests/bench/%.c=$(B)/bench/%)

.PHONY: all
all: $(BIN)/clothsim $(BIN)/clothsim-tet $(TOOL_BIN) ## build every program into bin/

# Whatever is compiled comes after the packages, when both are asked for, and is compiled again when
# the compiler or its flags have changed.
FLAGS := $(CC) $(ALL_C), $(CXX) $(ALL_CXX), shared
$(B)/flags: $(filter deps,$(MAKECMDGOALS)) always
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@

# what `clothsim --version` prints; compiled anew when the commit or the flags change
COMMIT := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
$(B)/build.h: always
	@mkdir -p $(@D)
	@printf '#define CSIM_BUILD_COMMIT "%s"\n#define CSIM_BUILD_FLAGS "%s"\n' '$(COMMIT)' \
	  '$(subst ",\",$(OPT) $(HARDEN) $(LINK) -ffp-contract=off $(CFLAGS))' | cmp -s - $@ || \
	 printf '#define CSIM_BUILD_COMMIT "%s"\n#define CSIM_BUILD_FLAGS "%s"\n' '$(COMMIT)' \
	  '$(subst ",\",$(OPT) $(HARDEN) $(LINK) -ffp-contract=off $(CFLAGS))' > $@
$(B)/cli/clothsim.o: $(B)/build.h
$(B)/cli/clothsim.o: ALL_C += -include $(B)/build.h

# V=1 shows the commands
say = $(if $(filter 1,$(V)),,@echo "  $(1)  $@";)

# the step's arrays are of its own sizes: canaries in functions that run for each triangle or pair
# cost 1 to 4 % of a drop
$(filter $(addprefix $(B)/lib/,math/% model/% contact/% solver/%),$(LIB_OBJ)): ALL_C += -fno-stack-protector

# What runs once in a run or a step, or waits for a disk, is not compiled for speed: a clean build must
# not take long on a busy machine either. -O2 for all the rest would make a drop 8 % slower.
ifeq ($(config),release)
level = $(addprefix $(B)/,$(addsuffix .o,$(1)))
$(filter $(addprefix $(B)/lib/,scene/% io/%),$(LIB_OBJ)) $(B)/cli/%.o $(B)/tools/%.o: ALL_C += -Og
$(filter $(addprefix $(B)/lib/,cache/% mesh/%),$(LIB_OBJ)) $(B)/tools/view/%.o: ALL_C += -O1
$(call level,$(addprefix lib/contact/,bind check_start collision_mesh layers untangle) \
  $(addprefix lib/model/,assemble curve fabric layout moduli network) \
  $(addprefix lib/solver/,stability step)): ALL_C += -O1
$(call level,lib/cache/codec lib/cache/planes lib/contact/bvh lib/mesh/intersect lib/model/springs \
  tools/view/render): ALL_C += -O2
endif

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(ALL_C) -MMD -MP -c $< -o $@

$(B)/%.o: %.cpp $(B)/flags
	@mkdir -p $(@D)
	$(call say,c++)$(CXX) $(ALL_CXX) -MMD -MP -c $< -o $@

$(LIB): $(LIB_OBJ)
	@rm -f $@
	$(call say,ar)ar rcs $@ $^

# the same objects go into the shared library, which exports clothsim.h and nothing else
$(LIB_OBJ): ALL_C += -fPIC -fvisibility=hidden
$(SHARED): $(LIB_OBJ)
	$(call say,link)$(CC) $(OPT) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined $^ -o $@ $(LIBS)

$(BIN)/clothsim: $(CLI_SRC:%.c=$(B)/%.o) $(LIB)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(OPT) $(LINK) $^ -o $@ $(LIBS)

# TetGen is AGPL-3 and aborts on bad input: a program of its own, never linked to the rest
$(BIN)/clothsim-tet: $(B)/cli/clothsim-tet.o
	@mkdir -p $(@D)
	$(call say,link)$(CXX) $(OPT) $(LINK) $^ -o $@ -ltet

$(TOOL_BIN): $(BIN)/%: $(B)/tools/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(OPT) $(LINK) $(filter %.o,$^) $(LIB) -o $@ $(TOOL_LIBS) $(LIBS)

# tools/clothview.c is the program, tools/view/ what it is made of
VIEW_SRC := $(wildcard tools/view/*.c)
$(BIN)/clothview: TOOL_LIBS := -lpng
$(BIN)/clothview: $(VIEW_SRC:%.c=$(B)/%.o)
$(B)/tools/clothview.o: ALL_C += -Itools

# tools/clothfarm.c likewise, and tools/farm/
FARM_SRC := $(wildcard tools/farm/*.c)
$(BIN)/clothfarm: $(FARM_SRC:%.c=$(B)/%.o)
$(B)/tools/clothfarm.o $(FARM_SRC:%.c=$(B)/%.o): ALL_C += -Itools

# tools/clothdiff.c likewise, and tools/diff/
DIFF_SRC := $(wildcard tools/diff/*.c)
$(BIN)/clothdiff: $(DIFF_SRC:%.c=$(B)/%.o)
$(B)/tools/clothdiff.o $(DIFF_SRC:%.c=$(B)/%.o): ALL_C += -Itools

# the viewer of pages: readable source in tools/view/web, bundled by `make view`, kept in the program
BUNDLE := build/view/viewer.bundle.js
ifneq ($(wildcard $(BUNDLE)),)
$(B)/tools/view/embed.o: $(BUNDLE)
$(B)/tools/view/embed.o: ALL_C += -DVIEW_BUNDLE='"$(BUNDLE)"'
endif

.PHONY: view view-packages
view-packages:
	@tools/view/web/install

view: view-packages ## bundle the viewer of HTML pages and build it into bin/clothview
	@tools/view/web/bundle $(BUNDLE)
	@$(MAKE) --no-print-directory bin/clothview

$(B)/view/test_view: $(B)/tests/view/test_view.o $(B)/tests/check.o $(VIEW_SRC:%.c=$(B)/%.o) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(OPT) $(LINK) $(filter %.o,$^) $(LIB) -o $@ -lpng $(LIBS)
$(B)/tests/view/test_view.o: ALL_C += -Itools

.PHONY: deps-view check-view gallery
deps-view: ## install chromium, ffmpeg and npm packages for check-view (root or sudo)
	@tests/view/install

check-view: view $(B)/view/synth $(B)/view/test_view ## test clothview, its pages in headless Chromium
	@BIN=$(BIN) BUILD=$(B) tests/view/run

gallery: all ## simulate every scene and put a picture of each into docs/gallery
	@BIN=$(BIN) tools/view/gallery

# caches to look at, for the viewer's tests
$(B)/view/synth: $(B)/tests/view/synth.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(OPT) $(LINK) $^ -o $@ $(LIBS)

$(TEST_BIN): $(B)/tests/%: $(B)/tests/unit/%.o $(B)/tests/check.o $(B)/tests/kit.o $(LIB)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(OPT) $(LINK) $(filter %.o,$^) $(LIB) -o $@ $(LIBS)

# test_validate is the table, tests/validate/ its cases
VALIDATE := $(B)/tests/test_validate
$(VALIDATE): $(patsubst %.c,$(B)/%.o,$(wildcard tests/validate/*.c))

# what the scripts of tests/cli look into files with
LOOK := $(B)/tests/look
$(LOOK): $(B)/tests/cli/look.o $(LIB)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(OPT) $(LINK) $^ -o $@ $(LIBS)

$(BENCH_BIN): $(B)/bench/%: $(B)/tests/bench/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(OPT) $(LINK) $^ -o $@ $(LIBS)

.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)

# ------------------------------------------------------------------------------------------ people

.PHONY: always help deps deps-usd tests check bless check-golden soak deps-dcc check-dcc check-alembic valgrind deps-farm check-farm fuzz validate benches bench bench-contact layers format man install uninstall clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile
	@echo "  config=release|debug|O2|sanitize|thread|coverage  CC=gcc|clang  WERROR=1  V=1 (commands)"
	@echo "  PREFIX=$(PREFIX)  DESTDIR=  (install)  ONLY='heap run'  (check: tests with these names)"

deps: ## install the Debian packages that building needs (root or sudo)
	@tools/install-deps build

deps-usd: $(SHARED) ## install usd-core for tools/clothusd (Python packages into build/usd, root or sudo)
	@tools/install-deps usd
	@test -x build/usd/venv/bin/python || $(PYTHON) -m venv build/usd/venv
	@build/usd/venv/bin/pip -q --disable-pip-version-check install --retries 5 --timeout 60 usd-core==26.11 numpy

tests: all $(TEST_BIN) $(LOOK) ## build the tests, run none

check: tests ## run the tests (about 5 minutes)
	@CONFIG=$(config) BIN=$(BIN) BUILD=$(B) tests/run $(ONLY)

# all tests but those that repeat whole runs, which say little about lines and take long with counters
COVER := $(filter-out golden threads resume kill contact test_validate,$(notdir $(basename $(TEST_SRC) $(wildcard tests/cli/*.sh))))
.PHONY: coverage
coverage: ## run the tests with gcov, and print what share of lib/ they run (10 minutes)
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory config=coverage check ONLY="$(COVER)" || echo "make coverage: tests failed; counts are of those that ran"
	@tools/coverage build/coverage

.PHONY: check-api check-recipes wheel
# its own copy of the library finds what it needs beside itself
build/wheel/lib/$(SONAME): $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(OPT) -shared -Wl,-soname,$(SONAME) -Wl,--disable-new-dtags,-rpath,'$$ORIGIN' $^ -o $@ $(LIBS)
wheel: build/wheel/lib/$(SONAME) ## pack the library for Python into build/wheel/
	@tools/wheel $< build/wheel

check-recipes: all ## carry out the recipes of CONTRIBUTING.md on a copy: each touches at most 3 files
	@tests/recipes/run

check-api: ## install into a folder elsewhere; build and run examples/ against it
	@CC='$(CC)' CXX='$(CXX)' tests/api/run

bless: all ## renew the golden hashes after a change of results, and show the difference
	@BIN=$(abspath $(BIN)) tests/golden/bless

check-golden: ## the golden hashes with gcc and clang, -O0 to -O3, AVX2 and AVX-512 (many minutes)
	@tests/golden/matrix

KILLS ?= 200
soak: tests ## KILLS=200 runs killed at random moments and resumed (minutes)
	@KILLS=$(KILLS) LIMIT=3000 SHOW=1 CONFIG=$(config) BIN=$(BIN) BUILD=$(B) tests/run kill.sh

deps-dcc: ## install Blender, usd-core, VTK and junitparser for check-dcc (Python packages into build/dcc, root or sudo)
	@tests/dcc/install

check-dcc: all $(SHARED) ## have Blender, usd-core and VTK read every format, junitparser the reports
	@BIN=$(BIN) tests/dcc/run

check-alembic: all ## ALEMBIC=/where/it/is: have Alembic's own library write what we read and read what we write
	@BIN=$(BIN) PYTHON=$(PYTHON) tests/alembic/run

valgrind: all ## the quickstart under valgrind, stopped and resumed (a minute)
	@BIN=$(BIN) tests/valgrind

deps-farm: ## install Slurm, munge and openjd for check-farm (openjd into build/farm, root or sudo)
	@tests/farm/install

check-farm: all ## run a sweep on a real Slurm and by openjd (as root, two minutes)
	@BIN=$(BIN) tests/farm/run

SECONDS ?= 60
fuzz: all ## fuzz the readers of caches, checkpoints, scenes and meshes, each for SECONDS=60 (clang)
	@$(MAKE) --no-print-directory CC=clang config=fuzz fuzzers
	@tests/fuzz/run $(SECONDS) $(TARGETS)

FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
.PHONY: fuzzers
fuzzers: $(FUZZ_BIN)
$(FUZZ_BIN): $(B)/fuzz/%: $(B)/tests/fuzz/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,link)$(CC) -g -fsanitize=fuzzer,address,undefined $^ -o $@ $(LIBS)

validate: $(VALIDATE) $(BIN)/clothsim-tet ## every method against closed forms, as a table (minutes)
	@CLOTHSIM_TET=$(BIN)/clothsim-tet $(VALIDATE) --all --curve docs/liu-curve.svg --folds docs/locking.svg

$(B)/soak/layers: $(B)/tests/soak/layers.o $(LIB)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(OPT) $(LINK) $^ -o $@ $(LIBS)

.PHONY: soak-contact
soak-contact: all $(B)/soak/layers ## contact scenes by newton, pd and xpbd, tested after every substep (hours)
	@BIN=$(BIN) LAYERS=$(B)/soak/layers tests/soak/contact

SOAK ?= 1000
SEED ?= 1
.PHONY: soak-fast
soak-fast: all ## SOAK=1000 random scenes (SEED=1) of fast bodies through cloth, tested after every substep (20 minutes)
	@$(PYTHON) tests/soak/fast -n $(SOAK) --seed $(SEED) --bin $(BIN) --keep $(B)/soak/failed

benches: $(BENCH_BIN)

bench: benches ## run the benchmarks (minutes); their tables go to build/$(config)/bench/ too
	@for b in $(BENCH_BIN); do echo "== $$b"; (cd $(B)/bench && $(CURDIR)/$$b) || exit 1; done
	@if [ -e $(CONTACT_RUN) ]; then $(B)/bench/bench_cache $(CONTACT_RUN); \
	 else echo "make bench-contact simulates 40,000 vertices in contact for one more table"; fi
	@if $(PYTHON) -c 'import numpy' 2>/dev/null; then $(MAKE) --no-print-directory bench-suite; \
	 else echo "make bench-suite needs numpy for Python (make deps-bench)"; fi

CONTACT_RUN := build/contact40k/contact40k.clothcache
bench-contact: all benches ## the cache's codec on a run full of contact (tens of minutes, once)
	@test -e $(CONTACT_RUN) || $(BIN)/clothsim tests/bench/contact40k.json -o build/contact40k --overwrite
	@$(B)/bench/bench_cache $(CONTACT_RUN)

SIZES  ?= 33 65 129
DROP   := $(PYTHON) tests/bench/drop.py
.PHONY: deps-bench bench-suite bench-drop bench-truth bench-blender bench-blender-garments bench-bpy bench-bullet
deps-bench: ## install Blender, Bullet, numpy and matplotlib for the benchmarks (root or sudo)
	@tools/install-deps bench

bench-suite: all ## scenes x sizes x methods x threads: phases of a step, CSV and plot (SUITE_FLAGS=--help)
	@$(PYTHON) tests/bench/suite.py --bin $(BIN) --out $(B)/bench $(SUITE_FLAGS)

bench-drop: all ## a cloth drops on a ball: time, memory, strain (SIZES="33 65 129", DROP_FLAGS=)
	@$(DROP) --bin $(BIN) --out $(B)/bench $(DROP_FLAGS) $(SIZES)

bench-truth: all ## every quality on seven scenes: CPU time, distance from a converged run (TRUTH_FLAGS=--help)
	@$(PYTHON) tests/bench/truth.py --bin $(BIN) --out build/bench $(TRUTH_FLAGS)

.PHONY: bench-scaling
bench-scaling: all ## the drop's schedule replayed on 2 to 64 cores, beside what two do (SIZES="65 129", SCALING_FLAGS=--help)
	@$(MAKE) --no-print-directory config=trace build/trace/bin/clothsim
	@$(PYTHON) tests/bench/scaling.py --bin $(BIN) --traced build/trace/bin --out $(B)/bench $(SCALING_FLAGS) $(SIZES)

.PHONY: bench-pose
bench-pose: all ## a body raises and lowers its arms in a sleeve, a skirt, a poncho (POSE_FLAGS="--bodies DIR"; minutes)
	@$(PYTHON) tests/bench/pose.py $(POSE_FLAGS)

.PHONY: bench-walk bench-ball
bench-walk: all ## a skirt on a body of capsules that walks (WALK_FLAGS="--skirt FILE"; a minute)
	@$(PYTHON) tests/bench/walk.py --bin $(BIN) $(WALK_FLAGS)

bench-ball: all ## a ball of 5 to 200 m/s through curtains, tested after every substep (BALL_FLAGS=--help; an hour)
	@$(PYTHON) tests/bench/ball.py --bin $(BIN) $(BALL_FLAGS)

.PHONY: bench-tight bench-ppf
bench-tight: all ## a twisted tube, twenty sheets, silk through a ring, a press: whole? strain, time (TIGHT_FLAGS=--help; hours at full size)
	@$(PYTHON) tests/bench/tight.py --bin $(BIN) --out build/bench/tight $(TIGHT_FLAGS)

bench-ppf: all ## four scenes after ppf-contact-solver's, beside its times (PPF_FLAGS=--help; hours at full size)
	@$(PYTHON) tests/bench/ppf.py --bin $(BIN) --out build/bench/ppf $(PPF_FLAGS)

.PHONY: drape
drape: all ## a virtual drape meter for every preset of cloth (DRAPE_FLAGS=--help; a quarter of an hour, needs numpy)
	@$(PYTHON) tests/bench/drape.py --bin $(BIN) --out $(B)/bench/drape $(DRAPE_FLAGS)

.PHONY: bench-fabric
bench-fabric: all ## tensile and shear tests of cloth on five meshes: the moduli that were asked for? (FABRIC_FLAGS=--help; a minute, needs numpy)
	@$(PYTHON) tests/bench/fabric.py --bin $(BIN) --out $(B)/bench/fabric $(FABRIC_FLAGS)

.PHONY: bench-arcsim
bench-arcsim: all ## pulls and bends cloth of ARCSim's material files: what their tables say? (ARCSIM_FLAGS="FILE..."; a minute a file, needs numpy)
	@$(PYTHON) tests/bench/arcsim.py --bin $(BIN) --out $(B)/bench/arcsim $(ARCSIM_FLAGS)

.PHONY: bench-dress
bench-dress: all ## sewing patterns on a body: gaps, pairs, rest, time (DRESS_FLAGS="--patterns DIR --bodies DIR"; an hour)
	@$(PYTHON) tests/bench/dress.py --bin $(BIN) --out $(B)/bench/dress $(DRESS_FLAGS)

.PHONY: bench-worn
bench-worn: all ## what bench-dress dressed, worn by a body that raises its arms (WORN_FLAGS="--bodies DIR NAME=GROUP ..."; minutes)
	@$(PYTHON) tests/bench/worn.py --bin $(BIN) --dressed $(B)/bench/dress --out $(B)/bench/worn $(WORN_FLAGS)

bench-blender: all ## the drop against Debian's Blender (make deps-bench)
	@$(DROP) --bin $(BIN) --out $(B)/bench --against blender $(DROP_FLAGS) $(SIZES)

bench-blender-garments: all ## garments on moving bodies in clothsim and Blender (GARMENTS_FLAGS="--skirt FILE --patterns DIR --bodies DIR"; minutes)
	@$(PYTHON) tests/bench/garments.py --bin $(BIN) --out $(B)/bench/garments $(GARMENTS_FLAGS)

bench-bpy: all ## the drop against the newer Blender of make deps-dcc
	@$(DROP) --bin $(BIN) --out $(B)/bench --against bpy $(DROP_FLAGS) $(SIZES)

bench-bullet: all $(B)/bench/bullet_drop ## the drop against Bullet's soft bodies (make deps-bench)
	@$(DROP) --bin $(BIN) --out $(B)/bench --against bullet $(DROP_FLAGS) $(SIZES)

# a program that we compare with, in C++ as Bullet is
$(B)/bench/bullet_drop: $(B)/tests/bench/bullet_drop.o
	@mkdir -p $(@D)
	$(call say,link)$(CXX) $(OPT) $(LINK) $^ -o $@ -lBulletSoftBody -lBulletDynamics -lBulletCollision -lLinearMath
$(B)/tests/bench/bullet_drop.o: ALL_CXX += -isystem /usr/include/bullet

layers: ## check layers, circles between files, comments and sizes
	@tools/check-layers
	@tools/check-circles
	@tools/check-comments
	@tools/check-sizes

format: ## clang-format every C and C++ file
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp')

.PHONY: check-format tidy warnings
warnings: ## build everything with gcc -O2 and with clang, warnings as errors (each sees what others do not)
	@$(MAKE) --no-print-directory WERROR=1 config=O2 all benches tests
	@$(MAKE) --no-print-directory WERROR=1 CC=clang config=debug all benches tests

check-format: ## fail where clang-format would change something
	@clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h' '*.cpp')

# in parts of eight files, one for each CPU; what clang-tidy says of headers comes with them
tidy: $(B)/build.h ## clang-tidy every C file of lib/, cli/ and tools/ (.clang-tidy says for what)
	@git ls-files 'lib/*.c' 'cli/*.c' 'tools/*.c' | xargs -P $$(nproc) -n 8 sh -c \
	  'clang-tidy --quiet "$$@" -- -std=c17 -Ilib -Itools -include base/strict.h -include $(B)/build.h -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=700' clang-tidy

MAN := $(patsubst docs/%.md,build/man/%,$(wildcard docs/*.1.md))
man: $(MAN) ## man pages into build/man/

build/man/%: docs/%.md tools/md2man
	@mkdir -p $(@D)
	$(call say,man)$(PYTHON) tools/md2man $< $@

ADDON := build/clothsim_cache.zip
$(ADDON): $(wildcard tools/blender/clothsim_cache/*) tools/clothcache.py tools/blender/package
	@mkdir -p $(@D)
	$(call say,zip)$(PYTHON) tools/blender/package $@

PREFIX ?= /usr/local
DEST   := $(DESTDIR)$(PREFIX)
SHARE  := $(DEST)/share/clothsim
install: all $(LIB) $(SHARED) $(MAN) $(ADDON) ## copy programs, library, man pages, completion, schema, scenes, readers of caches and the Blender add-on to PREFIX
	install -d $(DEST)/bin $(SHARE)/scenes $(SHARE)/blender $(DEST)/share/man/man1
	install -d $(DEST)/share/doc/clothsim $(DEST)/share/bash-completion/completions
	install -d $(DEST)/include $(DEST)/lib/pkgconfig $(SHARE)/examples $(SHARE)/python
	install -m 644 $(wildcard lib/*.h) $(DEST)/include
	install -m 644 $(LIB) $(SHARED) $(DEST)/lib
	ln -sf $(SONAME) $(DEST)/lib/libclothsim.so
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(LIBS)|' tools/clothsim.pc.in > $(DEST)/lib/pkgconfig/clothsim.pc
	install -m 644 $(wildcard examples/*) $(SHARE)/examples
	install -m 644 python/clothsim.py $(SHARE)/python
	install $(BIN)/clothsim $(BIN)/clothsim-tet $(TOOL_BIN) tools/clothusd $(DEST)/bin
	install -m 644 tools/completion/clothsim.bash $(DEST)/share/bash-completion/completions/clothsim
	ln -sf clothsim $(DEST)/share/bash-completion/completions/clothfarm
	install -m 644 LICENSE NOTICE README.md CHANGELOG.md $(wildcard docs/*.md docs/*.schema.json) $(DEST)/share/doc/clothsim
	install -m 644 tools/clothcache.py $(SHARE)/python
	install -m 644 $(ADDON) $(SHARE)/blender
	cp -R scenes/. $(SHARE)/scenes
	install -m 644 $(MAN) $(DEST)/share/man/man1

.PHONY: deb
deb: all ## a Debian package into build/ (dpkg-deb)
	@MAKE='$(MAKE) $(addprefix -o ,$(BIN)/clothsim $(BIN)/clothsim-tet $(TOOL_BIN))' tools/deb build

.PHONY: portable check-deb
portable: ## programs for any Linux with glibc 2.28 into build/ (ziglang from PyPI, Debian's sources of cJSON and TetGen)
	@MAKE='$(MAKE)' tools/portable

check-deb: deb ## install the .deb in a bare Debian 12 and run the quickstart there (debootstrap, root; GLIBC=1: programs of `make portable` in Debian 11)
	@tests/deb/run

.PHONY: deps-container check-container
deps-container: ## install buildah and debootstrap for check-container (root or sudo)
	@tools/install-deps container

check-container: all ## build the image of tools/container/Dockerfile with buildah, and run its programs (root, minutes)
	@tests/container/run

uninstall: ## remove what install copied
	rm -f $(addprefix $(DEST)/bin/,$(notdir $(BIN)/clothsim $(BIN)/clothsim-tet $(TOOL_BIN)) clothusd)
	rm -f $(addprefix $(DEST)/share/bash-completion/completions/,clothsim clothfarm) $(DEST)/share/man/man1/cloth*.1
	rm -f $(addprefix $(DEST)/include/,$(notdir $(wildcard lib/*.h))) $(DEST)/lib/libclothsim.a $(DEST)/lib/libclothsim.so* $(DEST)/lib/pkgconfig/clothsim.pc
	rm -rf $(SHARE) $(DEST)/share/doc/clothsim

clean: ## remove everything that was built
	rm -rf build bin
