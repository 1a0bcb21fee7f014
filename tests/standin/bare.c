/* A made program without CUDA; built with shared libraries and, as bare_static, without any. */
#include <stdio.h>

int main(void)
{
    printf("bare: no CUDA in it\n");
    return 0;
}
