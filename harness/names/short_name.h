/* short_name.h - shortens the demangled name of a kernel. Of
 *
 *   void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(...)
 *
 * it makes vectorized_elementwise_kernel<4,CUDAFunctor_add<float>~5f6a. Return type, parameters and namespaces are left
 * out. A function or template instance that contains the kernel stays, joined by a '.', as for lambdas:
 * direct_copy_kernel_cuda.lambda3.lambda7.lambda1. As many template arguments stay as fit into SHORT_NAME_LENGTH. A
 * name that was cut ends with ~ and four digits, a hash of the whole name. A short name has only letters, digits and _
 * < > , . - ~. */
#pragma once

#include <stddef.h>

#define SHORT_NAME_LENGTH 64      /* characters up to which template arguments are kept, including digits */
#define SHORT_NAME_LENGTH_MAX 128 /* longest name without any template argument, such as cuBLAS's */

/* Returns the short name of a demangled name, which is always the same. Spaces, the file of an anonymous namespace, and
 * version and architecture in CUB's namespaces do not influence its digits. Caller frees. */
char *kernel_short_name(const char *demangled);

/* Puts the short names of count kernels into names[]; the caller frees each. Different kernels with the same short name
 * get as many digits as tell them apart. Equal kernels get equal names. */
void kernel_unique_names(const char *const *demangled, size_t count, char **names);

/* Returns the name of a program, a library or a file as ids have it. Folders are left out, and so is ".so" with what
 * follows, or else the last extension. '_' replaces each character that no id has. Caller frees. */
char *file_short_name(const char *path);
