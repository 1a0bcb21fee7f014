# shellcheck shell=bash disable=SC2154,SC2016
# Ways round the pages and the history. Sourced by run.sh.
