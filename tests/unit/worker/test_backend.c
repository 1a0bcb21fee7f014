#include "plugin_support.h"
#include "test.h"

Test(backend, the_plugin_is_loaded_once)
{
    cr_expect_eq(plugin(), plugin());
}
