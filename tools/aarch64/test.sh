#!/bin/bash
# The tests of the kernels on an emulated ARM CPU: `make test-neon`.
#
#   tools/aarch64/test.sh PYTHON [ARGUMENTS OF PYTEST]
#
# PYTHON is that of a virtual environment with what builds pullfx. Debian's cross compiler makes the
# kernels; Debian's Python for arm64 and PyPI's wheels for it run the tests under QEMU. All of them come
# from where apt-get and pip get packages anyway, and lie in build/aarch64: the system stays as it is.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/build/aarch64
emulated=$PWD/tools/aarch64/python
python=$1
shift

missing=''
command -v aarch64-linux-gnu-g++ >/dev/null || missing="$missing g++-aarch64-linux-gnu"
command -v qemu-aarch64 >/dev/null || missing="$missing qemu-user"
if [ -n "$missing" ]; then
    echo "make test-neon needs a cross compiler and an emulator: apt install$missing (Debian)" >&2
    exit 1
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    echo "make test-neon needs apt-get and dpkg-deb, which Debian has" >&2
    exit 1
fi

pip() { "$python" -m pip --disable-pip-version-check --quiet "$@"; }
quietly() { "$@" >"$build/log" 2>&1 || { cat "$build/log" >&2; exit 1; }; }

# Debian's packages are unpacked, not installed.
if [ ! -e "$build/root.stamp" ]; then
    echo "getting Debian's Python for arm64"
    rm -rf "$build"
    mkdir -p "$build/apt/lists/partial" "$build/apt/archives/partial" "$build/root/proc"
    : >"$build/apt/status"
    apt() {
        apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User= \
            -o Dir::State="$build/apt" -o Dir::State::status="$build/apt/status" \
            -o Dir::Cache="$build/apt" "$@"
    }
    apt update
    quietly apt install -y --no-install-recommends --download-only \
        python3 libpython3-dev libstdc++6
    for package in "$build"/apt/archives/*.deb; do
        dpkg-deb -x "$package" "$build/root"
    done
    [ -e "$build/root/lib" ] || ln -s usr/lib "$build/root/lib"
    # onnxruntime looks at what CPU this is, and fails on one that is none of ARM's.
    for processor in $(seq 0 "$(nproc --all)"); do
        printf 'processor: %d\nCPU implementer: 0x41\nCPU architecture: 8\nCPU part: 0xd0b\n\n' \
            "$processor"
    done >"$build/root/proc/cpuinfo"
    rm -r "$build/apt"
    touch "$build/root.stamp"
fi

# What pullfx and its tests import. OpenCV without windows needs no libraries for them.
if [ ! -e "$build/wheels.stamp" ] || [ pyproject.toml -nt "$build/wheels.stamp" ]; then
    echo "getting wheels for it"
    rm -rf "$build/wheels"
    version=$("$emulated" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    needs=$("$python" -c "
import tomllib
project = tomllib.load(open('pyproject.toml', 'rb'))['project']
tests = (need for need in project['optional-dependencies']['test'] if need[:6] in ('pytest', 'hypoth'))
print(*project['dependencies'], *tests)" | sed 's/opencv-python/&-headless/')
    platforms=$(for minor in $(seq 17 36); do echo "--platform=manylinux_2_${minor}_aarch64"; done)
    pip install --target "$build/wheels" --only-binary=:all: --implementation=cp \
        --python-version="$version" --platform=manylinux2014_aarch64 $platforms $needs
    touch "$build/wheels.stamp"
fi

echo "building pullfx for arm64"
rm -rf "$build/package"
pip install --target "$build/package" --no-deps --no-build-isolation \
    --config-settings=wheel.cmake=false --config-settings=wheel.py-api=py3 .
PATH=$(dirname "$python"):$PATH
generator=$(command -v ninja >/dev/null && echo Ninja || echo 'Unix Makefiles')
quietly cmake -S . -B "$build/cmake" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE=tools/aarch64/toolchain.cmake \
    -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)"
quietly cmake --build "$build/cmake"
quietly cmake --install "$build/cmake" --prefix "$build/package"

for pair in cortex-a53:portable max:neon_dot; do
    chosen=$(QEMU_CPU=${pair%:*} "$emulated" -P -c 'from pullfx import kernels; print(kernels.active_isa())')
    echo "${pair%:*} runs $chosen"
    [ "$chosen" = "${pair#*:}" ] || exit 1
done

# What no argument names: the portable variant is tested where it is fast.
[ $# -gt 0 ] || set -- -q -n auto -k 'not portable and not reference' tests/test_isa.py \
    tests/test_*kernels*.py tests/test_map_colours.py tests/test_network.py \
    tests/test_network_outputs.py tests/test_network_steps.py
PULLFX_ISA=neon_dot exec "$emulated" -P -m pytest "$@"
