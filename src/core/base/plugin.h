// Plug-in libraries: parts of cane that need what most machines lack (the driver of a GPU, an MPI),
// and are therefore loaded only when they are asked for. The plug-in NAME is a file libcane_NAME.so
// with one C function, whose result is a table of functions that begins with the version of its
// interface; what else is in the table is between the plug-in and its caller.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cane {

/// The folders that the user names, with ':' between them; if there are any, no others are
/// searched.
inline constexpr const char* kPluginPathVariable = "CANE_PLUGIN_PATH";

/// Where plug-ins are looked for, in this order: in the folders of CANE_PLUGIN_PATH; without it in
/// the folder of the library or program that this function is a part of, in `cane` there, and in
/// the folder in which plug-ins are installed under the same prefix, lib/cane.
std::vector<std::filesystem::path> plugin_folders();

/// "libcane_cuda.so" for "cuda".
std::string plugin_file(std::string_view name);

/// The first file of this plug-in in the folders; empty if there is none.
std::filesystem::path find_plugin(std::string_view name);

enum class PluginProblem { kNone, kMissing, kUnloadable, kNoPlugin, kWrongVersion };

struct LoadedPlugin {
  PluginProblem problem = PluginProblem::kMissing;
  std::filesystem::path path;   // empty if it is missing
  std::string detail;           // what the system says if it cannot be loaded
  std::uint32_t version = 0;    // of its interface, if it has one
  const void* table = nullptr;  // null unless there is no problem
};

/// Who sees the symbols of a plug-in and of the libraries that it needs: only the plug-in, or also
/// everything that the process loads later.
enum class PluginSymbols { kOwn, kForAll };

/// Finds and loads a plug-in and calls its function `entry`, a `const void* entry()` in C. The
/// library stays loaded until the process ends: drivers keep threads that would run into nothing.
LoadedPlugin load_plugin(std::string_view name, const char* entry, std::uint32_t version,
                         PluginSymbols symbols = PluginSymbols::kOwn);

/// What is wrong and what to do, for a plug-in that was not loaded: the end of a sentence that
/// begins with the option which asked for it. `package`: how it is built, for example "make gpu".
std::string problem_text(const LoadedPlugin& plugin, std::string_view name, std::uint32_t version,
                         std::string_view package);

}  // namespace cane
