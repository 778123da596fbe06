#!/bin/sh
# Has gateways answer from another index, without a failed request and without an answer at an older slot than before:
#   switch-index.sh OVERLAY GATEWAYS FROM TO
# GATEWAYS is the namespace of the gateways, and OVERLAY its overlay, which already names the new index. FROM and TO are the
# namespaces of the old and of the new index. The README has the steps before and after, and why the indexes pause.
set -eu
overlay=$1 gateways=$2 from=$3 to=$4
# Slots until the pause: more than pass while both ingests start anew.
: "${SLOTS_AHEAD:=150}" "${TIMEOUT_S:=600}"

# The indexed slots of all gateways of a namespace, each once. Fails if one does not answer.
slots() {
  for pod in $(kubectl -n "$1" get pods -l app.kubernetes.io/component=gateway -o name); do
    kubectl -n "$1" exec "$pod" -c app -- node --eval "
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getIndexerSlot' });
      const headers = { 'content-type': 'application/json' };
      fetch('http://127.0.0.1:' + (process.env.GATEWAY_PORT ?? 8784), { method: 'POST', headers, body })
        .then((response) => response.json())
        .then(({ result, error }) => (result ? console.log(result) : Promise.reject(error)));" || return 1
  done >"$answers"
  sort -nu "$answers"
}

set_pause() {
  for index in "$from" "$to"; do kubectl -n "$index" set env deployment/ingest "INGEST_PAUSE_SLOT$1"; done
}

answers=$(mktemp)
slot=$(slots "$gateways")
pause=$(($(echo "$slot" | tail -n 1) + SLOTS_AHEAD))
trap 'set_pause -; rm "$answers"' EXIT
trap 'exit 1' INT TERM
echo "both indexes pause at slot $pause"
set_pause "=$pause"

# Both end with the same block: the first one at or above the slot of the pause.
deadline=$(($(date +%s) + TIMEOUT_S))
until old=$(slots "$gateways") && new=$(slots "$to") && [ "$old" -ge "$pause" ] 2>/dev/null && [ "$new" = "$old" ]; do
  if [ "$(date +%s)" -ge "$deadline" ]; then
    echo "nothing was switched: the old index is at slot $old, the new one at $new" >&2
    exit 1
  fi
  sleep 2
done

echo "both indexes are at slot $old: the gateways are switched"
pods=$(kubectl -n "$gateways" get pods -l app.kubernetes.io/component=gateway -o name)
kubectl apply -k "$overlay" -l 'app.kubernetes.io/component!=ingest'
if ! kubectl -n "$gateways" rollout status deployment/gateway --timeout="${TIMEOUT_S}s"; then
  kubectl -n "$gateways" rollout undo deployment/gateway
  kubectl -n "$gateways" rollout status deployment/gateway
  echo 'the new gateways are not ready: the old ones were started again' >&2
  exit 1
fi
# They answer for some seconds, and must not fall behind the new ones.
kubectl -n "$gateways" wait --for=delete $pods --timeout="${TIMEOUT_S}s"
echo 'switched; both indexes go on'
