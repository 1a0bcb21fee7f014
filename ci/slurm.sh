#!/usr/bin/env bash
# The gate as a Slurm job, on one GPU that no other job has: of cugate's own kernels, and of any other repository, for which
# `cugate init --slurm` writes it as perf/slurm.sh. There cugate is installed, and cugate.ini says what is judged and how it is
# built. From the top of the tree (of cugate's own: ci/slurm.sh):
#
#   [OUT=...] [BASE=REVISION] [HISTORY=URL] sbatch --wait perf/slurm.sh gate|nightly [OPTION OF cugate check]... [-- PROGRAM...]
#
# gate judges; nightly also keeps the run in a history and draws the pages of all nights: build/nightly/page.
# BASE is what a pull request is to be judged against: times, and what it changed in baselines and metric files.
#
# With --wait sbatch ends with the job's exit code, which is that of cugate check. It is 1 also for a job that a signal ended
# (time limit, scancel); then the report in slurm-<job>.out has no last line with its exit code.
#
# Counters: a job is not root, so the administrator has to open them to everyone on the node, and DCGM's profiling must not
# hold them. `srun --gpus=1 cugate doctor` says what is in the way.
# Clocks: left as they are. Without --gpu-freq Slurm does not touch them either.
#
#SBATCH --job-name=cugate
#SBATCH --time=00:30:00
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --gpus=1
# A site without --gpus asks for --gres=gpu:1. Both give a GPU to one job alone, unless the site shares GPUs (shard, MPS).
# Transfers are timed on the host as well, which other jobs of the node use: whoever gates on those adds --exclusive, and
# pays for every GPU of the node.
##SBATCH --exclusive
set -euo pipefail

case ${1-} in
gate | nightly) mode=$1 ;;
*)
    echo "usage: sbatch --wait SCRIPT gate|nightly [OPTION OF cugate check]..." >&2
    exit 2
    ;;
esac
shift

# Slurm runs a copy of this file from a folder of its own.
cd "${SLURM_SUBMIT_DIR:-$(dirname "$0")/..}"
if [ -e ci/where.sh ]; then # cugate's own tree
    build=(make all) script=ci/$mode.sh
elif [ -e .git ]; then
    build=(cugate-job build) script=cugate-$mode
else
    echo "slurm: $PWD is not the root of a repository: submit from the top of the tree" >&2
    exit 2
fi
if ! command -v "$script" >/dev/null; then
    echo "slurm: $script was not found: install cugate, and put it on the job's PATH" >&2
    exit 2
fi

# The GPU decides what kernels are built for, and a login node has none, so they are built here. What a node without network
# cannot download has to be there before: run the build, and `cugate-report --help` (in cugate's own tree `make all` and
# ci/install_python.sh), once on the login node.
"${build[@]}" || exit 2
STRICT=${STRICT:-1} exec "$script" "$@"
