#!/usr/bin/env bash
# Simulates kernels twice, with blocks left out that are proved to count the same and with every block (--whole), and
# prints what each took in seconds of CPU, all processes, and whether any count differs. Needs no GPU.
#
#   CUGATE=build/cugate tests/sim/proof_bench.sh [-k GLOB | --kernels LIBRARY]...     default: the catalogue
#   CUGATE=build/cugate NVCC=nvcc tests/sim/proof_bench.sh --size N     sgemm of N x N, by proof alone: whole takes minutes
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
cugate=$(realpath "${CUGATE:-$top/build/cugate}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$top"
TIMEFORMAT='%U %S'
# simulate FILE ARGUMENT...
simulate() {
    local file=$1
    shift
    { time "$cugate" run --simulate=nvidia-h200 --lines --save "$work/$file.json" "$@" >"$work/$file.log" 2>&1 || true; } 2>"$work/$file.time"
    jq -S '.kernels | map_values(del(.seconds, .blocks, .blocks_executed, .not_proved))' "$work/$file.json" >"$work/$file.txt"
}
if [ "${1-}" = --size ]; then
    sed "s/SGEMM_N 8192/SGEMM_N $2/; s/\.variants = .*/.variants = of_8k::variants,/; s/_count = 3/_count = std::size(of_8k::variants)/; /\.point/d" \
        kernels/sgemm_8k.cu >"$work/sgemm_8k.cu"
    ci/registry.sh '' "$work/sgemm_8k.cu" >"$work/catalogue.cpp"
    "${NVCC:-nvcc}" -std=c++20 -O3 -arch=sm_90 -cudart shared -shared -Xcompiler -fPIC -Iharness -Ikernels -o "$work/sgemm.so" "$work"/{sgemm_8k.cu,catalogue.cpp} -ldl
    for kernel in naive tiled register_tile; do
        simulate warm --kernels "$work/sgemm.so" -k "sgemm/$kernel"
        simulate "$kernel" --kernels "$work/sgemm.so" -k "sgemm/$kernel"
        jq -r '.kernels[] | "sgemm/'"$kernel"': \(.blocks_executed // "all") blocks of \(.blocks // "all")"' "$work/$kernel.json"
        awk '{ printf "  %.2f CPU seconds\n", $1 + $2 }' "$work/$kernel.time"
    done
    exit
fi
if [ $# -eq 0 ]; then # not those that have a larger point, which takes minutes whole
    "$cugate" list | sed -n 's|^\([a-z_0-9]*/[^ ]*\) .*|\1|p' >"$work/names"
    while read -r name; do set -- "$@" -k "$name"; done < <(grep -vxFf <(sed -n 's/\[.*//p' "$work/names") "$work/names" | grep -v '\[')
fi
simulate warm "$@" # the output of nvdisasm is kept from here on
simulate proved "$@"
simulate whole "$@" --whole
jq -r -n --slurpfile a "$work/proved.json" --slurpfile b "$work/whole.json" '
    ["kernel", "blocks", "executed", "seconds", "whole", "not proved"], ($a[0].kernels | to_entries[] |
        select(.value.blocks_executed or .value.not_proved) | [.key, (.value.blocks // "" | tostring), (.value.blocks_executed // "all" | tostring),
        .value.seconds, $b[0].kernels[.key].seconds, .value.not_proved // ""]) | @tsv' | column -t -s $'\t'
jq -r '[.kernels[] | select(.blocks_executed)] | "\(length) kernels proved, \(map(.blocks_executed) | add // 0) blocks executed of \(map(.blocks) | add // 0)"' "$work/proved.json"
awk 'FNR == 1 { printf "%s%.1f CPU seconds", NR == 1 ? "by proof " : ", whole ", $1 + $2 } END { print "" }' "$work/proved.time" "$work/whole.time"
echo "$(diff "$work/proved.txt" "$work/whole.txt" | grep -c '^[<>]' || true) lines differ"
