# shellcheck shell=bash disable=SC2154,SC2016
# Ways round the clock: files so large that nobody waits for the verdict. They count CPU seconds with room, not time. Sourced by run.sh.
