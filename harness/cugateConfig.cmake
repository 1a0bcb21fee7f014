# For find_package(cugate): kernel libraries in CMake, and tests that hold them to their baseline.
#
#     project(mine LANGUAGES CUDA)
#     find_package(cugate REQUIRED)
#     enable_testing()
#     cugate_add_library(mine SOURCES mine.cu)
#     cugate_add_test(mine)
#
# Everything is found from where this file is, so the folder that cugate was installed into may be moved.

get_filename_component(_cugate_here "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(_cugate_prefix "${_cugate_here}/../../.." ABSOLUTE)
set(cugate_TEST_SCRIPT "${_cugate_here}/cugateTest.cmake")

# Before project(), where no compiler is named and none is on the PATH, CUDA's is the one that cugate-fetch got.
set(_cugate_nvcc "${_cugate_prefix}/lib/cugate/cuda/nvidia/cu13/bin/nvcc")
find_program(_cugate_other_nvcc nvcc)
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND NOT _cugate_other_nvcc AND EXISTS "${_cugate_nvcc}")
    set(CMAKE_CUDA_COMPILER "${_cugate_nvcc}")
endif()
unset(_cugate_other_nvcc CACHE)
unset(_cugate_nvcc)

if(NOT TARGET cugate::cugate)
    add_executable(cugate::cugate IMPORTED GLOBAL)
    set_target_properties(cugate::cugate PROPERTIES IMPORTED_LOCATION "${_cugate_prefix}/bin/cugate")
    add_library(cugate::kernel INTERFACE IMPORTED GLOBAL)
    set_target_properties(cugate::kernel PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_cugate_prefix}/include")
endif()

# cugate_add_library(NAME SOURCES FILE...): a shared library that `cugate --kernels` takes. It has the lines of its sources
# in it, so that a verdict can name them, and CUDA's runtime beside it, so that the simulator can stand in for that.
# CMAKE_CUDA_ARCHITECTURES says which GPUs it has machine code for, as for any target; the simulator executes 90.
function(cugate_add_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
    if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "cugate_add_library(${name} ${ARGN}): write cugate_add_library(${name} SOURCES FILE...)")
    endif()
    if(NOT CMAKE_CUDA_COMPILER_LOADED)
        message(FATAL_ERROR "cugate_add_library(${name}): CUDA is no language of this project: project(... LANGUAGES CUDA)")
    endif()
    find_package(CUDAToolkit REQUIRED)
    add_library(${name} SHARED ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE cugate::kernel)
    target_compile_features(${name} PRIVATE cuda_std_17)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
    # The runtime is found where the toolkit is that built the library: CMake names no folder that the linker knows by itself.
    set_target_properties(${name} PROPERTIES CUDA_RUNTIME_LIBRARY Shared BUILD_RPATH "${CUDAToolkit_LIBRARY_DIR}")
endfunction()

# cugate_add_test(LIBRARY [NAME TEST] [ARGS OPTION...]): a test that runs `cugate check` on it, with those options, where this
# CMakeLists.txt is: `cugate.ini` and relative paths are those there. It measures; on a machine without a GPU it computes
# what can be known there. It passes when something was judged and nothing is worse, and in no other case: no baseline, a
# verdict in doubt and a GPU that does not answer fail it, since ctest takes a test that was skipped for a good one.
function(cugate_add_test library)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME" "ARGS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "cugate_add_test(${library} ${ARGN}): what is ${arg_UNPARSED_ARGUMENTS}? Options of `cugate check` "
                            "stand behind ARGS")
    elseif(NOT TARGET ${library})
        message(FATAL_ERROR "cugate_add_test(${library}): there is no target ${library}; cugate_add_library comes first")
    elseif(DEFINED BUILD_TESTING AND NOT BUILD_TESTING)
        return()
    elseif(NOT CMAKE_TESTING_ENABLED)
        message(FATAL_ERROR "cugate_add_test(${library}): ctest would not run it: enable_testing() comes first")
    endif()
    if(NOT arg_NAME)
        set(arg_NAME "cugate.${library}")
    endif()
    add_test(NAME ${arg_NAME} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
        COMMAND "${CMAKE_COMMAND}" "-DBUILD=${CMAKE_BINARY_DIR}" "-DTARGET=${library}" "-DCONFIG=$<CONFIG>"
            -P "${cugate_TEST_SCRIPT}" -- $<TARGET_FILE:cugate::cugate>
            --kernels $<TARGET_FILE:${library}> ${arg_ARGS})
    set_tests_properties(${arg_NAME} PROPERTIES RUN_SERIAL TRUE) # times are those of a GPU that has nothing else to do
endfunction()

unset(_cugate_here)
unset(_cugate_prefix)
