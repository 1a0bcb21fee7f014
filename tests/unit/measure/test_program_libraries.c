#include "measure/program_parts.h"
#include "test.h"

Test(program_libraries, those_of_all_processes_are_one_sorted_text)
{
    struct session session = {0};
    char first[] = "libtorch.so 1a\nlibc10.so 2b\n", second[] = "libc10.so 2b\nlibnccl.so.2 3c\n",
         bad[] = "nameless\nwithout \n a\n";
    program_libraries_take(&session, first);
    program_libraries_take(&session, second);
    program_libraries_take(&session, bad);
    cr_expect_str_eq(session.facts[SESSION_LIBRARIES], "libc10.so 2b; libnccl.so.2 3c; libtorch.so 1a");
    free(session.facts[SESSION_LIBRARIES]);
}
