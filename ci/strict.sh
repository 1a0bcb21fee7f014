#!/usr/bin/env bash
# Says why recorded nights will not do in place of measured ones; nothing where it will.
#
#   [STRICT=1] [CI=true] [REPLAY=1] ci/strict.sh
set -euo pipefail

is_set() {
    [ -n "$1" ] && [ "$1" != 0 ] && [ "$1" != false ]
}

if is_set "${STRICT-}"; then
    echo 'STRICT is set'
elif is_set "${CI-}" && ! is_set "${REPLAY-}"; then
    echo 'CI is set, and nobody looks at a banner there (REPLAY=1 says that a replay will do)'
fi
