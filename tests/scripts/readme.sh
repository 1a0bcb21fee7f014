#!/usr/bin/env bash
# Tests what the READMEs say: README.md is short, links and their anchors exist, commands and their options exist, the
# sample is what cugate prints, the kernel library in README.md works, and exit codes and dependencies are complete. Needs
# nvcc, no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/scripts/readme.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
cd "$top" || exit 2

most_words=1000
shopt -s extglob nullglob
readmes=(README.md CONTRIBUTING.md CHANGELOG.md ci/{CUGATE_INI,MACHINE,SKILL}.md !(build)/README.md !(build)/*/README.md harness/*/*/README.md)

few_words() { # FILE
    local count
    count=$(wc -w <"$1")
    echo "$1: $count words, at most $most_words"
    [ "$count" -le $most_words ]
}
expect "README.md is short" 0 -- few_words README.md
{ cat README.md && yes word | head -n $most_words; } >"$work/long.md"
expect "a long one is found" 1 -- few_words "$work/long.md"

for file in {ci,metrics,baselines,reports,harness,harness/{machine,inject,capsule,sim}}/README.md; do
    most_words=1200 ask few_words "$file"
    expect "$file is, too" 0
done
expect "and has few lines" 0 -- test "$(wc -l <README.md)" -le 180
expect "what users read is plain" 0 -- ci/words.sh --check
mkdir -p "$work/harness/a/a" && cp --parents README.md {ci,metrics,baselines,reports,harness,harness/{machine,inject,capsule,sim}}/README.md "$work"
echo 'error("%s is " "no program, said twice"); /* "it is no string" */' >"$work/harness/a/a/a.c"
ask env -C "$work" "$top/ci/words.sh" --check
expect "what is not is found, over literals that are joined" 1 'a/a/a.c:1: %s is no program, said twice' '!no string'

# ---- Links.
prose() { # FILE: without what is in fences
    awk '/^```/ { inside = !inside; next } !inside' "$1"
}
# The anchors that GitHub gives to the headings of FILE: letters, digits, - and _ stay; of the same, the second gets -1.
anchors() {
    prose "$1" | sed -n 's/^##* //p' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g' |
        awk '{ print $0 (seen[$0]++ ? "-" seen[$0] - 1 : "") }'
}
dead_links() { # FILE...: "FILE: LINK" for each that leads nowhere; links to other hosts are not followed
    local file link target anchor dead=0
    for file; do
        while read -r link; do
            target=$(dirname "$file")/${link%%#*}
            [ "${link:0:1}" != '#' ] || target=$file
            anchor=
            [ "$link" = "${link#*#}" ] || anchor=${link#*#}
            # Not grep -q, which ends at once: what writes to it would then end by a signal, and the anchor seem to be none.
            if ! [ -e "$target" ] || { [ -n "$anchor" ] && ! anchors "$target" | grep -xF -e "$anchor" >"$work/found"; }; then
                echo "$file: $link"
                dead=1
            fi
        done < <(prose "$file" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//' | grep -vE '^https?://' | sort -u)
    done
    return $dead
}
for file in "${readmes[@]}"; do
    expect "links of $file" 0 -- dead_links "$file"
    ask grep -cE '\]\(' "$file"
    case $file in harness/*/* | reports/* | ci/[A-Z]*_* | ci/[MS]*) ;; *) expect "$file has links" 0 ;; esac
done
mkdir "$work/room"
cat >"$work/room/README.md" <<'END_OF_FILE'
# A room, its `words` and more
## Twice
## Twice
```
[not a link](nowhere)
```
[a](../room/README.md#a-room-its-words-and-more) [b](#twice-1) [c](https://example.org/nowhere) [d](..)
[e](gone.md) [f](#thrice) [g](README.md#twice-2)
END_OF_FILE
ask dead_links "$work/room/README.md"
expect "links that lead nowhere are found" 1 ': gone.md' ': #thrice' ': README.md#twice-2' '!nowhere' '!more' '!: #twice-1' '!: ..'
{ printf '# First\n[a](#first)\n' && yes '## More' | head -n 50000; } >"$work/room/LONG.md"
expect "nor is one that is far from the end of a long file" 0 -- dead_links "$work/room/LONG.md"

# ---- Commands: what is in fences and in `quotes`, without remarks.
code_in() { # FILE
    awk '/^```/ { inside = !inside; next }
         inside { print; next }
         { line = $0; while (match(line, /`[^`]+`/)) { print substr(line, RSTART + 1, RLENGTH - 2); line = substr(line, RSTART + RLENGTH) } }' "$1" |
        sed 's/  *# .*//'
}
known() { # COMMAND LINE of cugate: does it know command and options? What follows -- is the program's
    local words=() word asked=()
    mapfile -t words < <(xargs -n 1 <<<"$1")
    for word in "${words[@]:1}"; do
        [ "$word" != -- ] || break
        asked+=("$word")
    done
    if [ "${asked[0]}" = help ]; then # it has no help of its own
        "$cugate" "${asked[@]}" >"$work/help" && "$cugate" --help
    else
        "$cugate" "${asked[@]}" --help
    fi
}
count=0
while read -r line; do
    expect "known: $line" 0 "usage: cugate" -- known "$line"
    count=$((count + 1))
done < <(for file in "${readmes[@]}"; do code_in "$file"; done | grep -oE '(^| |build/)cugate [a-z]+( [^;|&]*)?' | sort -u)
expect "$count commands were found" 0 -- test $count -ge 30
expect "an option that is none is found" 2 --kernals -- known 'cugate check --kernals libmine.so'
expect "and so is a command" 2 chek -- known 'cugate chek -- program'
while read -r _ target; do
    expect "make $target" 0 -- grep -E "^$target:" Makefile
done < <(for file in "${readmes[@]}"; do code_in "$file"; done | grep -oE '\bmake [^ ]+' | grep -E ' [a-z-]+$' | sort -u)

# ---- The sample: each of its lines is one of the recording.
tar -xJf tests/data/planted-nvidia-h200.tar.xz -C "$work" || exit 2
sample() { # FILE: the lines of its first fence that cugate printed
    awk '/^```/ { if (inside) exit; inside = 1; next } inside' "$1" | grep -vE '^(\$ .*|    \(.*\)|)$'
}
"$cugate" check --replay "$work/planted-nvidia-h200/pad_removed.json" --baselines "$work/planted-nvidia-h200/baselines" \
    -k transpose/padded >"$work/printed" 2>&1
not_printed() { # FILE
    sample "$1" >"$work/sample"
    ! grep -vxF -f "$work/printed" "$work/sample" && [ -s "$work/sample" ]
}
expect "the sample is what cugate prints" 0 -- not_printed README.md
sed 's/+151.0 %/+150.0 %/' README.md >"$work/false.md"
expect "one that it does not print is found" 1 '+150.0 %' -- not_printed "$work/false.md"

# ---- The kernel library: it builds as it stands, holds what is said beside `cugate list`, and its results are right.
fence() { # LANGUAGE
    awk -v begin="\`\`\`$1" '$0 == begin { inside = 1; next } /^```/ { inside = 0 } inside' README.md
}
fence cpp >"$work/mine.cu"
ask "$nvcc" -std=c++17 -O3 -lineinfo -arch=sm_90 -shared -cudart shared -Xcompiler -fPIC,-fvisibility=hidden -Iharness \
    "${includes[@]/#/-I}" "${libraries[@]/#/-L}" "${libraries[@]/#/-Xlinker=-rpath,}" -o "$work/libmine.so" "$work/mine.cu"
expect "the kernel library builds" 0
told=$(sed -n 's/^cugate list  *# //p' README.md)
"$cugate" list --kernels "$work/libmine.so" 2>&1 | awk '{ print $1 }' | paste -sd, | sed 's/,/, /g' >"$work/listed"
expect "and holds what it says" 0 "${told:-nothing is told}" -- cat "$work/listed"
ask "$cugate" run --simulate=nvidia-h200 --kernels "$work/libmine.so"
expect "and its results are right" 0 'computed: 2 of 2 kernels'
while read -r name; do
    expect "CMake: $name" 0 -- grep -E "^function\($name" harness/cugateConfig.cmake
done < <(fence cmake | grep -oE '^cugate_[a-z]+\w*')
# With its cugate.ini, which init takes as it is: what it says, gates and bisects.
project=$work/project
mkdir -p "$project/build" && cd "$project" || exit 2
git() { command git -c user.name=me -c user.email=me@example.org -c init.defaultBranch=main "$@"; }
cp "$work/mine.cu" . && cp "$work/libmine.so" build && (cd "$top" && fence ini) >cugate.ini && echo build/ >.gitignore && git init -q . &&
    git add . && git commit -qm mine || exit 2
expect "cugate.ini: init has nothing to add" 0 'kept  cugate.ini' 'wrote .github/workflows/performance.yml' -- "$cugate" init
ask "$cugate" check --simulate --save first.json
ask "$cugate" accept first.json --reason "first baseline"
expect "cugate.ini: what it says is judged" 0 'nothing is worse' -- "$cugate" check --simulate
git commit -q --allow-empty -m other
# shellcheck disable=SC2016 # for the shell that builds
sed -i 's/^build = .*/build = mkdir -p build \&\& cp "$CUGATE_TOP"\/build\/libmine.so build/' cugate.ini # as quickly as there is no CMake
expect "cugate.ini: bisect builds by it" 3 'not worse at' -- "$cugate" bisect HEAD~1..HEAD -k 'saxpy/simple[n=64K]'
cd "$top" || exit 2

# ---- Tables.
part() { # FILE HEADING: the rows of the tables below it
    awk -v heading="## $2" '/^## / { inside = $0 == heading; next } inside && /^\|/' "$1"
}
part README.md 'Exit codes' | sed -n 's/^| \([0-9]*\) .*/\1/p' | sort -n >"$work/told"
"$cugate" --help | sed '1,/^exit codes/d' | awk '/^ +[0-9]/ { print $1 }' | sort -n >"$work/real"
expect "exit codes are those of the program" 0 -- diff "$work/told" "$work/real"
expect "which has them" 0 -- test "$(wc -l <"$work/real")" -ge 7

part CONTRIBUTING.md Dependencies >"$work/table"
reason() { # NAME [VERSION]: a row that names it, and its version
    grep -iF -e "$1" "$work/table" | grep -F -e "${2-}"
}
while read -r name version; do
    expect "a reason for $name $version" 0 -- reason "$name" "$version"
done < <(
    sed -nE 's/^([A-Za-z-]+)(\[[a-z]+\])?==([0-9.]+)\.\*$/\1 \3/p' reports/requirements.in reports/requirements-test.in
    sed -n 's/^DEPENDENCIES := //p' Makefile | tr ' ' '\n' | sed 's/^lib//'
    sed -nE 's/^(nvcc|disasm) +nvidia-cuda-(nvcc|nvdisasm)==([0-9]+\.[0-9]+).*/\2 \3/p' ci/install_cuda_wheels.sh
)
expect "one without a reason is found" 1 -- reason left-pad

summary
