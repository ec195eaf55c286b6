# make demo    builds loadproof and a small system, runs a study of 45 seconds, writes its report
# make test    everything that must hold before a change goes in
# make parts   the real parts that tests need beside Rust, installed with apt where missing: PostgreSQL, MariaDB, a JDK, xmlsec1, NATS, sshd, OpenSSL's headers; Kafka's jars, with Maven; DuckDB's program, with pip
# make spark   a Python with PySpark in target/spark, with drivers of databases, for analyzers with Spark: 500 MB
# make bench   what a request costs the engine, and how true its times are; takes a quarter of an hour after the build
# make fuzz    tries one parser with bytes that nobody would write: make fuzz TARGET=envelope SECONDS=300
# make kubernetes  the manifests of deploy/ at a real API server, with etcd and Go; builds Kubernetes the first time
# make dist    the packages: cargo install, a .deb, a static program, a container; each built and tried
# make tidy    the quick part of `make test`: documents, arrows, formatting

CARGO ?= cargo
TARGET = $${CARGO_TARGET_DIR:-target}

.PHONY: help demo test lint bench fuzz kubernetes dist tidy needs room parts packages jars duckdb spark

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

# No cluster is made and no service is started, neither now (policy-rc.d says no while packages are set up, and goes
# again) nor by PostgreSQL later: the tests start servers of their own. Without the rights to install, it says what to
# type; servers elsewhere are named by LOADPROOF_POSTGRES_BIN and LOADPROOF_MARIADB_BIN.
POLICY = /usr/sbin/policy-rc.d
KAFKA = $${LOADPROOF_KAFKA:-$(TARGET)/kafka}
DUCKDB_VERSION = 1.5.6
PYSPARK_VERSION = 4.3.0
JDBC_DRIVERS = org.mariadb.jdbc:mariadb-java-client:3.5.6 org.postgresql:postgresql:42.7.8
parts: packages jars duckdb

packages:
	@has() { command -v "$$1" >/dev/null || [ -x "/usr/sbin/$$1" ]; }; missing=; \
	[ -x "$$LOADPROOF_POSTGRES_BIN/initdb" ] || has initdb || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
	  || missing="$$missing postgresql"; \
	[ -x "$$LOADPROOF_MARIADB_BIN/mariadbd" ] || has mariadbd || missing="$$missing mariadb-server"; \
	{ has java && has javac && has jstat; } || missing="$$missing openjdk-17-jdk-headless"; \
	has xmlsec1 || missing="$$missing xmlsec1"; \
	has nats-server || missing="$$missing nats-server"; \
	{ has sshd && has ssh; } || missing="$$missing openssh-server openssh-client"; \
	[ -e /usr/include/openssl/ssl.h ] || missing="$$missing libssl-dev"; \
	ls $(KAFKA)/kafka_2.13-*.jar >/dev/null 2>&1 || has mvn || missing="$$missing maven"; \
	[ -e "$${LOADPROOF_DUCKDB:-$(TARGET)/duckdb/duckdb}" ] || has duckdb || python3 -m pip --version >/dev/null 2>&1 \
	  || missing="$$missing python3-pip"; \
	[ -n "$$missing" ] || exit 0; \
	if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
	  echo "parts that tests need are missing: type sudo apt-get install$$missing"; exit 2; fi; \
	mkdir -p /etc/postgresql-common; \
	[ -e /etc/postgresql-common/createcluster.conf ] \
	  || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf; \
	[ -e $(POLICY) ] || { trap 'rm -f $(POLICY)' EXIT INT TERM; \
	  printf '#!/bin/sh\nexit 101\n' >$(POLICY); chmod 755 $(POLICY); }; \
	export DEBIAN_FRONTEND=noninteractive; \
	install="apt-get install -qq --no-install-recommends$$missing"; \
	{ $$install || { apt-get update -qq && $$install; }; } >/dev/null \
	  || { echo "parts cannot be installed: type apt-get install$$missing, and see what it says"; exit 2; }

# Kafka comes as jars: 54 MB, fetched once. A folder that LOADPROOF_KAFKA names is used as it is.
jars: packages
	@libs=$(KAFKA); ls "$$libs"/kafka_2.13-*.jar >/dev/null 2>&1 && exit 0; \
	case "$$libs" in /*) ;; *) libs="$$PWD/$$libs" ;; esac; \
	fetch="mvn -q -B -f systems/system-kafka/pom.xml dependency:copy-dependencies -DincludeScope=runtime"; \
	rm -rf "$$libs.new"; mkdir -p "$$libs"; \
	once() { $$fetch -DoutputDirectory="$$libs.new" >"$$libs.log" 2>&1; }; \
	{ once || { sleep 10; once; } || { sleep 30; once; }; } && mv "$$libs.new"/*.jar "$$libs" && rmdir "$$libs.new" \
	  || { echo "Kafka's jars cannot be fetched: see $$libs.log, or type $$fetch"; exit 2; }

# DuckDB's program comes in a package of Python's: 21 MB, fetched once. Nothing of Python is needed to run it.
duckdb: packages
	@at="$(TARGET)/duckdb"; [ -e "$${LOADPROOF_DUCKDB:-$$at/duckdb}" ] && exit 0; command -v duckdb >/dev/null && exit 0; \
	fetch="python3 -m pip install -q --no-deps --only-binary :all: duckdb-cli==$(DUCKDB_VERSION)"; \
	once() { rm -rf "$$at.new"; $$fetch --target "$$at.new" >"$$at.log" 2>&1; }; \
	mkdir -p "$$at"; { once || { sleep 10; once; } || { sleep 30; once; }; } \
	  && mv "$$at.new/duckdb_cli/duckdb" "$$at/duckdb" && chmod +x "$$at/duckdb" && rm -rf "$$at.new" \
	  || { echo "DuckDB cannot be fetched: see $$at.log, or type $$fetch"; exit 2; }

# Opt-in: analyzers with Spark, and the tests that are ignored without it.
spark: needs
	@at="$(TARGET)/spark"; "$$at/bin/python3" -c 'import pyspark' 2>/dev/null && [ -d "$$at/jdbc" ] && exit 0; \
	rm -rf "$$at"; python3 -m venv "$$at" && "$$at/bin/python3" -m pip install -q pyspark==$(PYSPARK_VERSION) \
	  || { echo "PySpark cannot be installed: type python3 -m venv $$at && $$at/bin/python3 -m pip install pyspark==$(PYSPARK_VERSION)"; exit 2; }; \
	case "$$at" in /*) ;; *) at="$$PWD/$$at" ;; esac; \
	for driver in $(JDBC_DRIVERS); do \
	  fetch="mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact=$$driver -DoutputDirectory=$$at/jdbc.new"; \
	  $$fetch >"$$at/jdbc.log" 2>&1 || { echo "a driver of JDBC cannot be fetched: see $$at/jdbc.log, or type $$fetch"; exit 2; }; \
	done; mv "$$at/jdbc.new" "$$at/jdbc"

# A verdict is no failure of the demo: 1 and 3 say something about this machine under this load.
# Documents on paper are left out: they take a tenth of the build.
demo: needs
	$(CARGO) build --release -p cli -p system-inventory --no-default-features
	@"$(TARGET)/release/loadproof" run studies/quickstart.yaml; code=$$?; \
	case $$code in \
	  0) echo "exit code 0: every requirement that must hold is met" ;; \
	  1) echo "exit code 1: a requirement is not met; the report says which, and by how much" ;; \
	  3) echo "exit code 3: something could not be told, often since this machine was busy; the report says why" ;; \
	  *) exit $$code ;; \
	esac

# A full disk fails many tests, each with a reason of its own. Only a warning: what is built already needs no room.
room:
	@mkdir -p "$(TARGET)"; free=$$(df -Pk "$(TARGET)" "$${TMPDIR:-/tmp}" | awk 'NR > 1 { print int($$4 / 1048576) }' | sort -n | head -1); \
	[ "$$free" -ge 15 ] || echo "only $$free GiB are free for the build and for what tests write: from cold that takes 15"

# The binaries come first: end-to-end tests start them. All tests run, whatever fails: one look shows all that is wrong.
# The end-to-end tests mostly wait, so five go on at once, and everything else is built, tried and linted beside them; what
# compiles gives way to them, and so, less, do the other tests. What they print comes last.
# Programs and tests are built by one command: alone, programs would be built with fewer features of libraries, and once more.
test: needs room parts
	$(CARGO) fmt --all --check
	$(CARGO) build --workspace --bins --test end_to_end
	@printed=$(TARGET)/end-to-end.txt; $(CARGO) test --workspace --test end_to_end -- --test-threads 5 >$$printed 2>&1 & beside=$$!; \
	nice -n 19 $(CARGO) test --workspace --exclude e2e --no-run; built=$$?; \
	nice -n 5 $(CARGO) test --workspace --exclude e2e --no-fail-fast; others=$$?; \
	nice -n 19 $(CARGO) clippy --workspace --all-targets -- -D warnings; lints=$$?; \
	wait $$beside; code=$$?; cat $$printed; exit $$((code | built | others | lints))

lint: needs
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

tidy: needs
	$(CARGO) fmt --all --check
	$(CARGO) build -p cli
	$(CARGO) xtask tidy

bench: needs
	$(CARGO) build --release --bins --example many_nodes -p cli -p broker -p target-echo -p target-stall -p yardstick -p system-streaming
	$(CARGO) build --release -p record --example replay
	$(CARGO) xtask bench

# RUSTC_BOOTSTRAP lets the stable compiler take the flags that count branches. No sanitizer: nothing here is unsafe, and
# without one it runs at twice the speed. What a search adds goes to fuzz/work; a crash goes to fuzz/artifacts, and from
# there, made small and mended, into fuzz/found.
SECONDS = 300
fuzz: needs
	@[ -d "fuzz/corpus/$(TARGET)" ] || { echo "name a target: make fuzz TARGET=NAME, one of:"; ls fuzz/corpus; exit 2; }
	@$(CARGO) fuzz --version >/dev/null 2>&1 || { echo "cargo-fuzz is missing: type cargo install cargo-fuzz"; exit 2; }
	@mkdir -p fuzz/work/$(TARGET) fuzz/found/$(TARGET) && cp Cargo.lock fuzz/Cargo.lock
	RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run --sanitizer none $(TARGET) \
	  fuzz/work/$(TARGET) fuzz/corpus/$(TARGET) fuzz/found/$(TARGET) -- \
	  -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 -max_len=16384

# Two builds for release, one of them against musl. Each script may be started by itself; the last takes what the third built.
dist: needs
	deploy/packages/install.sh
	deploy/packages/deb.sh
	deploy/packages/static.sh
	deploy/packages/container.sh

# Opt-in: about 25 minutes of processor time the first time, a minute after that.
kubernetes:
	deploy/kubernetes/try.sh
