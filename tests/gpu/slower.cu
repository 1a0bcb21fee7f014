/* A kernel library that is another one made slower, for tests/gpu/judge.sh: after each launch of a chosen kernel a second
 * kernel spins for so many cycles. All else is the other library's own.
 *
 *     CUGATE_SLOWER_LIBRARY=build/libkernels.so     the library
 *     CUGATE_SLOWER="dgemm/tiled=6500 ..."          kernels, and the cycles of the SM clock that each is to lose */
#include "cugate/kernel.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr size_t most = 256; /* kernels that can be slowed down */

struct slowed {
    int (*launch)(void *state);
    long long cycles;
};

slowed table[most];

__global__ void spin(long long cycles)
{
    const long long begin = clock64();
    while (clock64() - begin < cycles)
        continue;
}

template <size_t index> int launch_slowed(void *state)
{
    const int result = table[index].launch(state);
    if (result == 0)
        spin<<<1, 1>>>(table[index].cycles);
    return result != 0 ? result : static_cast<int>(cudaGetLastError());
}

template <size_t... index> int (*launcher(size_t which, std::index_sequence<index...>))(void *)
{
    static int (*const all[])(void *) = {launch_slowed<index>...};
    return all[which];
}

/* Cycles for that kernel; 0 when it is not chosen. */
long long cycles_of(const char *family, const char *variant)
{
    const char *words = std::getenv("CUGATE_SLOWER");
    const std::string id = std::string(family) + "/" + variant + "=";
    for (const char *word = words ? words : ""; *word; word += std::strcspn(word, " "), word += std::strspn(word, " "))
        if (std::strncmp(word, id.c_str(), id.size()) == 0)
            return std::atoll(word + id.size());
    return 0;
}

[[noreturn]] void give_up(const char *what)
{
    std::fprintf(stderr, "slower: %s\n", what ? what : "cannot load CUGATE_SLOWER_LIBRARY");
    std::exit(2);
}

/* Copies of the other library's tables, with launches replaced. They live as long as the program. */
struct cugate_library make_library()
{
    const char *path = std::getenv("CUGATE_SLOWER_LIBRARY");
    void *handle = dlopen(path ? path : "libkernels.so", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        give_up(dlerror());
    const auto other = reinterpret_cast<const struct cugate_library *(*)()>(dlsym(handle, "cugate_library"));
    if (!other)
        give_up(dlerror());
    struct cugate_library library = *other();
    auto *families = new std::vector<const cugate_family *>;
    size_t used = 0;
    for (size_t i = 0; i < library.family_count; i++) {
        auto *family = new cugate_family(*library.families[i]);
        auto *variants = new std::vector<cugate_variant>(family->variants, family->variants + family->variant_count);
        for (cugate_variant &variant : *variants) {
            const long long cycles = cycles_of(family->name, variant.name);
            if (cycles == 0 || !variant.launch)
                continue;
            if (used == most)
                give_up("too many kernels are to be slower");
            table[used] = {variant.launch, cycles};
            variant.launch = launcher(used++, std::make_index_sequence<most>());
        }
        family->variants = variants->data();
        families->push_back(family);
    }
    library.families = families->data();
    return library;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const struct cugate_library *cugate_library(void)
{
    static const struct cugate_library library = make_library();
    return &library;
}
