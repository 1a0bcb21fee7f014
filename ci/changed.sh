#!/usr/bin/env bash
# Whether files have changed since tests of them passed.
#
#   ci/changed.sh STAMP PATH...             exits 0 if the files below these paths are others than those of STAMP, or there is no
#                                           STAMP; 1 if they are the same
#   ci/changed.sh --passed STAMP PATH...    writes STAMP
set -euo pipefail

passed=''
[ "$1" != --passed ] || {
    passed=1
    shift
}
stamp=$1
shift
now=$(find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
if [ -n "$passed" ]; then
    echo "$now" >"$stamp.part" && mv "$stamp.part" "$stamp"
else
    [ "$now" != "$(cat "$stamp" 2>/dev/null || true)" ]
fi
