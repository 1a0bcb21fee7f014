#!/usr/bin/env bash
# Prints the manual page cugate(1), made from `cugate --help` and the whole help of each command.
#
#   ci/man.sh build/cugate >cugate.1
set -euo pipefail

cugate=${1:?usage: ci/man.sh CUGATE}
export COLUMNS=100 LC_ALL=C

# help_to_man KIND: turns help on standard input into a part of the page. A line that stands alone at the margin is a
# heading. Two spaces begin an entry, and two more separate it from its text. A line that is indented further continues the
# text. KIND is `program` or `command`; for a command, the parts that all commands have in common are left out.
help_to_man() {
    awk -v kind="$1" '
        function safe(text) {
            gsub(/\\/, "\\e", text)
            gsub(/-/, "\\-", text)
            if (text ~ /^[.\x27]/) text = "\\&" text
            return text
        }
        function head() { # once there is something below it
            if (held) print kind == "program" ? ".SH " toupper(held) : ".SS " toupper(substr(held, 1, 1)) substr(held, 2)
            held = ""
        }
        /^cugate( [a-z]+)? - / { next } # name and summary
        /^example: / { example = substr($0, 10); next }
        /^usage: / {
            if (kind == "program") print ".SH SYNOPSIS"
            print ".B " safe(substr($0, 8)); print ".PP"; next
        }
        /^(options of every command|exit codes|commands|options|example)$/ {
            section = $0
            skipped = kind == "command" && section ~ /^options of every/
            held = skipped ? "" : section
            next
        }
        skipped { next }
        $0 == "" { if (!section) print ".PP"; next }
        { head() }
        section == "example" { sub(/^ +/, ""); print ".nf"; print safe($0); print ".fi"; next }
        section && match($0, /^ +/) && RLENGTH <= 8 {
            sub(/^ +/, "")
            at = match($0, /  +/)
            print ".TP"; print ".B " safe(at ? substr($0, 1, at - 1) : $0)
            if (at) print safe(substr($0, at + RLENGTH))
            next
        }
        section && /^[^ ]/ { print ".PP" }
        { sub(/^ +/, ""); print safe($0) }
        END { if (example) { print ".SS Example"; print ".nf"; print safe(example); print ".fi" } }'
}

version=$("$cugate" --version)
printf '.TH CUGATE 1 "" "%s" "User Commands"\n' "$version"
printf '.SH NAME\n%s\n' "$("$cugate" --help | sed -n '1s/ - / \\- /p')"
"$cugate" --help | help_to_man program
while read -r command; do
    printf '.SH "cugate %s"\n' "$command"
    "$cugate" "$command" --help -v | sed -n 's/^cugate [a-z]* - \(.*\)/\u\1./p'
    echo .PP
    "$cugate" "$command" --help -v | help_to_man command
done < <("$cugate" --help | sed -n '/^commands$/,/^$/s/^  \([a-z]*\) .*/\1/p')
"$cugate" list --help | sed -n '1p; /^options of every command$/,/^$/p' | help_to_man program
cat <<'END'
.SH FILES
.TP
.B ../lib/cugate, ../share/cugate
beside the folder of the program: its plugins; the metric files, the descriptions of GPUs, the scripts and the reports.
.TP
.B baselines
kept runs, in the repository whose kernels are judged.
.SH "SEE ALSO"
cugate\-gate, cugate\-nightly, cugate\-report and cugate\-fetch tell what they do in their first lines, or by \-\-help.
END
