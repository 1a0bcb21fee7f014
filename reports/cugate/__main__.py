"""python3 -m cugate --cmake-dir: the folder for `cmake -D cugate_DIR=FOLDER`."""

import sys

from . import Error, cmake_dir


def main() -> int:
    if sys.argv[1:] != ["--cmake-dir"]:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(cmake_dir())
    except Error as error:
        print(f"cugate: error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
