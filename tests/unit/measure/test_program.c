#include "base/base.h"
#include "measure/program.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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
        {"torch_distributed_run", {"python3", "-O", "-m", "torch.distributed.run", "train.py"}},
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
        char *name = program_name(cases[i].arguments);
        cr_expect_str_eq(name, cases[i].name, "case %zu: %s", i, name);
        cr_expect_eq(name_length(name), strlen(name), "%s is no family", name);
        free(name);
    }
}
