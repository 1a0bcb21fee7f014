/* modules.h - machine code that the program loads: images are kept by their hash, and told. */
#pragma once

#include "cupti/cupti.h"
#include "worker/worker.h"

/* Takes an image of machine code: keeps it as a file named by its hash in the folder, whose name stays, and tells the
 * parent. */
void modules_take(const char *folder, const void *image, size_t size);
/* modules_expect() is called before a module is loaded. modules_name() then says that this handle belongs to the image
 * which this thread took last. */
void modules_expect(void);
bool modules_has_one(void); /* an image was loaded since then, and is not named */
void modules_name(CUmodule handle);
/* Sets name to that of the module of a function that is launched, which may be a CUfunction or a CUkernel, by its
 * handle and its name in machine code. It is empty where the module is not known. */
void modules_of_function(CUfunction function, const char *function_name, char name[MODULE_NAME]);
/* Returns the driver's handle of the module that has the function, a CUfunction or a CUkernel; NULL: it is not known.
 */
CUmodule module_of_function(CUfunction function);
CUmodule module_of_library(CUlibrary library);
bool modules_are_asked(void);         /* this thread is in one of these two, which may load a module */
void modules_forget(CUmodule handle); /* the driver may give the handle to another module */
