#!/usr/bin/env bash
# Prints how many times as long this machine takes for a fixed loop, in CPU time and on all cores at once, as the machine
# where the budgets of tests were measured; at least 1.
set -euo pipefail

MEASURED=0.85 # CPU seconds there
seq "$(nproc)" |
    xargs -P 0 -I CORE bash -c 'TIMEFORMAT="%U %S"; time for ((i = 0; i < 600000; i++)); do :; done' 2>&1 |
    awk -v measured=$MEASURED '{ sum += $1 + $2 } END { slow = sum / NR / measured; printf "%.2f\n", (slow > 1 ? slow : 1) }'
