# The test that cugate_add_test adds: cmake -DBUILD=DIR -DTARGET=LIBRARY -DCONFIG=NAME -P cugateTest.cmake -- CUGATE OPTION...
# It builds the library; where that fails, the check says what is stale. Then comes `cugate check`, or where there is no GPU
# `cugate check --simulate`. Only exit code 0 passes.

set(words)
set(begun FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
    if(begun)
        list(APPEND words "${CMAKE_ARGV${i}}")
    elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
        set(begun TRUE)
    endif()
endforeach()
list(POP_FRONT words cugate)

set(build --build "${BUILD}" --target "${TARGET}")
if(CONFIG)
    list(APPEND build --config "${CONFIG}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" ${build} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE code)
if(NOT code EQUAL 0)
    message("not built: ${said}")
endif()

# A check that needs none is told of no GPU; and one that does not answer is no absent one: the check says what is wrong.
set(how)
execute_process(COMMAND "${cugate}" check --dry-run ${words} OUTPUT_VARIABLE plan ERROR_QUIET)
if(plan MATCHES "\"no_gpu\": \"")
    set(how --simulate)
    message("no GPU here: what can be computed is judged, and nothing is measured")
endif()
execute_process(COMMAND "${cugate}" check ${how} ${words} RESULT_VARIABLE code)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "cugate check ended with ${code}; `cugate check --help` explains the code")
endif()
