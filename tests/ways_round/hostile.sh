# shellcheck shell=bash disable=SC2154,SC2016
# Ways round the files: hostile machine code, line tables, names, descriptors and signals. Sourced by run.sh.
