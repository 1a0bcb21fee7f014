# shellcheck shell=bash
# Sourced by scripts that search a command's output for words. `unbroken FILE` prints it as one line, because line breaks in
# a text or a command depend on the length of paths.

unbroken() {
    sed -z "s/ \\\\\n */ /g; s/'\\\\\n'//g; s/\\\\\n//g" "$1" | tr -s ' \n' ' '
}
