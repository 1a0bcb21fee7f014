# shellcheck shell=bash
# Sourced by scripts that search a command's output for words. It starts no process, for there are thousands of searches.
#
#   hear FILE...            reads them, as they are and as one line, because line breaks depend on the length of paths
#   lacks [!]WORDS...       adds to $complaints which of the words are not there, and which of those after `!` are
#   unbroken FILE           prints it as one line

hear() {
    local IFS=' ' file parts
    heard='' heard_line=''
    for file; do
        mapfile -d '' -t parts <"$file" # between NULs
        heard+="${parts[*]}"
    done
}

fold() {
    local IFS=$' \n' -
    set -f
    heard_line=${heard//$' \\\n'/ }
    heard_line=${heard_line//$'\'\\\n\''/}
    # shellcheck disable=SC2086 # as words, for each space between two is one
    set -- ${heard_line//$'\\\n'/}
    heard_line=" $* "
}

heard() { # WORDS
    [[ $heard != *"$1"* ]] || return 0
    [ -n "$heard_line" ] || fold # which takes a while
    [[ $heard_line == *"$1"* ]]
}

lacks() {
    local words
    for words; do
        case $words in
        '!'*) ! heard "${words#!}" || complaints+="    said: ${words#!}"$'\n' ;;
        *) heard "$words" || complaints+="    did not say: $words"$'\n' ;;
        esac
    done
}

unbroken() {
    hear "$1"
    fold
    printf '%s\n' "$heard_line"
}

# The commands that a report tells to type, one a line. Those with a word that stands for another, such as RUN.json, are
# left out.
commands_in() { # FILE
    sed -e :a -e '/ \\$/{N;s/ \\\n */ /;ba' -e '}' -e 's/^next: .*: cugate /  cugate /' "$1" |
        sed -n '/\(RUN\|PART\|REPORT\|FILE\)\.\(json\|\.\.\)\|OTHER_DIR\|cugate.*  /d; s/^  *\(cugate .*\)/\1/p' | LC_ALL=C sort -u
}
