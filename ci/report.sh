#!/usr/bin/env bash
# The history and the pages: reports/cugate_reports by a Python that has its packages, which the first call installs.
#
#   ci/report.sh [COMMAND [OPTION]...]          installed as cugate-report; --help tells the commands
set -euo pipefail
# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"

folder=$("$here/install_python.sh" --where)
python=$folder/bin/python
case " $* " in
*' --help '* | *' -h '*) [ -x "$python" ] || python=python3 ;; # help waits for no package
*) "$here/install_python.sh" >&2 ;;
esac
cache=()
if [ "$python" = python3 ]; then
    cache=(-B)
elif [ -z "$in_tree" ]; then
    cache=(-X "pycache_prefix=$folder/pycache") # nothing is left where a package was
fi
# -I, as everywhere: Python takes no module from the current folder or PYTHONPATH.
exec "$python" -I "${cache[@]}" -c 'import sys; sys.path.insert(0, sys.argv.pop(1))
from cugate_reports.__main__ import main; sys.exit(main())' "$(realpath "$here/../reports")" "$@"
