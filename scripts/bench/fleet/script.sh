#!/bin/bash
# What a good script does without kubectl win: a pod on each Windows node, wait, read the same sections, delete the pod.
# Usage: script.sh KUBECTL PARALLEL FOLDER. FOLDER has pod.json (with __NODE__ and __NAME__ to fill in), request and command.
set -euo pipefail
export kubectl=$1 folder=$3
mkdir -p "$folder/answers"
"$kubectl" get namespace kubectl-win > /dev/null 2>&1 || "$kubectl" create namespace kubectl-win > /dev/null
"$kubectl" create -f "$folder/shared.json" --validate=false > /dev/null
one() {
  local node=$1 name=script-$1
  sed -e "s/__NODE__/$node/; s/__NAME__/$name/" "$folder/pod.json" | "$kubectl" create -f - --validate=false > /dev/null
  "$kubectl" wait -n kubectl-win --for=condition=Ready "pod/$name" --timeout=300s > /dev/null
  mapfile -t words < "$folder/command"
  "$kubectl" exec -i -n kubectl-win "$name" -- "${words[@]}" < "$folder/request" > "$folder/answers/$node"
  "$kubectl" delete pod -n kubectl-win "$name" --grace-period=0 --force --wait=false > /dev/null 2>&1
}
export -f one
"$kubectl" get nodes -l kubernetes.io/os=windows -o 'jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}' |
  xargs -P "$2" -I{} bash -c 'one {}'
"$kubectl" delete -f "$folder/shared.json" --wait=false > /dev/null
