#!/usr/bin/env bash
# The words that a user reads: the strings of harness, ci and reports, as FILE:LINE: TEXT. In harness literals that follow
# each other are joined.
#
#   ci/words.sh             prints them
#   ci/words.sh --check     fails where one, or a README below, has a pattern that reads as translated, and prints it
set -euo pipefail

# Exceptions: bash, and clauses that cannot be plainer.
patterns='(^|[^r][^e] )(is|are) no |[Nn]obody| alike|as well\b|[Bb]eside |(^|[.:;] |\\n|: )[Ww]hat [a-z]'
exceptions='^harness/command/(completion|help)\.c'
readmes=(README.md {ci,metrics,baselines,reports,harness}/README.md harness/{capsule,inject,machine,sim}/README.md)

strings() {
    # shellcheck disable=SC2016 # for awk
    find harness -name '*.[ch]' -print0 | sort -z | xargs -0 awk '
        function flush() {
            if (text ~ /[A-Za-z,:]+ [A-Za-z%].* [A-Za-z%]/) print file ":" line ": " text
            text = ""
        }
        FNR == 1 { flush(); file = FILENAME; comment = 0 }
        /^ *#/ { next }
        {
            rest = $0
            while (rest != "") {
                if (comment) {
                    if (!(at = index(rest, "*/"))) break
                    comment = 0; rest = substr(rest, at + 2)
                } else if (match(rest, /^"([^"\\]|\\.)*"/)) {
                    if (text == "") line = FNR
                    text = text substr(rest, 2, RLENGTH - 2); rest = substr(rest, RLENGTH + 1)
                } else if (match(rest, /^( |\t|PRI[a-z0-9]+)/)) rest = substr(rest, RLENGTH + 1)
                else if (rest ~ /^\/\//) break
                else if (rest ~ /^\/\*/) { comment = 1; rest = substr(rest, 3) }
                else { flush(); rest = substr(rest, match(rest, /^\x27([^\x27\\]|\\.)\x27/) ? RLENGTH + 1 : 2) }
            }
        }
        END { flush() }'
}

scripts() { # literals on one line
    grep -rnoP --include='*.sh' --include='*.py' --include=action.yml \
        '(^\s*#|""").*(*SKIP)(*F)|^ *description: \K.*|"(?:[^"\\]|\\.)+"|\x27[^\x27]+\x27' ci reports/cugate* |
        grep -a '[A-Za-z,:] [A-Za-z%$].* [A-Za-z%$]' | sort -t: -k1,1 -k2,2n | sed "s/:/: /2"
}

[ "${1-}" = --check ] || { strings; scripts; exit; }
said=$(strings)
said+=$'\n'$(grep -nH '' "${readmes[@]}")
if grep -E "$patterns" <<<"$said" | grep -vE "$exceptions"; then
    echo "words: say it plainly: \"is not a\", a noun instead of a clause with what; or add an exception to ci/words.sh"
    exit 1
fi
