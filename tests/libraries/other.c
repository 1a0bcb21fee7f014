/* A shared object like any other: no kernel library. */
int not_a_kernel_library(void);

int not_a_kernel_library(void)
{
    return 0;
}
