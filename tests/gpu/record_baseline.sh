#!/usr/bin/env bash
# Records all that a baseline of this machine's GPUs needs, and makes it. That is sessions, each a process of its own, one
# of them with source lines; what the GPU reports to programs, for simulating; and the origin of all that. Builds nothing of
# the harness. A session of cugate's own kernels takes 15 s, the one with lines 90 s, on an H200.
#
#   OUT=DIR [CUGATE=build/cugate] tests/gpu/record_baseline.sh [OPTION OF cugate run]...      such as --kernels LIB.so
#
#   OUT=DIR             a folder, which gets, with the model of the GPU in the names (nvidia-h100-80gb-hbm3):
#                         sessions-MODEL.tar.xz   the run files as they were measured
#                         baseline-MODEL.tar.xz   the baseline of them: tar -xf it in the folder of baselines
#                         MODEL.ini               for metrics/gpus
#                         provenance-MODEL.txt    which GPUs, driver, build, when
#   SESSIONS=10         of each GPU, besides that with lines; ten let times fail
#   DEVICES='0 1'       ordinals of the GPUs, all of one model; without it all that there are
#   LINES=0             no session with lines
#
# Exits 1 when a session could not be measured whole (what was measured is in OUT all the same), 5 without a GPU.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cugate=${CUGATE:-build/cugate}
out=${OUT-}
sessions=${SESSIONS:-10}
if [ -z "$out" ]; then
    echo "record_baseline: OUT is not set: name the folder that gets the files" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/sessions"
suffix=tar.gz
! command -v xz >/dev/null || suffix=tar.xz

if [ -z "${DEVICES-}" ]; then
    found=$("$cugate" list gpus) || exit
    DEVICES=$(sed -n 's/^\([0-9][0-9]*\)  .*/\1/p' <<<"$found")
fi

# ---- Measuring
began=$(date -u +%FT%TZ)
status=0
wanted=0
for device in $DEVICES; do
    code=0
    "$cugate" aa --device "$device" --sessions "$sessions" --save "$work/sessions" "$@" >"$work/aa-$device.txt" || code=$?
    case $code in
    0 | 1 | 3) ;; # what aa makes of the sessions is no matter here
    *) status=1 ;;
    esac
    wanted=$((wanted + sessions))
    [ "${LINES-}" != 0 ] || continue
    "$cugate" run --lines --device "$device" "$@" --save "$work/sessions/lines-$device.json" >/dev/null || status=1
    wanted=$((wanted + 1))
done
runs=("$work"/sessions/*.json)
if [ ! -e "${runs[0]}" ]; then
    echo "record_baseline: no session was measured" >&2
    exit 5
fi
if [ ${#runs[@]} -ne $wanted ]; then
    echo "record_baseline: ${#runs[@]} of $wanted sessions were measured" >&2
    status=1
fi

# ---- The baseline, whose folder says what the model is called
"$cugate" accept "${runs[@]}" --baselines "$work/baselines" \
    --reason "first baseline: ${#runs[@]} sessions, $began" >"$work/accepted.txt" || {
    cat "$work/accepted.txt" >&2
    status=1
}
models=("$work"/baselines/*/)
model=$(basename "${models[0]}")
[ -d "${models[0]}" ] || model=unknown
out=$(cd "$out" && pwd)
tar -C "$work" -caf "$out/sessions-$model.$suffix" sessions
[ "$model" = unknown ] || tar -C "$work/baselines" -caf "$out/baseline-$model.$suffix" "$model"

# ---- For simulating; a program of the driver alone, which a machine without a compiler cannot build
if ! { "${CC:-cc}" -O2 -o "$work/describe_gpu" "$here/programs/describe_gpu.c" -ldl &&
    "$work/describe_gpu" >"$out/$model.ini"; } 2>"$work/describe.txt"; then
    rm -f "$out/$model.ini"
    echo "record_baseline: no description for simulating: $(tail -n 1 "$work/describe.txt")" >&2
fi

# ---- Where it is from
{
    echo "begun $began, ended $(date -u +%FT%TZ), on $(uname -srm)"
    echo "$("$cugate" --version), $(git -C "$here" rev-parse HEAD 2>/dev/null || echo 'no commit known')"
    echo "${#runs[@]} of $wanted sessions of the devices $DEVICES, options: ${*:-none}"
    nvidia-smi --query-gpu=index,name,uuid,driver_version,vbios_version,clocks.max.sm,power.limit --format=csv \
        2>/dev/null || echo 'no nvidia-smi'
    echo
    cat "$work/accepted.txt"
    for device in $DEVICES; do
        printf '\n---- cugate aa, device %s\n' "$device"
        cat "$work/aa-$device.txt"
    done
} >"$out/provenance-$model.txt"
printf '%s: %d of %d sessions; ' "$model" ${#runs[@]} $wanted
(cd "$out" && du -ch ./*"$model"* | tail -n 1 | cut -f 1)
ls "$out"
exit $status
