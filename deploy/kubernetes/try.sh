#!/usr/bin/env bash
# Applies the manifests to a real API server whose pods are only pretended, and looks at what becomes of them.
#
#   deploy/kubernetes/try.sh [FOLDER]     etcd, API server, controllers, scheduler, kwok; all on loopback
#
# Needs Go, openssl, and etcd (`apt-get install etcd-server`). The first time builds Kubernetes and kwok from their Go
# modules into FOLDER (/tmp/loadproof-kube by default): about 25 minutes of processor time, 4 GB. After that: a minute.
# What is not tried here: images, volumes with data, secrets in containers. `cargo test -p e2e manifests::` carries the
# containers' commands out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mkdir -p "${1:-/tmp/loadproof-kube}" && cd "${1:-/tmp/loadproof-kube}" && pwd)
kubernetes=1.36.3 kwok=0.8.0
bin=$folder/bin

fail() { echo "try.sh: $*" >&2; exit 1; }
say() { echo "== $*"; }
for program in go openssl etcd; do command -v "$program" >/dev/null || fail "$program is missing"; done

# Kubernetes replaces its parts by folders of its own repository, so it cannot be installed by name: a module of our own
# replaces them by what is published of each.
build() {
  mkdir -p "$bin" "$folder/module" && cd "$folder/module"
  export GOFLAGS=-mod=mod\ -p=${TRY_JOBS:-2}
  if [ ! -x "$bin/kwok" ]; then
    say "building kwok $kwok"
    GOBIN=$bin go install "sigs.k8s.io/kwok/cmd/kwok@v$kwok"
  fi
  [ -e go.mod ] || {
    say "asking which parts Kubernetes $kubernetes has"
    local parts
    parts=$(go mod download -json "k8s.io/kubernetes@v$kubernetes" | sed -n 's/.*"GoMod": "\(.*\)",*/\1/p')
    { echo "module try"; echo; sed -n '/^go /p' "$parts"; echo; echo "require k8s.io/kubernetes v$kubernetes"; echo
      sed -n 's#^[[:space:]]*\(k8s.io/[a-z-]*\) => ./staging/.*#replace \1 => \1 v0'".${kubernetes#1.}"'#p' "$parts"
    } >go.mod.new
    { echo "//go:build tools"; echo "package try"
      for part in kube-apiserver kube-controller-manager kube-scheduler kubectl; do
        echo "import _ \"k8s.io/kubernetes/cmd/$part\""; done; } >tools.go
    mv go.mod.new go.mod && { go mod tidy 2>tidy.log || { mv go.mod go.mod.bad; cat tidy.log >&2; exit 1; }; }
  }
  for part in kubectl kube-apiserver kube-controller-manager kube-scheduler; do
    [ -x "$bin/$part" ] || { say "building $part"; go build -o "$bin/$part" "k8s.io/kubernetes/cmd/$part"; }
  done
}

# Everything that was started ends with this script: who depends on another first, and who does not end within ten
# seconds is not asked again.
pids=()
finish() {
  local code=$? at
  trap - EXIT INT TERM
  for ((at = ${#pids[@]} - 1; at >= 0; at--)); do
    kill "${pids[at]}" 2>/dev/null || continue
    for _ in $(seq 50); do kill -0 "${pids[at]}" 2>/dev/null || break; sleep 0.2; done
    kill -KILL "${pids[at]}" 2>/dev/null || true
  done
  wait 2>/dev/null || true
  rm -rf "$work"
  exit "$code"
}
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
start() { local name=$1; shift; "$@" >"$folder/$name.log" 2>&1 & pids+=($!); }
until_so() { for _ in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep 0.2; done
  fail "in vain: $* (logs are in $folder)"; }

cluster() {
  local etcd peer api
  etcd=$(free_port) peer=$(free_port) api=$(free_port)
  openssl genrsa -out "$work/accounts.key" 2048 2>/dev/null
  echo "$(openssl rand -hex 16),admin,admin,system:masters" >"$work/tokens.csv"
  say "starting etcd, the API server, its controllers and scheduler, and kwok"
  start etcd etcd --data-dir "$work/etcd" --listen-client-urls "http://127.0.0.1:$etcd" \
    --advertise-client-urls "http://127.0.0.1:$etcd" --listen-peer-urls "http://127.0.0.1:$peer" \
    --initial-advertise-peer-urls "http://127.0.0.1:$peer" --initial-cluster "default=http://127.0.0.1:$peer"
  start apiserver "$bin/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd" --bind-address 127.0.0.1 \
    --advertise-address 127.0.0.1 --secure-port "$api" --cert-dir "$work/certs" --token-auth-file "$work/tokens.csv" \
    --authorization-mode RBAC --service-cluster-ip-range 10.0.0.0/24 --service-account-issuer https://try \
    --service-account-key-file "$work/accounts.key" --service-account-signing-key-file "$work/accounts.key"
  export KUBECONFIG=$work/config
  cat >"$KUBECONFIG" <<CONFIG
{ apiVersion: v1, kind: Config, current-context: try,
  clusters: [ { name: try, cluster: { server: "https://127.0.0.1:$api", insecure-skip-tls-verify: true } } ],
  users: [ { name: admin, user: { token: "$(cut -d, -f1 "$work/tokens.csv")" } } ],
  contexts: [ { name: try, context: { cluster: try, user: admin } } ] }
CONFIG
  until_so kubectl get --raw /readyz
  start controllers "$bin/kube-controller-manager" --kubeconfig "$KUBECONFIG" --leader-elect=false --secure-port 0 \
    --service-account-private-key-file "$work/accounts.key"
  start scheduler "$bin/kube-scheduler" --kubeconfig "$KUBECONFIG" --leader-elect=false --secure-port 0
  local stages
  stages=$(cd "$folder/module" && GOFLAGS=-mod=mod go mod download -json "sigs.k8s.io/kwok@v$kwok" | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')
  local configs=()
  for stage in "$stages"/kustomize/stage/node/fast/*.yaml "$stages"/kustomize/stage/pod/fast/*.yaml; do
    case $stage in *kustomization*) ;; *) configs+=(--config "$stage") ;; esac
  done
  start kwok "$bin/kwok" --kubeconfig "$KUBECONFIG" --manage-all-nodes=true "${configs[@]}"
  for node in one two; do
    kubectl apply -f - >/dev/null <<NODE
{ apiVersion: v1, kind: Node, metadata: { name: $node, labels: { kubernetes.io/hostname: $node } },
  status: { allocatable: { cpu: 16, memory: 64Gi, pods: 100 }, capacity: { cpu: 16, memory: 64Gi, pods: 100 } } }
NODE
  done
  kubectl apply -f - >/dev/null <<VOLUME
{ apiVersion: v1, kind: PersistentVolume, metadata: { name: disk },
  spec: { capacity: { storage: 10Gi }, accessModes: [ReadWriteOnce], hostPath: { path: /nowhere } } }
VOLUME
  until_so kubectl get serviceaccount default
}

# A word that the API server does not know is refused, so what it takes is spelt right.
strict() {
  local file wrong
  for file in nodes.yaml run.yaml; do
    kubectl apply --validate=strict --dry-run=server -f "$here/$file" >/dev/null || fail "$file is refused"
  done
  for wrong in completionMode/completionsMode secretName/secretNam backoffLimit/backOffLimit configMap:/configMapp:; do
    for file in nodes.yaml run.yaml; do
      grep -q "${wrong%/*}" "$here/$file" || continue
      sed "s/${wrong%/*}/${wrong#*/}/" "$here/$file" >"$work/wrong.yaml"
      ! kubectl apply --validate=strict --dry-run=server -f "$work/wrong.yaml" >"$work/said" 2>&1 \
        || fail "$file with \`${wrong#*/}\` is taken"
      grep -q 'unknown field' "$work/said" || fail "$file with \`${wrong#*/}\`: $(cat "$work/said")"
    done
  done
  say "the manifests are taken, and refused with a field misspelt"
}

# What the README has people make; every key that a pod mounts has to be in it.
references() {
  local name key pod
  printf a >"$work/ca.pem"; printf b >"$work/node-password"; printf c >"$work/run-password"; printf d >"$work/study.yaml"
  (cd "$work" && kubectl create secret generic loadproof-nats --from-file=ca.pem --from-file=node-password --from-file=run-password \
    && kubectl create configmap study --from-file=study.yaml) >/dev/null
  for pod in $(kubectl get pods -o name); do
    for name in $(kubectl get "$pod" -o jsonpath='{.spec.volumes[*].secret.secretName}'); do
      kubectl get secret "$name" >/dev/null || fail "$pod mounts the secret $name, which does not exist"
      for key in $(kubectl get "$pod" -o jsonpath='{.spec.volumes[*].secret.items[*].key}'); do
        [ -n "$(kubectl get secret "$name" -o jsonpath="{.data.$key}" 2>/dev/null || true)" ] \
          || [ -n "$(kubectl get secret "$name" -o "jsonpath={.data['${key//./\\.}']}")" ] || fail "$name has no $key"
      done
    done
    for name in $(kubectl get "$pod" -o jsonpath='{.spec.volumes[*].configMap.name}'); do
      kubectl get configmap "$name" >/dev/null || fail "$pod mounts the config map $name, which does not exist"
    done
  done
  say "every secret, key and config map that the pods mount is there"
}

# An Indexed Job gives each pod its place, and is complete when each has ended.
jobs() {
  local count indexes
  kubectl apply --validate=strict -f "$here/nodes.yaml" -f "$here/run.yaml" >/dev/null
  count=$(kubectl get job loadproof-nodes -o jsonpath='{.spec.completions}')
  until_so kubectl wait --for=condition=complete --timeout=1s job/loadproof-nodes job/loadproof-run
  indexes=$(kubectl get pods -l app=loadproof-node \
    -o jsonpath='{range .items[*]}{.metadata.annotations.batch\.kubernetes\.io/job-completion-index}{"\n"}{end}' | sort -n | xargs)
  [ "$indexes" = "$(seq 0 $((count - 1)) | xargs)" ] || fail "the pods have the indexes $indexes"
  [ "$(kubectl get pods -l app=loadproof-node -o jsonpath='{.items[*].spec.containers[0].env[*].name}' | tr ' ' '\n' \
    | grep -c '^JOB_COMPLETION_INDEX$')" = "$count" ] || fail "a pod does not know its index"
  say "$count pods with the indexes $indexes on $(kubectl get pods -l app=loadproof-node \
    -o jsonpath='{.items[*].spec.nodeName}' | tr ' ' '\n' | sort | uniq -c | xargs); both jobs complete"
}

build
export PATH=$bin:$PATH
work=$(mktemp -d)
trap finish EXIT
trap 'exit 130' INT TERM
cluster
strict
jobs
references
say "all is as the manifests say"
