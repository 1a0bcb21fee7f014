#!/usr/bin/env bash
# Whether files have changed since tests of them passed.
#
#   ci/changed.sh STAMP PATH...    exits 0 if the files below these paths are others than those of STAMP, or there is no STAMP;
#                                  1 if they are the same; 2 if they cannot be read. STAMP.next is what they are now: who runs
#                                  the tests makes it STAMP when they have passed.
set -euo pipefail

stamp=$1
shift
rm -f "$stamp.next"
now=$(find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum) || exit 2
echo "$now" >"$stamp.next"
! cmp -s "$stamp" "$stamp.next"
