#include "cudart/runtime.h"

#include <criterion/criterion.h>

Test(cudart_not_simulated, such_a_function_fails_and_is_named)
{
    cudaIpcMemHandle_t handle;
    cr_expect_eq(cudaIpcGetMemHandle(&handle, NULL), cudaErrorNotSupported);
    cr_expect_str_eq(runtime_reason(), "not simulated: cudaIpcGetMemHandle");
}
