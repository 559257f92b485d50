# Writes the commit of the sources into a header, and touches it only when the commit is another one, so
# that a commit compiles one file. Run as a script at every build:
# cmake -DSOURCES=FOLDER -DHEADER=FILE -P cmake/commit.cmake
# Sources that are not a checkout of their own, as those of a release, have the commit "unknown".
set(commit unknown)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} rev-parse --show-toplevel WORKING_DIRECTORY ${SOURCES}
    OUTPUT_VARIABLE checkout ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REAL_PATH ${SOURCES} sources)
  if(checkout STREQUAL sources)
    execute_process(COMMAND ${GIT} describe --always --dirty --abbrev=12 --exclude=*
      WORKING_DIRECTORY ${SOURCES} RESULT_VARIABLE failed OUTPUT_VARIABLE described ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed)
      set(commit ${described})
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define CANE_COMMIT \"${commit}\"\n")
