/* A task whose captured inputs show little of what it computes: the bias and labels are 0, the mask all ones, indices and
 * offsets in order, a weight is 0, and the rows fill the blocks. And candidates that rely on that. */
#define KERNEL(name)                                                                                                       \
    extern "C" __global__ void __launch_bounds__(256)                                                                      \
        name(float *out, const float *x, const float *bias, const unsigned char *mask, const unsigned *index,              \
             const unsigned *offsets, const float *weights, const unsigned *label, unsigned n, unsigned apart)

enum { rows = 512 };

__device__ float sum(const float *x, const unsigned *index, unsigned from, unsigned to)
{
    float sum = 0;
    for (unsigned k = from; k < to; k++)
        sum += x[index[k]];
    return sum;
}

#define PLACE                                                                                                              \
    const unsigned i = blockIdx.x * 256 + threadIdx.x;                                                                     \
    if (i >= n)                                                                                                            \
    return
#define ROW sum(x, index, offsets[i], offsets[i + 1])

KERNEL(inputs)
{
    PLACE;
    out[i * apart] = mask[i] ? ROW + bias[i] + weights[1] * x[rows + i] + x[label[i]] : 0;
}
KERNEL(no_bias)
{
    PLACE;
    out[i * apart] = mask[i] ? ROW + weights[1] * x[rows + i] + x[label[i]] : 0;
}
KERNEL(no_mask)
{
    PLACE;
    out[i * apart] = ROW + bias[i] + weights[1] * x[rows + i] + x[label[i]];
}
KERNEL(in_order)
{
    PLACE;
    float sum = 0;
    for (unsigned k = offsets[i]; k < offsets[i + 1]; k++)
        sum += x[k];
    out[i * apart] = mask[i] ? sum + bias[i] + weights[1] * x[rows + i] + x[label[i]] : 0;
}
KERNEL(of_four)
{
    PLACE;
    out[i * apart] = mask[i] ? sum(x, index, 4 * i, 4 * i + 4) + bias[i] + weights[1] * x[rows + i] + x[label[i]] : 0;
}
KERNEL(no_weight)
{
    PLACE;
    out[i * apart] = mask[i] ? ROW + bias[i] + x[label[i]] : 0;
}
KERNEL(no_label)
{
    PLACE;
    out[i * apart] = mask[i] ? ROW + bias[i] + weights[1] * x[rows + i] + x[0] : 0;
}
KERNEL(all_rows)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    out[i * apart] = mask[i] ? ROW + bias[i] + weights[1] * x[rows + i] + x[label[i]] : 0;
}
KERNEL(by_branch) /* does the work */
{
    PLACE;
    if (!mask[i]) {
        out[i * apart] = 0;
        return;
    }
    out[i * apart] = ROW + bias[i] + (weights[1] * x[rows + i] + x[label[i]]);
}
