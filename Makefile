# make demo    builds loadproof and a small system, runs a study of 45 seconds, writes its report
# make test    everything that must hold before a change goes in
# make bench   what a request costs the engine; takes half a minute after the build
# make tidy    the quick part of `make test`: documents, arrows, formatting

CARGO ?= cargo
TARGET = $${CARGO_TARGET_DIR:-target}

.PHONY: help demo test lint bench tidy needs

help:
	@sed -n 's/^# make/make/p' Makefile

# What is missing is said here, in one line each, before a build fails in many.
needs:
	@[ "$$(uname -s)" = Linux ] || { \
	  echo "loadproof needs Linux: it waits with epoll and watches through /proc"; exit 2; }
	@command -v $(CARGO) >/dev/null || { \
	  echo "cargo is missing: install Rust 1.95 or later, see https://rustup.rs"; exit 2; }
	@rustc --version | awk '{ split($$2, v, "[.]"); exit !(v[1] > 1 || v[2] >= 95) }' || { \
	  echo "this is $$(rustc --version), and 1.95 is needed: type rustup update stable"; exit 2; }
	@command -v cc >/dev/null || { \
	  echo "a C compiler is missing (for SQLite and the cryptography): type apt-get install build-essential"; exit 2; }

# A verdict is no failure of the demo: 1 and 3 say something about this machine under this load.
demo: needs
	$(CARGO) build --release -p cli -p system-inventory
	@"$(TARGET)/release/loadproof" run studies/quickstart.yaml; code=$$?; \
	case $$code in \
	  0) echo "exit code 0: every requirement that must hold is met" ;; \
	  1) echo "exit code 1: a requirement is not met; the report says which, and by how much" ;; \
	  3) echo "exit code 3: something could not be told, often since this machine was busy; the report says why" ;; \
	  *) exit $$code ;; \
	esac

# The binaries come first: end-to-end tests start them.
test: needs lint
	$(CARGO) build --workspace --bins
	$(CARGO) test --workspace

lint: needs
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

tidy: needs
	$(CARGO) fmt --all --check
	$(CARGO) build -p cli
	$(CARGO) xtask tidy

bench: needs
	$(CARGO) build --release -p cli -p target-echo
	$(CARGO) xtask bench
