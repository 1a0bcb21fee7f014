# shellcheck shell=bash
# Sourced by scripts that look for words in what a command said. `unbroken FILE` writes it as one line: how a text or
# a command to copy is broken into lines depends on how long the paths in it are.

unbroken() {
    sed -z "s/ \\\\\n */ /g; s/'\\\\\n'//g; s/\\\\\n//g" "$1" | tr -s ' \n' ' '
}
