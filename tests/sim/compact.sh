#!/usr/bin/env bash
# Makes an archive of what tests/sim/record.sh recorded, for tests/sim/recorded.sh.
#
#   NOTE='how the libraries were built' tests/sim/compact.sh ARCHIVE.tar.xz 'RECORDING...' LIBRARY.so...
#
# Of each library it holds the library, its kernels' counts (compact.jq says how they are written) and hashes of what
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
inside=$(basename "$archive" .tar.xz)
mkdir "$work/$inside"
to=$work/$inside

for library; do
    name=$(basename "$library" .so)
    name=${name#lib}
    recording=
    for folder in "${recordings[@]}"; do
        [ ! -s "$folder/$name.json" ] || recording=$folder
    done
    [ -n "$recording" ] || { echo "compact: there is no recording of $name" >&2 && exit 1; }
    cp "$library" "$to/$name.so"
    jq -r -f "$here/compact.jq" "$recording/$name.json" >"$to/$name.counts"
    "$here/outputs.sh" "$recording/outputs/$name" >"$to/$name.outputs"
done
{
    echo "The libraries here: $NOTE"
    (cd "$to" && sha256sum ./*.so)
    for folder in "${recordings[@]}"; do
        printf '\nRecorded, of libraries with the same machine code:\n'
        sed -E 's|^([0-9a-f]{64}  ).*/|\1|' "$folder/provenance.txt"
        jq -r -s 'map(.sessions[]) | "CUDA \(.[0].cuda), driver \(.[0].driver), CUPTI \(.[0].cupti)"' "$folder"/*.json
    done
} >"$to/provenance.txt"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -c "$inside" | xz -9e >"$archive"
cat "$to/provenance.txt"
