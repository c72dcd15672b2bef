# Builds for 64-bit ARM with Debian's cross compiler and the Python that tools/aarch64/test.sh unpacked.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

get_filename_component(_usr ${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64/root/usr ABSOLUTE)
file(GLOB Python_INCLUDE_DIR ${_usr}/include/python3.*)
set(Python_EXECUTABLE ${CMAKE_CURRENT_LIST_DIR}/python)
# Python.h finds a part of itself beside the system's headers, which are those of the compiler.
set(CMAKE_CXX_FLAGS_INIT "-idirafter ${_usr}/include")
