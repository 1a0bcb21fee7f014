// Traces what saxpy stores to global memory, on 40 elements: stores kernels.cubin
#include <cugate/machine.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

static void check(cugate_status status)
{
    if (status != CUGATE_OK)
        throw std::runtime_error(cugate_error());
}

static void trace(const cugate_event *event, void *)
{
    cugate_instruction instruction;
    check(cugate_describe_instruction(event->kernel, event->instruction, &instruction));
    if (!(event->access & CUGATE_WRITES) || event->space != CUGATE_GLOBAL)
        return;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(event->lanes >> lane & 1))
            continue;
        float value;
        std::memcpy(&value, event->values + lane * event->bytes, sizeof value);
        std::printf("%s:%u block %u warp %u lane %u: %s 0x%llx = %g\n", instruction.file, instruction.line,
                    event->block[0], event->warp, lane, instruction.opcode,
                    static_cast<unsigned long long>(event->addresses[lane]), value);
    }
}

int main(int argc, char **argv)
try {
    const int n = 40;
    const float a = 2;
    cugate_machine *machine;
    cugate_module *module;
    cugate_kernel *saxpy;
    uint64_t x, y;
    check(cugate_open("h200", &machine));
    check(cugate_load_file(machine, argc > 1 ? argv[1] : "kernels.cubin", &module));
    check(cugate_find_kernel(module, "saxpy", &saxpy));
    check(cugate_alloc(machine, n * sizeof(float), &x));
    check(cugate_alloc(machine, n * sizeof(float), &y));
    std::vector<float> values(n);
    for (int i = 0; i < n; i++)
        values[i] = i;
    check(cugate_write(machine, x, values.data(), n * sizeof(float)));
    check(cugate_hook(machine, CUGATE_HOOK_ACCESS, trace, nullptr));
    const void *arguments[] = {&x, &y, &a, &n};
    cugate_launch launch{};
    launch.grid[0] = 2, launch.grid[1] = launch.grid[2] = 1;
    launch.block[0] = 32, launch.block[1] = launch.block[2] = 1;
    launch.arguments = arguments;
    launch.argument_count = 4;
    check(cugate_run(saxpy, &launch, nullptr));
    cugate_close(machine);
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
