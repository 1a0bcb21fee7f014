# shellcheck shell=bash disable=SC2154,SC2016
# Ways round the measuring: what a library can do to the process that runs it. Sourced by run.sh.
