/* conditioning - the kernel that cugate runs before every measured launch. Not a family: it is embedded in the harness
 * (harness/cupti/cupti_condition.c) and works with any kernel library. One kernel, not two, because every launch while
 * counters run costs a millisecond. */

/* First empties the L2 by reading `count` 16-byte words, several times its size. Reading, because a memset would leave
 * dirty lines whose write-back is billed to the kernel measured next. Then keeps every SM computing until `nanoseconds`
 * have passed, so that the clocks have left their resting state. `sink` is never written: the words are all zero and x
 * stays positive, but the compiler cannot know. */
extern "C" __global__ void cugate_condition(const uint4 *words, size_t count, unsigned long long nanoseconds,
                                            unsigned *sink)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    unsigned seen = 0;
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x) {
        const uint4 word = words[i];
        seen |= word.x | word.y | word.z | word.w;
    }
    float x = static_cast<float>(threadIdx.x);
    do {
        for (int i = 0; i < 64; i++)
            x = x * 0.999f + 1.0f;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < nanoseconds);
    if (seen != 0 || x < 0)
        *sink = 1;
}
