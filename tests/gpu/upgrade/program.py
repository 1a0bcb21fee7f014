"""Launches the kernels of a table as a program does whose packages made them: it says that such a package is loaded.

    python3 program.py LAUNCH.so TABLE PACKAGE VERSION

LAUNCH.so is launch.c, built as a shared library. The package itself is not needed, since its kernels are compiled.
"""

import ctypes
import sys
import types


def main():
    library, table, package, version = sys.argv[1:]
    module = types.ModuleType(package)
    module.__version__, module.__file__ = version, f"/site-packages/{package}/__init__.py"
    sys.modules[package] = module
    return ctypes.CDLL(library).launch_table(table.encode())


if __name__ == "__main__":
    sys.exit(main())
