#include "sim/runtime.h"

#include <criterion/criterion.h>

Test(cudart_not_simulated, such_a_function_fails_and_is_named)
{
    cudaGraph_t graph;
    cr_expect_eq(cudaGraphCreate(&graph, 0), cudaErrorNotSupported);
    cr_expect_str_eq(runtime_reason(), "not simulated: cudaGraphCreate");
}
