/* kernel_find.h - finds a kernel of a file of machine code by a name that somebody typed. */
#pragma once

/* Finds the kernel that is meant by a name: of the machine code, or of the source, with its template arguments and
 * namespaces or without them. *name and *read are told its name in the machine code and in the source; the caller frees
 * them, which are NULL after an error. -1 after error(), which says what there is. */
int kernel_find(const char *path, const char *meant, char **name, char **read);
