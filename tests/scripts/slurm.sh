#!/usr/bin/env bash
# Runs ci/slurm_shards.sh in a real Slurm: its controller and four nodes with a pretended GPU each, all on this machine, as
# the calling user and below one folder. The library is measured by the host's clock. A task that is killed and requeued
# must lose only its part, one that is only killed must be reported as missing, and the merged run must be judged like a
# whole one. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/slurm.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
library=$(dirname "$cugate")/tests/libmany.so
for program in slurmctld slurmd sbatch scontrol munged; do
    if ! PATH=$PATH:/usr/sbin command -v $program >/dev/null; then
        echo "slurm.sh: skipped: there is no $program here; ci/install_deps.sh install installs it where Debian has it"
        echo "0 passed, 0 failed"
        exit 0
    fi
done
PATH=$PATH:/usr/sbin
for name in "${!SLURM@}" "${!SBATCH@}" "${!GITHUB@}" BASE OUT HISTORY CUGATE_BUILD ONLY CODE; do unset "$name"; done
export CUDA_VISIBLE_DEVICES='' LC_ALL=C

# $work is short: the name of a socket has at most 107 bytes.
stop() {
    local file
    rm -f "${MANY_HOLD-}"
    scancel --full --user="$(id -un)"
    for _ in $(seq 100); do
        [ -n "$(squeue -h)" ] || break
        sleep 0.1
    done
    [ ! -s "$work/munged.pid" ] || kill "$(cat "$work/munged.pid")"
    for file in "$work"/slurm{d-*,ctld}.pid; do
        [ ! -s "$file" ] || kill "$(cat "$file")"
    done
    # They take the files away when they have ended.
    for _ in $(seq 100); do
        compgen -G "$work/*.pid" >/dev/null || break
        sleep 0.1
    done
    rm -rf "$work"
} 2>/dev/null
trap stop EXIT

# ---- A cluster.
head -c 1024 /dev/urandom >"$work/munge.key"
chmod 400 "$work/munge.key"
munged --force --key-file="$work/munge.key" --socket="$work/munge" --pid-file="$work/munged.pid" \
    --log-file="$work/munged.log" --seed-file="$work/munge.seed" 2>/dev/null || { echo "slurm.sh: munged does not start" >&2; exit 1; }
ports() { # COUNT: that are free now
    python3 -c 'import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*[one.getsockname()[1] for one in sockets])' "$1"
}
host=$(hostname)
nodes=4
read -ra port <<<"$(ports $((nodes + 1)))"
export SLURM_CONF=$work/slurm.conf
{
    cat <<END
ClusterName=pretended
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${port[0]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
BatchStartTimeout=120
MessageTimeout=60
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
PlugStackConfig=/dev/null
GresTypes=gpu
KillWait=1
PartitionName=all Nodes=ALL Default=YES MaxTime=10
END
    for node in $(seq $nodes); do
        echo "NodeName=node$node NodeHostname=$host NodeAddr=127.0.0.1 Port=${port[node]} CPUs=8 Gres=gpu:1"
    done
} >"$SLURM_CONF"
echo "Name=gpu File=/dev/null" >"$work/gres.conf"
case $(slurmd -V) in
*" 2"[0-2].*) ;; # they know no such word, and leave cgroups alone here
*) echo CgroupPlugin=disabled >"$work/cgroup.conf" ;;
esac
mkdir "$work/state"
slurmctld -c -f "$SLURM_CONF" || exit 1
for node in $(seq $nodes); do
    mkdir "$work/spool-node$node"
    slurmd -N "node$node" -f "$SLURM_CONF" || exit 1
done
# until_true COMMAND...: waits, longer than any machine should take.
until_true() {
    for _ in $(seq 3000); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    echo "slurm.sh: not after five minutes: $*" >&2
    tail -n 20 "$work"/*.log >&2
    exit 1
}
all_idle() { [ "$(sinfo -h -t idle -o %D)" = $nodes ]; }
until_true all_idle

# ---- A repository: the scripts of ci/ as they are, a library that is built already, a baseline of one run.
tree=$work/tree
mkdir -p "$tree/build" && cd "$tree" || exit 2
cp -r "$top/ci" . && ln -s "$top"/{harness,reports} . && ln -s "$cugate" build/cugate
ln -s "$top/build/python" build/python
mkdir metrics # a time would be judged by what the whole suite did, too, as it does on a busy machine
sed 's/^class = time$/class = steady/' "$top/tests/cli/made_up/host_metrics/test.ini" >metrics/test.ini
cat >cugate.ini <<END
kernels = $library
metrics = $tree/metrics
samples = 2
END
options=(--collector host -k 'family_4*')
build/cugate run "${options[@]}" -q --save whole.json >/dev/null
expect "a baseline of one run" 0 'accepted 220 rows of 220 kernels' -- build/cugate accept whole.json --reason "first"
# The pages take longer than all the rest, and have tests of their own.
printf '#!/usr/bin/env bash\n' >ci/report.sh
verdicts() { jq -S '[.judgements[] | {kernel, metric, verdict}] | sort_by(.kernel, .metric)' "$1"; }
judged() { # what the last job said, beside what is said already
    local number
    number=$(sed -n 's/^Submitted batch job //p' "$work/said")
    cat "slurm-$number.out" >>"$work/said"
}

expect "one run" 0 'nothing is worse' -- build/cugate check "${options[@]}" --replay whole.json --report json=whole_check.json
ask env CUGATE_BUILD='echo built >built' ci/slurm_shards.sh 4 "${options[@]}"
expect "four parts, each by a task of its own, and one run of them" 0 '4 parts by the job array' 'nothing is worse: 220 rows'
expect "what is judged is built first" 0 built -- cat built
expect "it is judged as one run is" 0 -- cmp <(verdicts whole_check.json) <(verdicts build/gate/check.json)
ask jq -e '(.sessions | length == 4) and (.shard == null) and (.kernels | length == 220)' build/gate/merged.json
expect "every kernel is there once, and each GPU is a session" 0
expect "measured once" 0 -- jq -e '[.kernels[].metrics.wall_time.sessions | length] | unique == [1]' build/gate/merged.json

# ---- Killed tasks. While the file is there, some kernels of one part wait.
export MANY_HOLD=$work/hold
held() { # one task goes on, and the others have left their parts
    [ "$(squeue -h -t running -n cugate-part -o %i | wc -l)" = 1 ] && [ "$(find build/gate/parts -name '*.json' | wc -l)" = 3 ]
}
submit() { # in the background, until one task is left; sets waiting and task
    touch "$MANY_HOLD"
    CUGATE_BUILD='' ci/slurm_shards.sh 4 "${options[@]}" >"$work/waiting" 2>&1 &
    waiting=$!
    until_true held
    task=$(squeue -h -t running -n cugate-part -o %i)
}
submitted() { # what it came to
    code=0
    # shellcheck disable=SC2034 # expect reads it
    wait $waiting || code=$?
    cp "$work/waiting" "$work/said"
    judged
}
submit
sha256sum build/gate/parts/*.json >"$work/before"
scontrol requeue "$task"
requeued() { [ "$(scontrol show job "$task" | grep -c 'JobState=PENDING\| Restarts=1 ')" = 2 ]; }
until_true requeued
rm "$MANY_HOLD"
scontrol update jobid="$task" StartTime=now # else Slurm waits for two minutes
submitted
expect "a task that was killed and requeued: judged" 0 'nothing is worse'
expect "it lost its own part alone" 0 -- sha256sum --check --quiet "$work/before"
expect "and is judged as one run is" 0 -- cmp <(verdicts whole_check.json) <(verdicts build/gate/check.json)

submit
scancel --name=cugate-judge --state=PENDING
code=0
# shellcheck disable=SC2034 # expect looks at it
wait $waiting || code=$?
cp "$work/waiting" "$work/said"
expect "the judge is cancelled before it began: what it judged before is no verdict" 5 'nothing was judged' '!nothing is worse'
rm "$MANY_HOLD"
none_left() { [ -z "$(squeue -h)" ]; }
until_true none_left

submit
scancel --signal=KILL --full "$task"
submitted
number=${task#*_}
expect "a task that was killed: its part is said, and its kernels are" 5 "shard $number of 4" 'missing in all parts: ' family_42 \
    '!nothing is worse'
rm "$MANY_HOLD"
ask env CUGATE_BUILD='' ONLY="$number" ci/slurm_shards.sh 4 "${options[@]}"
judged
expect "that part alone, again" 0 'nothing is worse'
expect "is judged with the others" 0 -- cmp <(verdicts whole_check.json) <(verdicts build/gate/check.json)
ask env CUGATE_BUILD=false ci/slurm_shards.sh 4 "${options[@]}"
judged
expect "what does not build is not measured" 5 'there is no part'
expect "no number of parts" 2 usage: -- ci/slurm_shards.sh four

summary
