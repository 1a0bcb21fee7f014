/* What tests/scripts/swap.sh puts into a capsule that made_capsules.c makes: the order of rows is turned round in
 * their place, so that all are in registers at once. BLOCKS: how many blocks shall fit on a multiprocessor; TURNED: how
 * many rows are turned, where others than all are wrong. */
#ifndef BLOCKS
#define BLOCKS 1
#endif
#ifndef TURNED
#define TURNED rows
#endif

enum { rows = 48, threads = 256 };

extern "C" __global__ void __launch_bounds__(threads, BLOCKS) turn(unsigned *all)
{
    unsigned kept[TURNED];
    for (int row = 0; row < TURNED; row++)
        kept[row] = all[row * threads + threadIdx.x]; /* spilled */
    __syncthreads();
    for (int row = 0; row < TURNED; row++)
        all[(TURNED - 1 - row) * threads + threadIdx.x] = kept[row];
}
