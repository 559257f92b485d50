# The files of cane that cane-lm uses too, compiled here where cane itself is not built. None of them
# needs SIMD or threads.
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
set(CANE_LM_SHARED_SOURCES
  src/base/atomic_file.cc src/base/control_group.cc src/base/mapped_file.cc src/base/memory.cc
  src/data/bad_line.cc src/data/cache_folder.cc src/data/file_stamp.cc src/data/gzip_source.cc
  src/data/raw_file.cc src/data/string_table.cc
  src/model/safetensors_format.cc src/model/safetensors_read.cc src/model/safetensors_write.cc
  cli/interrupt.cc cli/json.cc cli/json_lines.cc cli/nearest.cc cli/options.cc cli/output.cc
  cli/progress_bar.cc cli/text.cc
  cli/compare/axis.cc cli/compare/legend.cc cli/compare/line_chart.cc cli/compare/line_style.cc
  cli/compare/markup.cc)
list(TRANSFORM CANE_LM_SHARED_SOURCES PREPEND ${CANE_ROOT}/)
add_library(cane_lm_shared STATIC ${CANE_LM_SHARED_SOURCES})
target_link_libraries(cane_lm_shared PUBLIC cane_lm_flags
  PRIVATE nlohmann_json::nlohmann_json CLI11::CLI11 ZLIB::ZLIB cane_lm_xxhash)
