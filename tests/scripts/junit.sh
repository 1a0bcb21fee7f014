#!/usr/bin/env bash
# Validates what `--format junit` prints by the schema that CI servers use. The last line is "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/junit.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
schema=$top/build/junit-10.xsd # the same for every build
"$top/ci/install_junit_schema.sh" "$schema" || exit 1
cd "$top/tests/cli" || exit 2

# Names and reasons that would break XML written without care.
sed -e 's/"Test GPU"/"<GPU> \\"1\\" \& ]]> \\u001b[2J \\ud83d\\ude00 \\uffff"/' \
    -e 's/"reason": "/&<![CDATA[ ]]> -- \&lt; \\u001b\\u000b\\n\\u202e/' made_up/broken.json >"$work/hostile.json"
sed 's/"Test GPU"/"<GPU> \\"1\\" \& ]]> \\u001b[2J \\ud83d\\ude00 \\uffff"/' made_up/before.json >"$work/base.json"
if cmp -s made_up/broken.json "$work/hostile.json"; then
    echo "junit.sh: hostile.json is unchanged" >&2
    exit 2
fi

# judge LABEL WANTED CODE: WANTED is valid or invalid
judge() {
    local found=valid why=
    xmllint --noout --schema "$schema" "$work/out.xml" 2>"$work/err" || found=invalid
    [ $found = "$2" ] && [ "$3" -ne 2 ] || why="$found, exit code $3"$'\n'$(head -5 "$work/err")
    verdict "$1" "$why"
}

# expect_valid ARGUMENT...
expect_valid() {
    "$cugate" "$@" --metrics made_up/metrics --format junit >"$work/out.xml" 2>"$work/err"
    judge "cugate $*" valid $?
}

for run in made_up/{same,worse,worse_lines,unsure,broken,unknown_metric}.json; do
    expect_valid compare made_up/before.json "$run"
    expect_valid compare -q made_up/before.json "$run"
    expect_valid check --baselines "$work" --replay "$run"
done
sed -e 's/"text": "/&<![CDATA[ ]]> -- \&lt; \\u001b\\u000b\\n\\u202e/' -e 's/"file": "/&<\&>\\"/' -e 's/"function": "/&]]>\\u0007/' \
    made_up/worse_lines.json >"$work/hostile_lines.json"
grep -q 'CDATA.*tile' "$work/hostile_lines.json" || { echo "junit.sh: hostile_lines.json is unchanged" >&2; exit 2; }
expect_valid compare "$work/base.json" "$work/hostile.json"
expect_valid compare made_up/before.json "$work/hostile_lines.json"
expect_valid check --baselines "$work" --replay "$work/hostile.json"

# The schema is one that can fail.
sed 's/<testcase classname="[^"]*" name="[^"]*"/<testcase/' "$work/out.xml" >"$work/nameless.xml"
mv "$work/nameless.xml" "$work/out.xml"
judge "a test case without a name" invalid 0

summary
