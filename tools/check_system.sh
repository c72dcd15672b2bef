#!/bin/sh
# What the machine itself must bring: Python with its headers, a C++ compiler, two libraries of OpenCV.
#
#   tools/check_system.sh            one line that names what is missing and how to get it; exit 1 then
#   tools/check_system.sh --debian   the Debian packages that are missing, and nothing else
#   tools/check_system.sh --python   the Python to use
#
# PYTHON and CXX choose others than the ones found on PATH.

find_python() {
    for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

missing='' debian='' fedora='' macos=''
miss() { # what, package of Debian, package of Fedora, words for macOS
    missing="$missing, $1" debian="$debian $2" fedora="$fedora $3" macos="$macos; $4"
}

python=$(find_python)
if [ -z "$python" ]; then
    # Without it the libraries cannot be looked for; they come along.
    miss 'Python 3.11 or newer' 'python3 python3-venv python3-dev libgl1 libglib2.0-0' \
        'python3 python3-devel libglvnd-glx glib2' 'brew install python'
else
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        miss "Python's venv module" python3-venv python3 'brew install python'
    "$python" -c 'import os, sysconfig
os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2>/dev/null ||
        miss "Python's headers" python3-dev python3-devel 'brew install python'
    if [ "$(uname)" = Linux ]; then
        has_library() { "$python" -c "import ctypes; ctypes.CDLL('$1')" 2>/dev/null; }
        has_library libGL.so.1 || miss libGL libgl1 libglvnd-glx -
        has_library libgthread-2.0.so.0 || miss GLib libglib2.0-0 glib2 -
        if [ -n "${DISPLAY:-}" ]; then # the preview window
            has_library libSM.so.6 || miss libSM libsm6 libSM -
            has_library libXext.so.6 || miss libXext libxext6 libXext -
        fi
    fi
fi
for compiler in ${CXX:-c++ g++ clang++} none; do
    command -v "$compiler" >/dev/null && break
done
[ "$compiler" != none ] || miss 'a C++ compiler' g++ gcc-c++ 'xcode-select --install'

case "${1:-}" in
--debian) echo "${debian# }" ;;
--python) echo "$python" ;;
*)
    [ -z "$missing" ] && exit 0
    case "$(uname)" in
    Darwin) remedy=${macos#; } ;;
    *) remedy="apt install$debian (Debian, Ubuntu) or dnf install$fedora (Fedora)" ;;
    esac
    echo "pullfx needs ${missing#, }: $remedy" >&2
    exit 1
    ;;
esac
