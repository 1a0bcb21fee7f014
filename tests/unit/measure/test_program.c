#include "measure/program.h"
#include "test.h"

Test(program, kernels_are_called_after_what_people_call_the_program)
{
    static const struct {
        const char *name;
        char *arguments[8];
    } cases[] = {
        {"app", {"app"}},
        {"app", {"./build/app", "train.py"}},
        {"a", {"./a.out"}},
        {"train", {"python3", "train.py"}},
        {"train", {"/opt/venv/bin/python3.11", "-u", "src/train.py", "--model", "big.py"}},
        {"train", {"python", "-W", "ignore", "-X", "dev", "train.py"}},
        {"pkg_mod", {"python3", "-m", "pkg.mod"}},
        {"train", {"python3", "-O", "-m", "torch.distributed.run", "train.py"}},
        {"torch_distributed_run", {"python3", "-O", "-m", "torch.distributed.run"}},
        {"train", {"torchrun", "--standalone", "--nproc_per_node", "2", "src/train.py", "--steps", "20"}},
        {"pkg_train", {"torchrun", "--nnodes=1", "--nproc-per-node=2", "-m", "pkg.train", "x.py"}},
        {"app", {"torchrun", "--nproc-per-node", "2", "--no-python", "./app", "x.py"}},
        {"train", {"python3", "/usr/bin/torchrun", "--rdzv-backend", "c10d", "train.py"}},
        {"train", {"accelerate", "launch", "--multi_gpu", "--num_processes", "2", "train.py", "x.py"}},
        {"train", {"python", "-m", "accelerate.commands.launch", "--cpu", "train.py"}},
        {"accelerate", {"accelerate", "test"}},
        {"train", {"deepspeed", "--num_gpus", "2", "--no_local_rank", "train.py", "--deepspeed", "ds.json"}},
        {"nccl_ranks", {"mpirun", "-np", "2", "-x", "A=b", "--allow-run-as-root", "./nccl_ranks", "4"}},
        {"app", {"mpiexec.hydra", "./app"}},
        {"train", {"mpirun", "--mca", "btl", "self,tcp", "-n", "2", "python3", "train.py"}},
        {"train", {"srun", "-n2", "--gres", "gpu:1", "-p", "batch", "python3", "train.py"}},
        {"train", {"srun", "--label", "torchrun", "--nproc_per_node=8", "train.py"}},
        {"train", {"uv", "run", "--with", "torch", "train.py", "--x"}},
        {"pkg_train", {"uv", "-q", "run", "-m", "pkg.train"}},
        {"train", {"uv", "run", "--", "python", "train.py"}},
        {"uv", {"uv", "pip", "list"}},
        {"train", {"timeout", "-k", "1", "60", "python3", "train.py"}},
        {"app", {"numactl", "-N", "0", "taskset", "-c", "0-3", "./app"}},
        {"train", {"bash", "-c", "cd src && CUDA_VISIBLE_DEVICES=0 exec torchrun 'train.py' | tee log"}},
        {"train", {"bash", "-lc", "source env.sh; python3 train.py --x >log"}},
        {"bash", {"bash", "-c", "exec \"$0\" train.py"}},
        {"bash", {"bash", "-c", "cd src"}},
        {"python3", {"python3", "-c", "import torch"}},
        {"python3", {"python3"}},
        {"python3", {"python3", "-"}},
        {"python3", {"python3", "-m"}}, /* which fails by itself */
        {"x", {"env", "X=1", "python3", "x.py"}},
        {"app", {"/usr/bin/env", "-i", "A=b", "./app"}},
        {"env", {"env", "X=1"}},
        {"bash", {"bash", "-c", "./app one; ./app two"}},
        {"run_all", {"bash", "-eu", "-o", "pipefail", "run-all.sh"}},
        {"nightly", {"sh", "nightly"}},
        {"pythonic", {"pythonic", "train.py"}}, /* no interpreter */
        {"bench_gemm_sm_90_v2", {"./Bench-GEMM.sm_90.v2.exe"}},
        {"_hidden", {"./.hidden"}},
        {"gr__e",
         {"./gr\xc3\xb6"
          "e"}},
        {"1234567890123456789012345678901234567890",
         {"./123456789012345678901234567890123456789012345678901234567890"}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_TEXT name = program_name(cases[i].arguments);
        cr_expect_str_eq(name, cases[i].name, "case %zu: %s", i, name);
        cr_expect_eq(name_length(name), strlen(name), "%s is no family", name);
    }
}
