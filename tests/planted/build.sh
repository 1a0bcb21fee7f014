#!/usr/bin/env bash
# Builds the planted cases of cases.txt: for each a library of one family, with the case's patch applied.
#
#   NVCC=nvcc CU_FLAGS='...' CUDA_LDFLAGS='...' tests/planted/build.sh [NAME]...    without a name, all of them
#   tests/planted/build.sh --list    prints their names, when all patches fit; builds nothing
#
# It leaves build/planted/NAME/libkernels.so and, beside it, the patched kernels/, which line information names. What
# is newer than its patch, its sources and its flags stays. Exits 1 when a case cannot be built, after the others
# have been, and 2 when cases.txt and the patches do not belong together; then nothing is built.
#
# Variables, as the Makefile has them:
#   NVCC           the compiler
#   CU_FLAGS       all that it is given to compile a kernel: include folders and flags for the host's compiler as well
#   CUDA_LDFLAGS   what a library is linked with
#   FLAGS          what a library says that it was built with; without it, CU_FLAGS
#   CXX            the host's compiler, without it c++
#   JOBS           how many at once, without it one a core
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."

cases=tests/planted/cases.txt

fail() {
    printf 'planted: %s\n' "$1" >&2
    exit 2
}

# ---- The table -------------------------------------------------------------------------------------------------------

declare -A family_of=() line_of=()
names=()

# Says what is wrong with a row, and nothing of a good one.
offences_of() {
    local name=$1 kernel=${2-} metrics=${3-} line=${4-} patch=tests/planted/$1.patch family metric
    family=${kernel%/*}
    if [ $# -ne 5 ]; then
        echo "$# columns, not 5"
        return
    fi
    [[ $name =~ ^[a-z0-9_]+$ ]] || echo "a name is made of a-z, 0-9 and _"
    [ -z "${family_of[$name]-}" ] || echo "there is another row of this name"
    grep -qsF ".name = \"${kernel#*/}\"" "kernels/$family.cu" || echo "there is no kernel $kernel"
    if [ "$metrics" != - ]; then
        for metric in ${metrics#\~}; do
            [[ $metric =~ ^[a-z0-9_]+$ ]] || echo "there is no metric $metric"
        done
    elif [ "$line" != - ]; then
        echo "a harmless edit has no line to blame"
    fi
    if ! [ -e "$patch" ]; then
        echo "there is no $patch"
    elif [ "$(sed -n 's|^+++ b/\([^[:space:]]*\).*|\1|p' "$patch")" != "kernels/$family.cu" ]; then
        echo "$patch must change kernels/$family.cu and no other file"
    fi
}

# Fills names, family_of and line_of.
read_cases() {
    local number=0 row columns offence patch offences=()
    while IFS= read -r row; do
        number=$((number + 1))
        case $row in '' | '#'*) continue ;; esac
        mapfile -t columns < <(sed 's/ *$//; s/ \+| \+/\n/g' <<<"$row")
        while IFS= read -r offence; do
            offences+=("$cases:$number: ${columns[0]}: $offence")
        done < <(offences_of "${columns[@]}")
        names+=("${columns[0]}")
        family_of[${columns[0]}]=${columns[1]%/*}
        line_of[${columns[0]}]=${columns[3]-}
    done <"$cases"
    for patch in tests/planted/*.patch; do
        patch=$(basename "$patch" .patch)
        [ -n "${family_of[$patch]-}" ] || offences+=("$cases: $patch.patch has no row")
    done
    if [ ${#offences[@]} -gt 0 ]; then
        printf '%s\n' "${offences[@]}" >&2
        fail "the cases are not in order"
    fi
}

# ---- One case --------------------------------------------------------------------------------------------------------

made_with() {
    printf '%s\n' "$family" "$line" "$NVCC" "$CU_FLAGS" "$flags" "$CUDA_LDFLAGS"
}

up_to_date() {
    local source
    [ -e "$folder/libkernels.so" ] && [ "$(made_with)" = "$(cat "$folder/made_with")" ] || return 1
    for source in "$patch" "kernels/$family.cu" kernels/*.cuh harness/cugate/* ci/registry.sh tests/planted/build.sh; do
        [ "$folder/libkernels.so" -nt "$source" ] || return 1
    done
}

# Leaves the patched kernels in $folder/kernels; says why not.
patch_case() {
    local source=$folder/kernels/$family.cu
    mkdir -p "$folder/kernels"
    cp kernels/*.cu kernels/*.cuh "$folder/kernels"
    if ! patch -p1 -s -N -F0 -r - --no-backup-if-mismatch -d "$folder" <"tests/planted/$name.patch"; then
        echo "kernels/$family.cu changed: make the patch anew"
        return 1
    fi
    if [ "$line" != - ] && [ "$(grep -cF -e "$line" "$source")" != 1 ]; then
        echo "not one line of the patched $family.cu has '$line', but $(grep -cF -e "$line" "$source")"
        return 1
    fi
}

compile_case() {
    local source=$folder/kernels/$family.cu compile link includes=() i
    patch_case || exit 1
    read -ra compile <<<"$CU_FLAGS"
    read -ra link <<<"${CUDA_LDFLAGS//\'/}" # no shell takes the quotes away here, nor looks for a variable ORIGIN
    for i in "${!compile[@]}"; do
        case ${compile[i]} in
        -I | -isystem) includes+=("${compile[i]}" "${compile[i + 1]}") ;;
        -I*) includes+=("${compile[i]}") ;;
        esac
    done
    "$NVCC" "${compile[@]}" -c -o "$folder/$family.o" "$source"
    ci/registry.sh "$flags" "$source" >"$folder/registry.cpp"
    "$NVCC" -std=c++20 -O2 -Xcompiler -fPIC "${includes[@]}" -c -o "$folder/registry.o" "$folder/registry.cpp"
    "${CXX:-c++}" -shared -o "$folder/new.so" "$folder/$family.o" "$folder/registry.o" "${link[@]}" -lcudart -ldl
    made_with >"$folder/made_with"
    mv "$folder/new.so" "$folder/libkernels.so"
}

# build_case NAME FAMILY LINE: what the compiler says goes into a log, and is shown when it fails.
build_case() {
    name=$1 family=$2 line=$3 folder=build/planted/$1 patch=tests/planted/$1.patch
    local pid
    if up_to_date; then
        echo "  same     $name"
        return
    fi
    rm -rf "$folder"
    mkdir -p "$folder"
    compile_case >"$folder/log" 2>&1 & # in a shell of its own, where set -e holds
    pid=$!
    if wait $pid; then
        echo "  built    $name"
    else
        printf '  FAILED   %s: %s\n' "$name" "$(tail -n 20 "$folder/log")" >&2
        return 1
    fi
}

# ---- All of them -----------------------------------------------------------------------------------------------------

flags=${FLAGS:-${CU_FLAGS-}}
if [ "${1-}" = --one ]; then # from below
    build_case "$2" "$3" "$4"
    exit
fi

read_cases
if [ "${1-}" = --list ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    for name in "${names[@]}"; do
        family=${family_of[$name]} line=${line_of[$name]}
        why=$(patch_case 2>&1) || fail "$name: $why"
    done
    printf '%s\n' "${names[@]}"
    exit
fi
[ $# -gt 0 ] || set -- "${names[@]}"
for name; do
    [ -n "${family_of[$name]-}" ] || fail "there is no case $name: --list prints their names"
done
export NVCC="${NVCC-}" CU_FLAGS="${CU_FLAGS-}" CUDA_LDFLAGS="${CUDA_LDFLAGS-}"
if [ -z "$NVCC" ] || [ -z "$CU_FLAGS" ]; then
    fail "NVCC and CU_FLAGS must be set: the head of this script says to what"
fi

for name; do
    printf '%s\n' "$name" "${family_of[$name]}" "${line_of[$name]}"
done | xargs -d '\n' -n 3 -P "${JOBS:-$(nproc)}" tests/planted/build.sh --one ||
    { echo 'planted: not every case could be built' >&2; exit 1; }
