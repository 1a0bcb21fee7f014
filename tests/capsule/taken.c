/* For LD_PRELOAD: takes the address TAKEN in all processes but those that began again so often: the first, or as many
 * as TAKEN_TIMES says. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

__attribute__((constructor)) static void take(void)
{
    const char *address = getenv("TAKEN"), *times = getenv("TAKEN_TIMES"), *before = getenv("CUGATE_FRESH_PROCESSES");
    if (address && (before ? atoi(before) : 0) < (times ? atoi(times) : 1))
        mmap((void *)(uintptr_t)strtoull(address, NULL, 16), 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0);
}
