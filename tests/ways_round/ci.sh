# shellcheck shell=bash disable=SC2154,SC2016
# Ways round the scripts of ci/. Sourced by run.sh.
