/* version.h - the version of cugate, in one place. The Makefile reads it for the pkg-config file and may override it:
 * -DCUGATE_VERSION='"0.1.0-12-gabcdef"'. */
#pragma once

#ifndef CUGATE_VERSION
#define CUGATE_VERSION "0.1.0"
#endif
