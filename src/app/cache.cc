#include "app/verb.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/json_lines.h"
#include "app/options.h"
#include "cane/error.h"
#include "core/base/memory.h"
#include "core/base/words.h"
#include "core/file/cache_folder.h"
#include "core/file/cache_source.h"

namespace cane::cli {
namespace {

constexpr const char* kClosing =
    "Data that was read is kept there, so that the next run starts at once. list prints the files, "
    "the last\nused first; size their number and bytes; clean removes all of them or, with "
    "--limit, the least\nrecently used until the others fit. After every file that is added, the "
    "oldest go until the folder\nfits CANE_CACHE_LIMIT (500M, 20G; 10G if it is not set). Nothing "
    "but caches is ever removed.\n\n"
    "Examples:\n"
    "  {0} cache\n"
    "  {0} cache clean --limit 2G";

struct CacheOptions {
  std::string action = "list";
  std::string folder;
  std::string limit;
  bool json = false;
};

std::uint64_t bytes_of(const std::vector<CachedFile>& files) {
  std::uint64_t bytes = 0;
  for (const CachedFile& file : files) bytes += file.bytes;
  return bytes;
}

std::string name_of_file(const CachedFile& file) {
  return std::filesystem::path(file.path).filename().string();
}

std::string files_text(std::size_t count) {
  return fmt::format("{} {}", count_text(count), count == 1 ? "file" : "files");
}

void print_list(const std::vector<CachedFile>& files) {
  for (const CachedFile& file : files) {
    const std::chrono::nanoseconds used(file.used);
    const std::chrono::sys_time<std::chrono::seconds> time(
        std::chrono::duration_cast<std::chrono::seconds>(used));
    fmt::print("{:>10}  {:%Y-%m-%d %H:%M} UTC  {}\n", bytes_as_text(file.bytes), time,
               name_of_file(file));
  }
}

std::string as_json(const std::string& folder, const std::vector<CachedFile>& files,
                    std::uint64_t limit, const std::vector<CachedFile>& removed) {
  Json json = Json::object();
  json["folder"] = folder;
  json["bytes"] = bytes_of(files);
  json["limit"] = limit;
  Json entries = Json::array();
  for (const CachedFile& file : files) {
    Json& entry = entries.emplace_back(Json::object());
    entry["name"] = name_of_file(file);
    entry["bytes"] = file.bytes;
    entry["used"] = static_cast<double>(file.used) / 1e9;
  }
  json["files"] = entries;
  json["removed"] = removed.size();
  json["removed_bytes"] = bytes_of(removed);
  return json_text(json);
}

void check(const CacheOptions& options, const std::string& folder) {
  if (options.action != "list" && options.action != "size" && options.action != "clean") {
    throw Error(fmt::format("'{}' cannot be done; it is list, size or clean", options.action));
  }
  if (!options.limit.empty() && options.action != "clean") {
    throw Error("--limit is for clean; set CANE_CACHE_LIMIT for all runs");
  }
  if (folder.empty()) {
    throw Error("there is no folder for caches; set CANE_CACHE_DIR, or give --cache");
  }
}

}  // namespace

int run_cache(const Verb& verb, const Arguments& arguments) {
  CacheOptions cache;
  std::uint64_t limit = 0;
  Options options(verb, fmt::format(kClosing, verb.program));
  options.optional_positional("ACTION", cache.action, "list, size or clean");
  options.add("cache", "DIR", cache.folder, "this folder (CANE_CACHE_DIR, ~/.cache/cane)");
  options.add("limit", "BYTES",
              {[&](const std::string& typed) {
                 limit = parse_bytes("--limit", typed);
                 cache.limit = typed;
               },
               [&] { return cache.limit; }},
              "clean: how much may stay, such as 500M or 20G; nothing if not given");
  options.flag("json", cache.json, "print one JSON object");
  if (!options.parse(arguments)) return kExitDone;
  const std::string folder = cache_folder(cache.folder);
  check(cache, folder);

  const std::vector<CachedFile> removed =
      cache.action == "clean" ? trim_caches(folder, limit) : std::vector<CachedFile>();
  const std::vector<CachedFile> files = caches_in(folder);
  if (cache.json) {
    fmt::print("{}\n", as_json(folder, files, cache_limit(), removed));
    return kExitDone;
  }
  if (cache.action == "list") print_list(files);
  if (cache.action == "clean") {
    fmt::print("removed {}, {}\n", files_text(removed.size()), bytes_as_text(bytes_of(removed)));
  }
  fmt::print("{}, {} in {}; at most {} are kept\n", files_text(files.size()),
             bytes_as_text(bytes_of(files)), folder, bytes_as_text(cache_limit()));
  return kExitDone;
}

}  // namespace cane::cli
