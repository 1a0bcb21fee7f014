# shellcheck shell=bash disable=SC2154,SC2016
# Ways round the definitions: what a change of metric files, baselines and expectations can take away. Sourced by run.sh.
