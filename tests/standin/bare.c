/* A made program without CUDA; built with shared libraries and, as bare_static, without any. `bare echo` prints what it
 * was given; anything else prints a line and ends with exit code 0. */
#include <stdio.h>
#include <string.h>

int echo(int argc, char **argv);

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "echo") == 0)
        return echo(argc - 2, argv + 2);
    printf("bare: no CUDA in it\n");
    return 0;
}
