#!/usr/bin/env bash
# Installs what is missing to build and test cugate; does nothing, and needs no network, when nothing is.
#
#   ci/install_deps.sh [--check] NEED...
#
# NEED is build (compilers and libraries), test (all that `make test` asks for), install (CMake and Slurm, for
# `make test-install`), lint (clang-format, clang-tidy, shellcheck), gate (jq, for the scripts of the gate and the tests
# that need a GPU), package (for `make deb`, `make wheel` and their test), wheels (pip, for a machine without a CUDA toolkit), python (for
# the reports) or browser (Chromium, for the tests of their pages).
# --check installs nothing: it fails when something is missing and says what.
set -euo pipefail

# To add a dependency: one row. The test succeeds when the dependency is installed.
# need   Debian package   elsewhere: dnf, pacman                       test
table="
build  gcc              gcc gcc                                      command -v gcc
build  g++              gcc-c++ gcc                                  command -v g++
build  libc6-dev        glibc-devel glibc                            header stdio.h
build  binutils         binutils binutils                            command -v ld
build  pkg-config       pkgconf-pkg-config pkgconf                   command -v pkg-config
build  libjansson-dev   jansson-devel jansson                        library jansson
build  libinih-dev      inih-devel libinih                           library inih
build  libelf-dev       elfutils-libelf-devel libelf                 library libelf
build  libdw-dev        elfutils-devel libelf                        pkg-config --atleast-version=0.186 libdw
build  libxxhash-dev    xxhash-devel xxhash                          library libxxhash
build  libzstd-dev      libzstd-devel zstd                           library libzstd
build  liblz4-dev       lz4-devel lz4                                library liblz4
test   libgsl-dev       gsl-devel gsl                                library gsl
test   libcriterion-dev criterion-devel criterion                    library criterion
test   xz-utils         xz xz                                        command -v xz
test   git              git git                                      command -v git
test   jq               jq jq                                        command -v jq
test   postgresql       postgresql-server postgresql                 ls /usr/lib/postgresql/*/bin/initdb
test   patch            patch patch                                  command -v patch
install cmake           cmake cmake                                  command -v cmake
test   shellcheck       ShellCheck shellcheck                        command -v shellcheck
install slurmctld       slurm-slurmctld slurm-llnl                   command -v slurmctld || no_slurm slurmctld
install slurmd          slurm-slurmd slurm-llnl                      command -v slurmd || no_slurm slurmd
install slurm-client    slurm slurm-llnl                             command -v sbatch || no_slurm slurm-client
install munge           munge munge                                  command -v munged || no_slurm munge
test   libxml2-utils    libxml2 libxml2                              command -v xmllint
test   python3-pip      python3-pip python-pip                       python3 -I -m pip --version
test   ca-certificates  ca-certificates ca-certificates              test -s /etc/ssl/certs/ca-certificates.crt
lint   clang-format     clang-tools-extra clang                      command -v clang-format
lint   clang-tidy       clang-tools-extra clang                      command -v clang-tidy
lint   shellcheck       ShellCheck shellcheck                        command -v shellcheck
gate   jq               jq jq                                        command -v jq
python python3-venv     python3 python                               python3 -I -m ensurepip --version
python ca-certificates  ca-certificates ca-certificates              test -s /etc/ssl/certs/ca-certificates.crt
python xz-utils         xz xz                                        command -v xz
browser chromium        chromium chromium                            command -v chromium || snap_only
browser chromium-driver chromedriver chromium                        command -v chromedriver || snap_only
package dpkg-dev        dpkg-dev dpkg                                command -v dpkg-shlibdeps
package patchelf        patchelf patchelf                            command -v patchelf
package mmdebstrap      mmdebstrap mmdebstrap                        command -v mmdebstrap
wheels python3-pip      python3-pip python-pip                       python3 -I -m pip --version
wheels ca-certificates  ca-certificates ca-certificates              test -s /etc/ssl/certs/ca-certificates.crt
"

header() { printf '#include <%s>\n' "$1" | gcc -E -o /dev/null -; }
library() { pkg-config --exists "$1"; }
# Ubuntu has Chromium only as a snap, which no container can run. There the tests in a browser are skipped, and say so. Where
# Debian has no Slurm, its test is skipped in the same way.
no_slurm() { command -v apt-cache && ! apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [0-9]'; }
snap_only() { grep -q '^ID=ubuntu' /etc/os-release; }

check=false
if [ "${1-}" = --check ]; then
    check=true
    shift
fi

debian=()
fedora=()
arch=()
while read -r need package dnf pacman test; do
    if [[ -n $need && " $* " == *" $need "* ]] && ! eval "$test" >/dev/null 2>&1; then
        debian+=("$package")
        fedora+=("$dnf")
        arch+=("$pacman")
    fi
done <<<"$table"
[ ${#debian[@]} -gt 0 ] || exit 0

if $check; then
    echo "error: missing here (Debian's names): ${debian[*]}; ci/install_deps.sh $* installs them" >&2
    exit 1
fi
if ! command -v apt-get >/dev/null; then
    echo "error: some packages are missing, and this script installs with apt-get only. Install them by hand:" >&2
    echo "  dnf install ${fedora[*]}" >&2
    echo "  pacman -S ${arch[*]}" >&2
    echo "  or, by Debian's names: ${debian[*]}" >&2
    exit 1
fi

sudo=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "error: not root, and there is no sudo to become it. As root: apt-get install ${debian[*]}" >&2
        exit 1
    fi
    sudo=(sudo)
fi
echo "installing with apt-get: ${debian[*]}"
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${debian[@]}" >/dev/null
