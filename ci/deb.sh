#!/usr/bin/env bash
# Makes a Debian package of what `make install` has put below ROOT/usr. `make deb` calls it.
#
#   [MAINTAINER='Name <address>'] ci/deb.sh ROOT VERSION FILE.deb
#
# The package depends on the packages of the libraries that the program here is linked with, which dpkg-shlibdeps finds. It
# contains nothing of NVIDIA's: `cugate-fetch` fetches that.
set -euo pipefail

root=$1 version=$2 file=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=("$root"/usr/bin/cugate "$root"/usr/lib/cugate/*.so "$root"/usr/lib/libcugate_machine.so.*)

strip --strip-unneeded "${programs[@]}"
gzip -9nf "$root/usr/share/man/man1/cugate.1"

# dpkg-shlibdeps needs each library, and a debian/control. No package has the driver's library or CUPTI, so empty ones take
# their place.
mkdir -p "$work/debian" "$work/nvidia"
for library in libcuda.so.1 libcupti.so.13; do
    cc -shared -nostdlib -x c /dev/null -o "$work/nvidia/$library" -Wl,-soname,$library
done
printf 'Source: cugate\n\nPackage: cugate\nArchitecture: any\n' >"$work/debian/control"
mapfile -t programs < <(realpath "${programs[@]}")
depends=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info -lnvidia "${programs[@]}" 2>"$work/said") || {
    cat "$work/said" >&2
    exit 1
}

# A licence is the owner's to choose. Until there is one, the package says so.
mkdir -p "$root/DEBIAN" "$root/usr/share/doc/cugate"
if [ -e LICENSE ]; then
    install -m 644 LICENSE "$root/usr/share/doc/cugate/copyright"
else
    echo 'No licence has been chosen yet: ask the owner before you use or pass on this package.' >"$root/usr/share/doc/cugate/copyright"
fi
cat >"$root/DEBIAN/control" <<END
Package: cugate
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: ${MAINTAINER:-cugate <cugate@example.org>}
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f 1)
Depends: ${depends#shlibs:Depends=}
Recommends: ca-certificates, git, jq, python3-pip, python3-venv
Section: devel
Priority: optional
Description: performance gate for CUDA kernels
 Runs the kernels of a program or of a library under CUPTI, or computes without
 a GPU what they count, compares with the baseline kept in git, and fails where
 a kernel got worse, with the line that is to blame.
 .
 NVIDIA's disassembler (to compute) and CUPTI (to measure, where there is no
 CUDA toolkit) are fetched by cugate-fetch.
END
cat >"$root/DEBIAN/prerm" <<'END'
#!/bin/sh
# What cugate-fetch put beside the package's own files goes with them.
set -e
[ "$1" = remove ] || exit 0
rm -rf "$DPKG_ROOT/usr/lib/cugate/disasm" "$DPKG_ROOT/usr/lib/cugate/cuda"
! grep -qs 'by cugate-fetch' "$DPKG_ROOT/usr/bin/nvcc" || rm "$DPKG_ROOT/usr/bin/nvcc"
END
chmod 755 "$root/DEBIAN/prerm"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
dpkg-deb --root-owner-group --build "$root" "$file" >/dev/null
echo "package: $file"
