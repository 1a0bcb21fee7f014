#!/usr/bin/env bash
# The gate on many GPUs of a Slurm cluster: a job builds, a job array measures, each task a part of the kernels on a GPU that
# no other job has, and a job that waits for all of them judges. On a login node, from the top of the tree; installed, as
# cugate-slurm-shards, in any repository:
#
#   ci/slurm_shards.sh PARTS [OPTION OF cugate run AND cugate check]...
#
#   CUGATE_BUILD='make all'  on a node with a GPU, which decides what kernels are built for; empty, as outside of cugate's
#                            own tree: it is built
#   CPUS=8                   of each job
#   ONLY=3,5                 measure these parts again, and judge them with the others of before
#   OUT, BASE, HISTORY       as ci/shards.sh has them
#
# Ends with the exit code of `ci/shards.sh judge`, with 5 where that job was cancelled. A task that is killed and requeued, as
# by a node that fails, loses its part alone, and the judge waits for it; one that ends without its part makes the judge say
# which, and fail.
#
# Partition, account and time limit of all jobs: SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT. Counters and clocks: see
# ci/slurm.sh. What a node without network cannot fetch has to be there before: `make all` and ci/install_python.sh here.
set -euo pipefail

# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"
tell_help "$@"
export OUT=${OUT:-build/gate}
CUGATE_BUILD=${CUGATE_BUILD-${own_tree:+make all}}
gpu=(--gpus=1 --nodes=1 --ntasks=1 --cpus-per-task="${CPUS:-8}")
if ! [[ ${1-} =~ ^[1-9][0-9]{0,2}$ ]]; then
    echo "usage: ${0##*/} PARTS [OPTION OF cugate run AND cugate check]..." >&2
    exit 2
fi
parts=$1
shift
again=() # what ONLY says
IFS=, read -ra again <<<"${ONLY-}"
for part in "${again[@]}"; do
    if ! [[ $part =~ ^[1-9][0-9]{0,2}$ ]] || [ "$part" -gt "$parts" ]; then
        echo "slurm: ONLY is '$ONLY': numbers of parts from 1 to $parts, with commas between them" >&2
        exit 2
    fi
done

# Parts that an earlier run left must not pass for parts of this one.
for folder in "$OUT" "$OUT/parts"; do # parts of which are removed
    [ ! -L "$folder" ] || { echo "slurm: $folder is a link, and a folder is wanted" >&2 && exit 2; }
done
mkdir -p "$OUT/parts"
if [ ${#again[@]} -eq 0 ]; then
    rm -f "$OUT/parts"/*.json
else
    for part in "${again[@]}"; do rm -f "$OUT/parts/$part.json"; done
fi

job() { # NAME COMMAND [OPTION OF sbatch]...: its number
    local name=$1 command=$2 number
    shift 2
    number=$(sbatch --parsable --job-name="cugate-$name" "$@" --wrap "$command") || return
    echo "${number%%;*}"
}
# quoted WORD...: quotes words for any sh, which may not know the quotes of bash.
quoted() {
    local word
    for word; do
        printf " '%s'" "${word//\'/\'\\\'\'}"
    done
}
options=$(quoted "$@") script=$(quoted "$here/shards.sh")
after=()
if [ -n "$CUGATE_BUILD" ]; then
    build=$(job build "$CUGATE_BUILD" "${gpu[@]}")
    after=(--dependency="afterok:$build" --kill-on-invalid-dep=yes)
fi
array=$(job part "exec$script measure \$SLURM_ARRAY_TASK_ID/$parts$options" \
    --array="${ONLY:-1-$parts}" --requeue "${gpu[@]}" "${after[@]}")
echo "slurm: $parts parts by the job array $array; their logs are slurm-${array}_*.out"
said=$(mktemp)
trap 'rm -f "$said"' EXIT
code=0
sbatch --wait --job-name=cugate-judge --dependency="afterany:$array" --wrap "exec$script judge$options" |
    tee "$said" || code=$?
# sbatch also ends with 0 when its job was cancelled before it began.
judge=$(sed -n 's/^Submitted batch job \([0-9]*\).*/\1/p' "$said")
[ ! -e "slurm-$judge.out" ] || cat "slurm-$judge.out"
if [ $code -eq 0 ] && ! scontrol --oneliner show job "$judge" | grep -q ' JobState=COMPLETED '; then
    echo "slurm: job $judge did not end by itself, so nothing was judged" >&2
    exit 5
fi
exit $code
