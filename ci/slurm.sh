#!/usr/bin/env bash
# The gate as a Slurm job, on one GPU that no other job has. From the top of the tree:
#
#   [OUT=...] [BASE=REVISION] [HISTORY=URL] sbatch --wait ci/slurm.sh gate|nightly [OPTION OF cugate check]...
#
# BASE is what a pull request is to be judged against: times, and what it changed in baselines and metric files.
#
# With --wait sbatch ends with the job's exit code, which is that of ci/gate.sh or ci/nightly.sh. It is 1 also for a job
# that a signal ended (time limit, scancel); then the report in slurm-<job>.out has no last line with its exit code.
#
# Counters: a job is not root, so the administrator has to open them to everyone on the node (ci/README.md), and DCGM's
# profiling must not hold them. `srun --gpus=1 build/cugate doctor` says what is in the way.
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
gate | nightly) script=ci/$1.sh ;;
*)
    echo "usage: sbatch --wait ci/slurm.sh gate|nightly [OPTION OF cugate check]..." >&2
    exit 2
    ;;
esac
shift

# Slurm runs a copy of this file from a folder of its own.
cd "${SLURM_SUBMIT_DIR:-$(dirname "$0")/..}"
if [ ! -x "$script" ]; then
    echo "slurm: $PWD has no $script: submit from the top of cugate's tree" >&2
    exit 2
fi

# The GPU decides what kernels are built for, and a login node has none, so they are built here. What a node without network
# cannot download has to be installed before: run `make all` and ci/install_python.sh on the login node.
make all || exit 2
STRICT=${STRICT:-1} exec "$script" "$@"
