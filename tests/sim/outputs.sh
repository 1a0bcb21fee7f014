#!/usr/bin/env bash
# Prints what kernels wrote with CUGATE_OUTPUTS=FOLDER, as lines "NAME HASH", from a list of hashes or from whole outputs.
#
#   tests/sim/outputs.sh FOLDER
set -euo pipefail
export LC_ALL=C

cd "$1"
if [ -e hashes.txt ]; then
    sort -u hashes.txt
else
    find . -name '*.bin' -printf '%f\0' | sort -z | xargs -0 -r sha256sum | sed -E 's/^(.{16})[^ ]*  (.*)\.bin$/\2 \1/'
fi
