# Two commands do everything: `make run` and `make test`.

# The address of the sources, as documents write it. `make repository REPOSITORY=https://…` replaces it here and there.
REPOSITORY ?= https://git.example/ringfence

BUILD ?= .build
DATA ?= .ringfence
PORT ?= 8080

.PHONY: run repository deb tools dist test test-swift test-python test-texts left-out empty-statements test-statements test-slow test-high-availability lint format dependencies test-dependencies benchmark benchmark-pack benchmark-readers simulate fuzz-pack vectors android-archive clean

# Debugging information of libraries in C takes a seventh of their time. Swift's own libraries are in the programs, which then
# run where there is no Swift. References to modules in C would have numbers that each build draws anew. All targets below share
# one build.
OPTIMIZED = --configuration release -Xcc -g0 --static-swift-stdlib -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs

run: dependencies
	swift build --scratch-path $(BUILD) $(OPTIMIZED) --product ringfence
	exec env RINGFENCE_HOME=$(CURDIR) $(BUILD)/release/ringfence serve --demo --data $(DATA) --port $(PORT)

repository:
	git grep --files-with-matches --fixed-strings https://git.example/ringfence -- Makefile '*.md' | \
	  xargs sed --in-place 's|https://git.example/ringfence|$(REPOSITORY)|g'

RELEASE = $(BUILD)/dist
deb: dependencies
	@Scripts/install-dependencies package
	swift build --scratch-path $(BUILD) $(OPTIMIZED) --product ringfence
	Scripts/make-package $(BUILD)/release/ringfence $(RELEASE)

# The tool of build machines. It has a folder of its own, because it is built without the packages of the server.
# Without the option, Package.resolved would lose the packages of the server, and their versions with them.
tools: dependencies
	swift build --disable-default-traits --traits Tools $(if $(wildcard Package.resolved),--force-resolved-versions) \
	  --scratch-path $(BUILD)/tools $(OPTIMIZED) --product ringfence-packs
	Scripts/make-tool-archive $(BUILD)/tools/release/ringfence-packs $(RELEASE)

# The time of the commit, for all files. In an unpacked archive of the sources, it is the time of its files.
deb tools dist: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || stat --format=%Y CHANGELOG.md)

# The compiler writes the paths of this folder and of its temporary files into the programs.
deb tools dist: export TMPDIR = /tmp

# Packaging/README.md lists the files of a release. Versions of packages that only the benchmarks need are not among its sources.
dist:
	@git rev-parse --quiet --verify HEAD > /dev/null || { echo "make dist needs a checkout of git, because the archive of the sources is made from a commit." >&2; exit 1; }
	@test -z "$$(git status --porcelain)" || { echo "The checkout has changes or new files. Commit them, then run make dist again." >&2; exit 1; }
	rm -rf $(RELEASE)
	git ls-files --error-unmatch Package.resolved > /dev/null 2>&1 || rm -f Package.resolved
	$(MAKE) deb
	$(MAKE) tools
	@Scripts/install-dependencies release
	@Scripts/prepare-python $(BUILD)/python Packaging/requirements.txt
	Scripts/make-archive $(BUILD)/release/ringfence $(RELEASE)
	Scripts/make-source-archives $(RELEASE)
	swift package --scratch-path $(BUILD) show-dependencies --format json > $(BUILD)/packages.json
	$(BUILD)/python/bin/python Scripts/make-bill-of-materials $(BUILD)/packages.json $(RELEASE) $(BUILD)/release/ringfence $(BUILD)/tools/release/ringfence-packs
	cd $(RELEASE) && sha256sum *.* > SHA256SUMS

# Data of tests is in memory where there is room.
# The statements that tests send: the last part of `make test` checks their shapes.
test: export RINGFENCE_STATEMENTS = $(abspath $(BUILD))/statements
test test-swift test-python test-slow test-high-availability: export TMPDIR = $(shell Scripts/test-folder)

# Texts and code style first: they need no build.
test: test-dependencies lint test-texts vectors empty-statements test-swift test-python test-statements left-out

test-texts:
	$(PYTEST) --maxfail=20 $(TEXTS)

empty-statements:
	rm -rf $(BUILD)/statements
	mkdir -p $(BUILD)/statements

test-statements:
	$(PYTEST) Tests/Architecture/test_statements.py

# The tests that `make test` leaves out, and the time of the last `make test-slow`.
left-out:
	@echo "Left out: the tests that are marked slow, PgBouncer, Patroni and the benchmarks. make test-slow has most of them."
	@cat $(BUILD)/test-slow 2>/dev/null || echo "make test-slow has not passed in this folder."

dependencies:
	@Scripts/install-dependencies

test-dependencies:
	@Scripts/install-dependencies test
	@Scripts/prepare-python
	@Scripts/prepare-python $(BUILD)/python Packaging/requirements.txt

lint:
	swift format lint --strict --parallel --recursive Package.swift Sources Plugins Tests Examples Benchmarks

# Built first, so that no test waits for the compiler. BUILD_OPTIONS are further options of `swift build`.
test-swift:
	swift build --scratch-path $(BUILD) --build-tests $(BUILD_OPTIONS)
	Scripts/run-swift-tests.py $(BUILD)

# Against the program that `test-swift` built.
# The longest file and the folders with long tests come first, so that no long file is left for one process at the end. Tests
# of faults mostly wait, while others use the processors.
PARALLEL = Tests/Browser/test_every_page.py Tests/HighAvailability Tests/Faults Tests/CommandLine Tests/Numbers Tests/Browser Tests/TelephoneSystems Tests/Mirrors \
  Tests/Security Tests/Readers Tests/Vectors Tests/Docker Tests/Packaging Tests/Architecture/test_kit.py
TEXTS = Tests/Documentation $(addprefix Tests/Architecture/,test_comments.py test_declarations.py test_layers.py)
PYTEST = RINGFENCE_HOME=$(CURDIR) RINGFENCE_BINARY=$(abspath $(BUILD))/debug/ringfence .venv/bin/python -m pytest --quiet

# Failed tests run once more, alone; not after an error that prevented tests, which is not status 1.
REPEAT = { test $$? -eq 1 && $(PYTEST) --last-failed --last-failed-no-failures=none --maxfail=1

test-python:
	$(PYTEST) --durations=20 --numprocesses=4 --dist=loadfile --no-loadscope-reorder $(PARALLEL) || $(REPEAT) $(PARALLEL); }

# Long series of faults, rolling upgrades and the benchmarks: every night, and before a release.
test-slow: export RINGFENCE_BENCHMARKS = 1
test-slow: test-dependencies vectors deb
	swift build --scratch-path $(BUILD) --build-tests $(BUILD_OPTIONS)
	swift test --scratch-path $(BUILD) --skip-build --filter '^BenchmarkCommandTests\.'
	$(PYTEST) -m slow --numprocesses=2 --dist=loadfile $(PARALLEL)
	@echo "make test-slow passed on $$(date --utc +%F) at $$(git rev-parse --short HEAD)." > $(BUILD)/test-slow

# The table in Documentation/benchmarks/day-one.md: days of an installation that begins empty, with each seed.
SEEDS ?= 1,2,3
simulate: dependencies
	swift build --scratch-path $(BUILD) --build-tests
	RINGFENCE_SIMULATION_SEEDS=$(SEEDS) RINGFENCE_SIMULATION_TABLE=$(abspath $(BUILD))/day-one.md \
	  swift test --scratch-path $(BUILD) --skip-build --filter '\.SimulationTests/'

# Also behind PgBouncer, and through failovers of Patroni (Debian: pgbouncer, patroni, python3-pysyncobj).
test-high-availability:
	RINGFENCE_TEST_PGBOUNCER=1 RINGFENCE_TEST_PATRONI=1 $(PYTEST) -m "slow or not slow" -rs Tests/HighAvailability

# The page Documentation/benchmarks/ratios.md: the server beside its peers, in one run. The server is the one of `make run`.
# COMPLAINTS=FILE also imports a list in the format ftc-tsv.
benchmark: export RINGFENCE_BENCHMARKS = 1
benchmark: dependencies
	swift build --scratch-path $(BUILD) $(OPTIMIZED) --product ringfence
	swift build --scratch-path $(BUILD) $(OPTIMIZED) --product ringfence-benchmark
	Scripts/benchmark-ratios.py $(BUILD)/release/ringfence $(BUILD)/release/ringfence-benchmark Documentation/benchmarks/ratios.md \
	  $(if $(COMPLAINTS),--complaints $(COMPLAINTS))

# The table in Documentation/benchmarks/pack.md; needs the lists of ../shared (or SHARED=DIR).
SHARED ?= ../shared
benchmark-pack: dependencies
	swift build --disable-default-traits --scratch-path $(BUILD)/portable --configuration release --product pack-benchmark
	Scripts/benchmark-packs.py $(BUILD)/portable/release/pack-benchmark $(SHARED) Documentation/benchmarks/pack.md

# The table in Documentation/benchmarks/readers.md.
benchmark-readers: dependencies
	swift build --disable-default-traits --scratch-path $(BUILD)/portable --configuration release --product pack-benchmark
	Scripts/benchmark-readers.py $(BUILD)/portable/release/pack-benchmark $(SHARED) Documentation/benchmarks/readers.md

# Coverage-guided, for SECONDS; what it finds belongs into Tests/CallerPackTests/Golden/Finds.
SECONDS ?= 60
fuzz-pack: dependencies
	sh Scripts/fuzz-pack.sh $(SECONDS)

# The test vectors of packs and publications, in Tests/Vectors; their sums must agree with SHA256SUMS.
vectors:
	Scripts/make-vectors.py Tests/Vectors

# The library for Android as a folder of Maven. ANDROID_CLASSES=PATH compiles it with the classes of an SDK instead of stubs.
android-archive: export ANDROID_CLASSES := $(ANDROID_CLASSES)
android-archive:
	Scripts/make-android-archive $(BUILD)/android-archive

format:
	swift format --in-place --recursive Package.swift Sources Plugins Tests Examples Benchmarks

clean:
	rm -rf $(BUILD) .venv artefacts
