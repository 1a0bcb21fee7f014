#!/usr/bin/env bash
# Records the counts by instruction of made-up kernels on a GPU, and their outputs. Builds nothing.
#
#   tests/sim/record.sh OUT CUGATE LIBRARY.so...
#
# For each library OUT/NAME.json is its run file with counts by instruction, OUT/NAME.log what was said meanwhile, and
# OUT/outputs/NAME/ the kernels' outputs; OUT/provenance.txt says on what it was made. NAME is the library's, without lib
# and .so. METRICS=DIR: the folder of metric definitions (default: metrics here); SAMPLES=N (default: 2);
# TIMEOUT=SECONDS: of a kernel (default: 60); KERNELS='loops/* calls/*': these only, where the time is short.
#
# A kernel that fails costs its own counts only. Exits 0 when every kernel was measured, 5 when one was not, and 2 when it
# was called wrongly or could not write.
set -uo pipefail
export LC_ALL=C

fail() {
    printf 'record: %s\n' "$1" >&2
    exit 2
}

[ $# -ge 3 ] || fail 'usage: tests/sim/record.sh OUT CUGATE LIBRARY.so...'
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" || fail "$1 cannot be made"
out=$(cd "$1" && pwd)
cugate=$2
shift 2
[ -x "$cugate" ] || fail "$cugate is no program: build cugate first, or say where it is"
metrics=${METRICS:-$here/../../metrics}
chosen=()
read -ra globs <<<"${KERNELS-}"
for glob in "${globs[@]}"; do
    chosen+=(-k "$glob")
done

# What the counts depend on.
{
    date -u '+date: %Y-%m-%dT%H:%M:%SZ'
    nvidia-smi --query-gpu=name,driver_version,mig.mode.current,clocks.max.sm --format=csv,noheader |
        sed 's/^/GPU, driver, MIG, clock: /' || echo 'GPU: nvidia-smi is missing or failed'
    "$cugate" --version | head -1
} >"$out/provenance.txt" 2>&1 || fail "$out/provenance.txt could not be written whole"
cat "$out/provenance.txt"

worst=0
printf '%-20s %8s %8s %8s %6s\n' library kernels failed seconds code
for library; do
    name=$(basename "$library" .so)
    name=${name#lib}
    mkdir -p "$out/outputs/$name" || fail "$out/outputs/$name cannot be made"
    rm -f "$out/$name.json" "$out/outputs/$name"/*.bin # what is there afterwards was made now
    sha256sum "$library" >>"$out/provenance.txt"

    began=$SECONDS
    CUGATE_OUTPUTS=$out/outputs/$name "$cugate" run --kernels "$library" --metrics "$metrics" \
        --samples "${SAMPLES:-2}" --timeout "${TIMEOUT:-60}" "${chosen[@]}" --lines --save "$out/$name.json" >"$out/$name.log" 2>&1
    code=$?

    kernels='?' failed='?'
    if [ -s "$out/$name.json" ]; then
        kernels=$(jq '.kernels | length' "$out/$name.json")
        failed=$(jq '[.kernels[] | select(.status != "ok")] | length' "$out/$name.json")
    fi
    printf '%-20s %8s %8s %8d %6d\n' "$name" "$kernels" "$failed" $((SECONDS - began)) "$code"
    if [ "$code" -ne 0 ] || [ "$failed" != 0 ] || [ "$kernels" = 0 ]; then
        worst=5
        [ "$failed" != '?' ] || tail -5 "$out/$name.log"
        [ "$failed" = '?' ] || jq -r '.kernels | to_entries[] | select(.value.status != "ok") | "  \(.key): \(.value.status): \(.value.reason)"' \
            "$out/$name.json"
    fi
done
exit "$worst"
