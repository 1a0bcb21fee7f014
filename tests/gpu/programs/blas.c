/* Multiplies matrices by cuBLAS, as a plain C program does: gcc blas.c -lcublas -lcudart. For tests/gpu/exec.sh. */
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <stdio.h>

enum { SIDE = 1024, PRODUCTS = 60 };

int main(void)
{
    cublasHandle_t handle;
    float *a, *b, *c, one = 1, zero = 0, first = -1;
    const size_t bytes = sizeof(float) * SIDE * SIDE;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS || cudaMalloc((void **)&a, bytes) != cudaSuccess ||
        cudaMalloc((void **)&b, bytes) != cudaSuccess || cudaMalloc((void **)&c, bytes) != cudaSuccess ||
        cudaMemset(a, 0, bytes) != cudaSuccess || cudaMemset(b, 0, bytes) != cudaSuccess)
        return 1;
    for (int i = 0; i < PRODUCTS; i++)
        if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, SIDE, SIDE, SIDE, &one, a, SIDE, b, SIDE, &zero, c, SIDE) !=
            CUBLAS_STATUS_SUCCESS)
            return 1;
    if (cudaMemcpy(&first, c, sizeof first, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    printf("%d products, the first number is %g\n", PRODUCTS, (double)first);
    return 0;
}
