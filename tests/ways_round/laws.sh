# shellcheck shell=bash disable=SC2154,SC2016
# Ways round the counters: numbers that no GPU can have read. Sourced by run.sh.
