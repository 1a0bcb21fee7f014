#!/usr/bin/env bash
# The history and the pages: `python -m cugate_reports` by a Python that has its packages, which the first call installs.
#
#   ci/report.sh [COMMAND [OPTION]...]          installed as cugate-report; --help tells the commands
set -euo pipefail
# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"

"$here/install_python.sh" >&2
folder=$("$here/install_python.sh" --where)
[ -n "$in_tree" ] || export PYTHONPYCACHEPREFIX=$folder/pycache # nothing is left where a package was
PYTHONPATH=$(realpath "$here/../reports")${PYTHONPATH:+:$PYTHONPATH} exec "$folder/bin/python" -m cugate_reports "$@"
