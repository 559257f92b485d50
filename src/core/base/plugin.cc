#include "core/base/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>

namespace cane {
namespace {

namespace fs = std::filesystem;

// The folder of the library or program that has this code. The system knows a program only by the
// word that it was started with, which need not be a path.
fs::path own_folder() {
  Dl_info found = {};
  std::error_code error;
  fs::path file;
  if (::dladdr(reinterpret_cast<const void*>(&own_folder), &found) != 0 &&
      found.dli_fname != nullptr && std::strchr(found.dli_fname, '/') != nullptr) {
    file = fs::canonical(found.dli_fname, error);
  }
  if (file.empty() || error) file = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : file.parent_path();
}

}  // namespace

std::vector<fs::path> plugin_folders() {
  std::vector<fs::path> folders;
  if (const char* const named = std::getenv(kPluginPathVariable)) {
    std::istringstream parts(named);
    for (std::string part; std::getline(parts, part, ':');) {
      if (!part.empty()) folders.emplace_back(part);
    }
  }
  if (!folders.empty()) return folders;
  const fs::path own = own_folder();
  if (own.empty()) return folders;
  folders.push_back(own);
  folders.push_back(own / "cane");
  const fs::path installed = (own / ".." / CANE_PLUGIN_FOLDER).lexically_normal();
  if (installed != folders.back()) folders.push_back(installed);
  return folders;
}

std::string plugin_file(std::string_view name) {
  return fmt::format("libcane_{}.so", name);
}

fs::path find_plugin(std::string_view name) {
  for (const fs::path& folder : plugin_folders()) {
    std::error_code error;
    const fs::path file = folder / plugin_file(name);
    if (fs::is_regular_file(file, error)) return file;
  }
  return {};
}

LoadedPlugin load_plugin(std::string_view name, const char* entry, std::uint32_t version,
                         PluginSymbols symbols) {
  LoadedPlugin plugin;
  plugin.path = find_plugin(name);
  if (plugin.path.empty()) return plugin;
  const int scope = symbols == PluginSymbols::kForAll ? RTLD_GLOBAL : RTLD_LOCAL;
  void* const library = ::dlopen(plugin.path.c_str(), RTLD_NOW | scope);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    plugin.problem = PluginProblem::kUnloadable;
    plugin.detail = why != nullptr ? why : "";
    return plugin;
  }
  using Entry = const void* (*)();
  const auto call = reinterpret_cast<Entry>(::dlsym(library, entry));
  const void* const table = call != nullptr ? call() : nullptr;
  if (table == nullptr) {
    plugin.problem = PluginProblem::kNoPlugin;
    return plugin;
  }
  std::memcpy(&plugin.version, table, sizeof plugin.version);
  plugin.problem = plugin.version == version ? PluginProblem::kNone : PluginProblem::kWrongVersion;
  if (plugin.problem == PluginProblem::kNone) plugin.table = table;
  return plugin;
}

std::string problem_text(const LoadedPlugin& plugin, std::string_view name, std::uint32_t version,
                         std::string_view package) {
  const std::string path = plugin.path.string();
  switch (plugin.problem) {
    case PluginProblem::kNone:
      break;
    case PluginProblem::kMissing: {
      std::vector<std::string> folders;
      for (const fs::path& folder : plugin_folders()) folders.push_back(folder.string());
      return fmt::format(
          "the plug-in {} is not installed; build it with `{}` and install it, or name its folder "
          "in {} (looked for in {})",
          plugin_file(name), package, kPluginPathVariable, fmt::join(folders, ", "));
    }
    case PluginProblem::kUnloadable:
      return fmt::format("the plug-in {} cannot be loaded: {}; install the libraries that it needs",
                         path, plugin.detail);
    case PluginProblem::kNoPlugin:
      return fmt::format("{} is no plug-in of cane; remove it, or install the right one with `{}`",
                         path, package);
    case PluginProblem::kWrongVersion:
      return fmt::format(
          "the plug-in {} has interface {}, and this cane needs {}; install both from the same "
          "release",
          path, plugin.version, version);
  }
  return "";
}

}  // namespace cane
