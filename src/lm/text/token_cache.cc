#include "lm/text/token_cache.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>

#include "cane/error.h"
#include "core/file/atomic_file.h"
#include "core/file/cache_folder.h"
#include "core/file/cache_source.h"
#include "core/file/mapped_file.h"
#include "core/file/safetensors.h"
#include "lm/text/vocabulary_tensors.h"

namespace cane::lm {
namespace {

constexpr const char* kTokenFormat = "cane-lm tokens 1";

std::map<std::string, std::string> identity(const FileStamp& stamp, const std::string& how) {
  return {{"format", kTokenFormat}, {"how", how}, {"source", stamp_text(stamp)}};
}

}  // namespace

std::optional<TokenCache> TokenCache::locate(const std::string& source, const std::string& how,
                                             const std::string& folder) {
  const std::optional<FileStamp> stamp = source == "-" ? std::nullopt : stamp_of(source);
  const std::string place = cache_folder(folder);
  std::error_code problem;
  const auto absolute = std::filesystem::absolute(source, problem).lexically_normal();
  if (!stamp || place.empty() || problem) return std::nullopt;
  TokenCache cache;
  cache.source_ = source;
  cache.stamp_ = *stamp;
  cache.how_ = fmt::format("{} {}", how, absolute.string());
  cache.path_ =
      fmt::format("{}/{}-{:016x}{}", place, absolute.filename().string(),
                  static_cast<std::uint64_t>(XXH3_64bits(cache.how_.data(), cache.how_.size())),
                  kTokenCacheEnding);
  return cache;
}

std::optional<CachedTokens> TokenCache::load() const {
  try {
    const SafetensorsFile file(std::make_shared<const MappedFile>(path_, MappedFile::Trust::kOwn));
    if (file.metadata() != identity(stamp_, how_)) return std::nullopt;
    const auto tokens = file.values<std::uint32_t>("tokens");
    if (tokens.empty()) return std::nullopt;
    CachedTokens cached;
    cached.tokens.assign(tokens.begin(), tokens.end());
    cached.largest = *std::ranges::max_element(tokens);
    if (has_vocabulary(file)) cached.vocabulary = load_vocabulary(file);
    if (cached.vocabulary && cached.largest >= cached.vocabulary->size()) return std::nullopt;
    mark_used(path_);
    return cached;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string TokenCache::store(const WordVocabulary* vocabulary,
                              std::span<const WordId> tokens) const {
  try {
    const std::uint64_t limit = cache_limit();
    const std::string folder = std::filesystem::path(path_).parent_path().string();
    make_cache_folder(folder);
    VocabularyTensors words;
    std::vector<TensorToWrite> tensors;
    if (vocabulary != nullptr) {
      words = VocabularyTensors(*vocabulary);
      tensors = words.to_write();
    }
    tensors.push_back(tensor_to_write("tokens", tokens));
    if (stamp_of(source_) != stamp_) return "the file has changed meanwhile";
    AtomicFile file(path_, mode_of_cache(source_));
    write_safetensors(file, tensors, identity(stamp_, how_));
    trim_caches(folder, limit, path_);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace cane::lm
