#!/usr/bin/env bash
# Prints the manual page cugate(1), made of what `cugate --help` and the help of each command say.
#
#   ci/man.sh build/cugate >cugate.1
set -euo pipefail

cugate=${1:?usage: ci/man.sh CUGATE}
export COLUMNS=100 LC_ALL=C

# help_to_man KIND: of help on standard input. In it a line at the margin that stands alone is a heading, two spaces begin an
# entry, which two more part from its text, and a line that is further in goes on with the text. KIND is `program`, or
# `command`, of which the parts that all commands have alike are left out.
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
        NR == 1 { next } # name and summary
        /^usage: / {
            if (kind == "program") print ".SH SYNOPSIS"
            print ".B " safe(substr($0, 8)); print ".PP"; next
        }
        /^(options of every command|exit codes|commands|options|example)$/ {
            section = $0
            skipped = kind == "command" && section ~ /^(options of every|exit)/
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
        { sub(/^ +/, ""); print safe($0) }'
}

version=$("$cugate" --version)
printf '.TH CUGATE 1 "" "%s" "User Commands"\n' "$version"
printf '.SH NAME\n%s\n' "$("$cugate" --help | sed -n '1s/ - / \\- /p')"
"$cugate" --help | help_to_man program
while read -r command; do
    printf '.SH "cugate %s"\n' "$command"
    "$cugate" "$command" --help | sed -n '1s/^cugate [^ ]* - \(.*\)/\u\1./p'
    echo .PP
    "$cugate" "$command" --help | help_to_man command
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
