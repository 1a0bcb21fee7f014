#!/usr/bin/env bash
# Makes an archive of what tests/sim/record.sh recorded, for tests/sim/recorded.sh.
#
#   NOTE='how the libraries were built' tests/sim/compact.sh ARCHIVE.tar.xz 'RECORDING...' LIBRARY...
#
# A library is NAME.so, or NAME.capsule, whose outputs it holds itself. The archive's name ends with that of the GPU, as
# metrics/gpus has it. Of each library it holds the library, its kernels' counts (counts.sh says how they are written) and hashes of what
# they wrote; and provenance.txt. A library may be built anew, without PTX say: that its machine code is the recorded
# one is what recorded.sh looks at first. Exits 1 when a library has no recording.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 3 ] || [ -z "${NOTE-}" ]; then
    echo "usage: NOTE='how the libraries were built' tests/sim/compact.sh ARCHIVE.tar.xz 'RECORDING...' LIBRARY.so..." >&2
    exit 2
fi
archive=$1
read -ra recordings <<<"$2"
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$(basename "$archive" .tar.xz)
to=$work/$folder
mkdir "$to"

for library; do
    file=$(basename "$library")
    file=${file#lib}
    name=${file%.*}
    recording=
    for from in "${recordings[@]}"; do
        [ ! -s "$from/$name.json" ] || recording=$from
    done
    [ -n "$recording" ] || { echo "compact: there is no recording of $name" >&2 && exit 1; }
    cp "$library" "$to/$file"
    "$here/counts.sh" "$recording/$name.json" >"$to/$name.counts"
    if [ -d "$recording/outputs/$name" ]; then
        "$here/outputs.sh" "$recording/outputs/$name"
    fi >"$to/$name.outputs"
done
{
    echo "The libraries here: $NOTE"
    (shopt -s nullglob && cd "$to" && sha256sum ./*.so ./*.capsule)
    for from in "${recordings[@]}"; do
        printf '\nRecorded, of libraries with the same machine code:\n'
        sed -E 's|^([0-9a-f]{64}  ).*/|\1|' "$from/provenance.txt"
        jq -r -s 'map(.sessions[]) | "CUDA \(.[0].cuda), driver \(.[0].driver), CUPTI \(.[0].cupti)"' "$from"/*.json
    done
} >"$to/provenance.txt"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -c "$folder" | xz -9e >"$archive"
cat "$to/provenance.txt"
