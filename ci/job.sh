#!/usr/bin/env bash
# The steps of a gate's job on a CI server, for any repository: what ci/action.yml and templates/*.yml call. In cugate's own
# tree `install` builds that.
#
#   cugate-job check-inputs | sources | install | build | gate | comment | verdict
#
# Inputs are variables, since text that a server puts into a script would be run:
#
#   CUGATE_MODE=simulate      static (machine code), simulate (its counts, on the CPU), measure (on a GPU),
#                             nightly (measure, into a history with pages: ci/nightly.sh) or judge (the parts)
#   CUGATE_PART=2 CUGATE_PARTS=8      with measure: only this part of the kernels, into build/gate/parts; no verdict (ci/shards.sh)
#   CUGATE_BUILD='make ...'   builds what is judged, and the base; without it `build` of cugate.ini does
#   CUGATE_ARGUMENTS          more options and files of `cugate check`: words, with quotes where a word has blanks
#   CUGATE_BASE=HEAD^1        the revision against which it is said what was weakened (ci/before.sh); empty: nothing is said
#   CUGATE_HISTORY            with nightly: a database for the nights; without one build/history/history.db
#   CUGATE_PACKAGE            cugate's package: a file, or an https address with CUGATE_PACKAGE_SHA256. Without one, what is
#                             on the PATH, else (GitHub) it is built from the action's own sources
#   CUGATE_FETCH='disasm'     parts of NVIDIA's for cugate-fetch: disasm, cupti, nvcc
#   CUGATE_ALLOW_INCONCLUSIVE=true    exit code 3 passes, with a warning
#   CUGATE_NEEDS              the results of the jobs before, as GitHub's toJSON(needs) has them
#   CUGATE_NAME=cugate-simulate       of the artifact
#
# sources (GitHub) tells the step that follows under which key the cache has a build of the action's sources, and where it is.
# gate ends with the exit code of cugate check; 5 where its report judged nothing by a baseline. comment (GitHub) puts what is
# in report/*/comment.md into the pull request, and never fails: it is no verdict. verdict fails unless every job before
# passed: a required job that was skipped passes on GitHub.
set -euo pipefail
# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"
tell_help "$@"

fail() {
    printf 'cugate-job: %s\n' "$1" >&2
    [ -z "${GITHUB_ACTIONS-}" ] || printf '::error title=cugate::%s\n' "$1"
    exit 2
}

one_of() { # NAME VALUE WORD...
    local name=$1 value=$2
    shift 2
    [[ " $* " == *" $value "* && -n $value && $value != *' '* ]] || fail "$name is '$value', and has to be one of: $*"
}

check_inputs() {
    # GitLab's runner lets everybody write to what it clones. cugate would not believe a cugate.ini there.
    [ -z "${GITLAB_CI-}" ] || [ ! -O . ] || chmod go-w . cugate.ini 2>/dev/null || true
    one_of mode "${CUGATE_MODE-}" static simulate measure nightly judge verdict
    one_of allow-inconclusive "${CUGATE_ALLOW_INCONCLUSIVE:-false}" true false
    [[ ${CUGATE_NAME:-cugate} =~ ^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$ ]] ||
        fail "name is '$CUGATE_NAME': it takes up to 64 letters, digits, dots, dashes and underscores"
    local part
    for part in ${CUGATE_FETCH-}; do
        one_of fetch "$part" disasm cupti nvcc
    done
    case ${CUGATE_PACKAGE-} in
    '') ;;
    https://*)
        [[ ${CUGATE_PACKAGE_SHA256-} =~ ^[0-9a-f]{64}$ ]] ||
            fail "package is an address, so package-sha256 has to be the 64 digits of its SHA-256"
        ;;
    *://*) fail "package is '$CUGATE_PACKAGE': a file, or an address that begins with https://" ;;
    *) [ -f "$CUGATE_PACKAGE" ] || fail "package is '$CUGATE_PACKAGE', which does not exist" ;;
    esac
    if [ -n "${CUGATE_PART-}${CUGATE_PARTS-}" ]; then
        [ "$CUGATE_MODE" = measure ] || fail "part is '${CUGATE_PART-}', and only the mode measure has parts"
        [[ ${CUGATE_PART-}/${CUGATE_PARTS-} =~ ^[1-9][0-9]{0,3}/[1-9][0-9]{0,3}$ ]] ||
            fail "part is '${CUGATE_PART-}' and parts is '${CUGATE_PARTS-}': numbers, both of them"
    fi
    split_arguments >/dev/null 2>&1 || fail "arguments has an unclosed quote"
    if [ "$CUGATE_MODE" = static ] && [ -z "${CUGATE_ARGUMENTS-}" ] && [ ! -e cugate.ini ]; then
        fail "mode is static, but arguments names no file to judge"
    fi
}

# Prints the arguments, one a line. xargs splits words as a shell does, but executes nothing.
split_arguments() {
    xargs -r printf '%s\n' <<<"${CUGATE_ARGUMENTS-}"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_package() {
    local file=$CUGATE_PACKAGE
    if [[ $file == https://* ]]; then
        file=$work/cugate.deb
        curl --fail --silent --show-error --location --proto =https --retry 3 --output "$file" "$CUGATE_PACKAGE"
        echo "$CUGATE_PACKAGE_SHA256  $file" | sha256sum --check --quiet || fail "$CUGATE_PACKAGE does not match package-sha256"
    fi
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "$(realpath "$file")" python3-pip python3-venv git jq ca-certificates >/dev/null
}

prefix=${RUNNER_TEMP:-/tmp}/cugate-installed

# Prints the key of what these sources build here: by the system and by what they contain. The tests are not built.
sources_key() {
    # shellcheck source=/dev/null
    (. /etc/os-release && printf 'cugate-%s-%s-%s-' "$ID" "${VERSION_ID-}" "$(uname -m)")
    (cd "$here/.." && find . \( -path ./build -o -path ./.git -o -path ./tests \) -prune -o -type f -print0 | LC_ALL=C sort -z |
        xargs -0 sha256sum | sha256sum | cut -c 1-32)
}

sources() {
    if [ -z "$own_tree" ] && [ -n "$in_tree" ] && ! command -v cugate >/dev/null; then
        printf '%s\n' "key=$(sources_key)" "path=$prefix" >>"$GITHUB_OUTPUT"
    fi
}

# Installs cugate from the sources that this script is part of, unless the cache has what they build.
install_sources() {
    local key
    key=$(sources_key)
    (cd "$here/.." && ci/install_deps.sh build wheels python)
    if [ "$(cat "$prefix/sources" 2>/dev/null)" = "$key" ]; then
        echo "using the cugate that an earlier job built from the same sources (cache key $key)"
    else
        echo "cugate is built from the action's sources, which takes minutes; later jobs take it from the cache, as $key"
        make -C "$here/.." install PREFIX="$prefix" DISASM=no CUBLAS=no >/dev/null
        echo "$key" >"$prefix/sources"
    fi
    export PATH=$prefix/bin:$PATH
    [ -z "${GITHUB_PATH-}" ] || echo "$prefix/bin" >>"$GITHUB_PATH"
}

install() {
    if [ -n "$own_tree" ]; then # its kernels are judged by the program that they come with
        ci/install_deps.sh build gate wheels python
        make all
        return
    fi
    if [ -n "${CUGATE_PACKAGE-}" ]; then
        install_package
    elif ! command -v cugate >/dev/null; then
        [ -n "$in_tree" ] || fail "cugate is not on the PATH, and no package is named"
        install_sources
    fi
    cugate --version
    local parts
    read -ra parts <<<"${CUGATE_FETCH-}"
    [ "${CUGATE_MODE-}" != simulate ] || parts+=(disasm)
    [ ${#parts[@]} -gt 0 ] || return 0
    local fetch
    fetch=$(command -v cugate-fetch) || fail "cugate is on the PATH, but cugate-fetch is not: \`make install\` installs both"
    if [ -w "$(realpath "$(dirname "$(realpath "$fetch")")/../../../lib/cugate")" ]; then
        "$fetch" "${parts[@]}"
    else
        as_root "$fetch" "${parts[@]}"
    fi | tee "$work/fetched"
    local compiler
    compiler=$(sed -n "s/^CUDA's compiler: //p" "$work/fetched")
    if [ -n "$compiler" ] && [ -n "${GITHUB_ENV-}" ]; then
        echo "CUDA_HOME=${compiler%/bin/nvcc}" >>"$GITHUB_ENV"
        dirname "$compiler" >>"$GITHUB_PATH"
    fi
}

build() {
    [ -n "${CUGATE_BUILD-}$own_tree" ] || CUGATE_BUILD=$(configured build) # `install` has built cugate's own tree
    [ -z "${CUGATE_BUILD-}" ] || bash -euo pipefail -c "$CUGATE_BUILD"
}

gate() {
    local arguments=() code=0 script=(gate.sh) report=build/gate
    mapfile -t arguments < <(split_arguments)
    case ${CUGATE_MODE-} in
    static | simulate) arguments=("--$CUGATE_MODE" "${arguments[@]}") ;; # they may say once more for which GPU
    measure | nightly)
        plan "${arguments[@]}" || exit $?
        [ "$(planned way)" = measure ] || fail "mode is $CUGATE_MODE, and arguments ask for something else: ${arguments[*]}"
        ;;
    judge) script=(shards.sh judge) ;;
    *) fail "mode is '${CUGATE_MODE-}', which has no gate" ;;
    esac
    if [ "$CUGATE_MODE" = nightly ]; then
        script=(nightly.sh) report=build/nightly
        export STRICT=1
        [ -z "${CUGATE_HISTORY-}" ] || export HISTORY=$CUGATE_HISTORY
    fi
    report=${OUT:-$report}/check.json
    if [ -n "${CUGATE_PART-}" ]; then
        "$here/shards.sh" measure "$CUGATE_PART/$CUGATE_PARTS" "${arguments[@]}"
        exit
    fi
    BASE=${CUGATE_BASE-} "$here/${script[0]}" "${script[@]:1}" "${arguments[@]}" || code=$?
    case $code in
    0 | 3)
        if ! jq -e '.counts | [.same, .improved, .expected, ."trade-off", .unsure] | add > 0' "$report" >/dev/null; then
            echo "cugate-job: no kernel was judged against a baseline, so this does not pass: all kernels are new, or there are none" >&2
            [ -z "${GITHUB_ACTIONS-}" ] || echo "::error title=cugate::no kernel was judged against a baseline"
            exit 5
        fi
        ;;
    esac
    if [ $code = 3 ] && [ "${CUGATE_ALLOW_INCONCLUSIVE-}" = true ]; then
        echo "cugate-job: inconclusive, but accepted: allow-inconclusive is set"
        [ -z "${GITHUB_ACTIONS-}" ] || echo "::warning title=cugate::inconclusive, but accepted"
        code=0
    fi
    exit $code
}

# A pull request gets one comment, which is found again by its first line. GitHub refuses a comment of more than 64 KiB, and
# then the one before would stay. One KiB is for the text around the jobs' comments.
comment() {
    local comments_of=(report/*/comment.md)
    {
        echo '<!-- cugate -->'
        if [ -e "${comments_of[0]}" ]; then
            "$here/join_comments.sh" $((63 << 10)) "${comments_of[@]}"
        else
            echo 'cugate: nothing was judged; the log says why.'
        fi
        printf '\n%s, [log and pages](%s)\n' "$CUGATE_COMMIT" "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID"
    } >"$work/body.md"
    local comments=repos/$GITHUB_REPOSITORY/issues/$CUGATE_NUMBER/comments id
    local ours='.[] | select(.user.login == "github-actions[bot]" and (.body | startswith("<!-- cugate -->"))) | .id'
    id=$(gh api --paginate "$comments" --jq "$ours" | tail -n 1)
    if [ -z "$id" ] && [ -e "${comments_of[0]}" ] && ! head -q -n 1 "${comments_of[@]}" | grep -qv '^## :white_check_mark: '; then
        echo "no comment: nothing is worse" # as the job summary says; one of an earlier push is put right
        return
    fi
    if [ -n "$id" ]; then
        gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$work/body.md"
    else
        gh api --silent --method POST "$comments" --field "body=@$work/body.md"
    fi
}

verdict() {
    local results
    results=$(jq -r 'to_entries[] | "\(.key): \(.value.result)"' <<<"${CUGATE_NEEDS:-}") ||
        fail "needs is not what toJSON(needs) makes of the jobs before"
    printf '%s\n' "$results"
    # shellcheck disable=SC2016 # GitHub's words
    [ -n "$results" ] || fail 'needs names no job, so nothing was judged: needs: ${{ toJSON(needs) }} in a job that has needs'
    if grep -v ': success$' <<<"$results" >/dev/null; then
        echo "::error title=cugate::not every job passed; a skipped job judged nothing (a fork's code is skipped)"
        exit 1
    fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case ${1-} in
check-inputs) check_inputs ;;
sources) sources ;;
install) install ;;
build) build ;;
gate) gate ;;
comment) comment || echo "::warning title=cugate::the comment could not be written" ;;
verdict) verdict ;;
*)
    echo "usage: cugate-job check-inputs|sources|install|build|gate|comment|verdict; --help says more" >&2
    exit 2
    ;;
esac
