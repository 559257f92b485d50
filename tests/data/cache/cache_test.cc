#include "data/cache/cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "cane/error.h"
#include "core/base/random.h"
#include "data/cache/cache_layout.h"
#include "data/data_support.h"
#include "data/reader/text_file.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::Content;
using testing::content_of;
using testing::TemporaryFolder;

class DataCacheTest : public ::testing::Test {
 protected:
  DataCacheTest() {
    options_.cache_directory = folder_.path("cache");
    options_.threads = 1;
    options_.on_error = OnError::kSkip;
    options_.multi_label = MultiLabel::kEach;
    source_ =
        folder_.write("source.txt", "__label__a __label__b x y y\n__label__ bad\n__label__c z x\n");
  }

  std::string cache_path(const Vocabulary* known = nullptr) const {
    return DataCache::locate(source_, options_, known)->path();
  }

  LoadedData load(const Vocabulary* known = nullptr) const {
    return load_data(source_, options_, known);
  }

  // Whether this content of the cache is used; if so, it must give what was expected.
  bool is_trusted(std::string_view content) {
    folder_.write("cache/" + std::filesystem::path(cache_path()).filename().string(), content);
    ThreadPool pool(1);
    const auto data = DataCache::locate(source_, options_, nullptr)->load(pool);
    if (data) {
      EXPECT_EQ(content_of(*data), expected_);
    }
    return data.has_value();
  }

  TemporaryFolder folder_;
  DataOptions options_;
  std::string source_;
  Content expected_;
};

TEST_F(DataCacheTest, HoldsEverything) {
  const LoadedData first = load();
  EXPECT_FALSE(first.report.from_cache);
  const LoadedData second = load();
  EXPECT_TRUE(second.report.from_cache);
  EXPECT_EQ(content_of(second), content_of(first));
  EXPECT_EQ(second.report.skipped_lines, 1U);
  EXPECT_EQ(second.view.weight(0), 0.5F);
}

TEST_F(DataCacheTest, HoldsDenseRowsAndWhatTheKnownVocabularyDidNotKnow) {
  source_ = folder_.write("source.txt", "a 0:1 1:2\nb 0:3 1:4\n");
  const Vocabulary known = load().vocabulary;
  EXPECT_TRUE(load().view.is_dense());
  EXPECT_TRUE(load().report.from_cache);
  source_ = folder_.write("test.txt", "z 0:1 7:2\nb 0:3\ny 0:1\n");
  const LoadedData first = load(&known);
  const LoadedData second = load(&known);
  EXPECT_FALSE(first.report.from_cache);
  EXPECT_TRUE(second.report.from_cache);
  EXPECT_EQ(content_of(second), content_of(first));
  EXPECT_EQ(second.report.unseen_label_names, (std::vector<std::string>{"z", "y"}));
  EXPECT_EQ(second.report.ignored_features, 1U);
}

TEST_F(DataCacheTest, IsRebuiltWhenTheSourceChangesItsSizeOrTime) {
  load();
  const auto time = std::filesystem::last_write_time(source_);
  folder_.write("source.txt", "__label__a x y\n__label__c z x and more\n");
  std::filesystem::last_write_time(source_, time);
  const LoadedData resized = load();
  EXPECT_FALSE(resized.report.from_cache);
  EXPECT_EQ(resized.vocabulary.words.size(), 5U);
  EXPECT_TRUE(load().report.from_cache);
  std::filesystem::last_write_time(source_, time + std::chrono::nanoseconds(1000));
  EXPECT_FALSE(load().report.from_cache);
  EXPECT_TRUE(load().report.from_cache);
}

TEST_F(DataCacheTest, IsNotSharedBetweenOptionsThatChangeTheResult) {
  const auto changes = std::vector<void (*)(DataOptions&)>{
      [](DataOptions& options) { options.format = Format::kFastText; },
      [](DataOptions& options) { options.normalize = Normalize::kL2; },
      [](DataOptions& options) { options.tokenizer = TokenizerKind::kWords; },
      [](DataOptions& options) { options.weights = FeatureWeights::kBinary; },
      [](DataOptions& options) { options.weights = FeatureWeights::kTfidf; },
      [](DataOptions& options) { options.min_count = 2; },
      [](DataOptions& options) { options.hash_bits = 4; },
      [](DataOptions& options) { options.word_ngrams = 2; },
      [](DataOptions& options) {
        options.char_ngrams = {2, 3};
      },
      [](DataOptions& options) {
        options.char_ngrams = {3, 3};
      },
      [](DataOptions& options) {
        options.word_ngrams = 2;
        options.ngram_bits = 4;
      },
      [](DataOptions& options) { options.multi_label = MultiLabel::kFirst; },
      [](DataOptions& options) { options.require_labels = false; },
  };
  const DataOptions base = options_;
  load();
  for (const auto& change : changes) {
    options_ = base;
    change(options_);
    EXPECT_FALSE(load().report.from_cache);
    EXPECT_TRUE(load().report.from_cache);
  }
  options_ = base;
  EXPECT_TRUE(load().report.from_cache);
  options_.threads = 3;
  EXPECT_TRUE(load().report.from_cache) << "threads do not change the result";
}

TEST_F(DataCacheTest, IsNotSharedBetweenVocabularies) {
  const Vocabulary known = load().vocabulary;
  Vocabulary other = known;
  std::swap(other.words[0], other.words[1]);
  EXPECT_FALSE(load(&known).report.from_cache);
  EXPECT_FALSE(load(&other).report.from_cache);
  EXPECT_EQ(testing::words_of(load(&other), 0), testing::words_of(load(&known), 0));
}

TEST_F(DataCacheTest, IsRebuiltWhereverItIsCutOff) {
  expected_ = content_of(load());
  const std::string intact = TemporaryFolder::read(cache_path());
  EXPECT_TRUE(is_trusted(intact));
  for (std::size_t size = 0; size < intact.size(); size += 8) {
    EXPECT_FALSE(is_trusted(intact.substr(0, size))) << size;
  }
  EXPECT_FALSE(is_trusted(intact.substr(0, intact.size() - 1)));
  EXPECT_FALSE(is_trusted(intact + "x"));
  const LoadedData rebuilt = load();
  EXPECT_FALSE(rebuilt.report.from_cache);
  EXPECT_EQ(content_of(rebuilt), expected_);
  EXPECT_EQ(TemporaryFolder::read(cache_path()), intact);
}

TEST_F(DataCacheTest, IsRebuiltWhicheverByteIsDamaged) {
  expected_ = content_of(load());
  const std::string intact = TemporaryFolder::read(cache_path());
  CacheHeader header;
  std::memcpy(&header, intact.data(), sizeof header);
  const auto is_padding = [&](std::size_t position) {
    if (position < sizeof header) return false;
    for (const SectionEntry& section : header.sections) {
      if (position >= section.offset && position < section.offset + section.bytes) return false;
    }
    return true;
  };
  const CounterRandom random(1, RandomPurpose::kSynthetic);
  for (std::size_t position = 0; position < intact.size(); ++position) {
    std::string damaged = intact;
    const auto bit = static_cast<int>(random.below(8, position, 0));
    damaged[position] = static_cast<char>(damaged[position] ^ (1 << bit));
    EXPECT_EQ(is_trusted(damaged), is_padding(position)) << position;
  }
}

TEST_F(DataCacheTest, WithRightChecksumsIsStillNotTrustedToPointOutside) {
  source_ = folder_.write("source.txt", "a 1:1\nb 9:1\n");
  expected_ = content_of(load());
  const std::string intact = TemporaryFolder::read(cache_path());
  const auto forged = [&](CacheSection section, std::size_t entry_bytes, std::size_t entry) {
    std::string file = intact;
    CacheHeader header;
    std::memcpy(&header, file.data(), sizeof header);
    SectionEntry& changed = header.sections[section];
    file[changed.offset + entry * entry_bytes] = 77;
    ThreadPool pool(1);
    changed.checksum = section_checksum(
        std::as_bytes(std::span(file).subspan(changed.offset, changed.bytes)), pool);
    header.checksum = header.computed_checksum();
    std::memcpy(file.data(), &header, sizeof header);
    return file;
  };
  EXPECT_FALSE(is_trusted(forged(kOffsets, 8, 0)));
  EXPECT_FALSE(is_trusted(forged(kOffsets, 8, 1)));
  EXPECT_FALSE(is_trusted(forged(kOffsets, 8, 2)));
  EXPECT_FALSE(is_trusted(forged(kIndices, 4, 1)));
  EXPECT_FALSE(is_trusted(forged(kClasses, 4, 0)));
  EXPECT_FALSE(is_trusted(forged(kLabelLengths, 4, 0)));
}

TEST_F(DataCacheTest, LeavesNothingBesideItAndIsNoNecessity) {
  load();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(options_.cache_directory)) {
    EXPECT_EQ(entry.path().string(), cache_path());
    ++files;
  }
  EXPECT_EQ(files, 1U);
  options_.cache_directory = folder_.write("a_file", "not a folder") + "/cache";
  EXPECT_EQ(load().view.size(), 3U);
  options_.cache_directory = "/proc/no/such/folder";
  EXPECT_EQ(load().view.size(), 3U);
  EXPECT_THAT(load().report.cache_problem,
              ::testing::HasSubstr("/proc/no: cannot make the folder"));
}

TEST_F(DataCacheTest, IsNotMadeWhereItIsNotWanted) {
  EXPECT_FALSE(DataCache::locate("-", options_, nullptr));
  EXPECT_FALSE(DataCache::locate("/dev/null", options_, nullptr));
  options_.use_cache = false;
  EXPECT_FALSE(DataCache::locate(source_, options_, nullptr));
  EXPECT_THROW(load(), OptionError) << "a place for a cache that is turned off";
  options_.cache_directory.clear();
  load();
  EXPECT_FALSE(std::filesystem::exists(folder_.path("cache")));
}

TEST_F(DataCacheTest, IsReadButNotWrittenIfSoAsked) {
  options_.write_cache = false;
  EXPECT_FALSE(load().report.from_cache);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("cache")));
  options_.write_cache = true;
  load();
  options_.write_cache = false;
  EXPECT_TRUE(load().report.from_cache);
}

TEST_F(DataCacheTest, LiesInTheFirstFolderThatIsSet) {
  const auto value = [](const char* name) {
    const char* const text = ::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  const std::map<std::string, std::string> saved = {{"CANE_CACHE_DIR", value("CANE_CACHE_DIR")},
                                                    {"XDG_CACHE_HOME", value("XDG_CACHE_HOME")},
                                                    {"HOME", value("HOME")}};
  options_.cache_directory.clear();
  ::setenv("CANE_CACHE_DIR", "/one", 1);
  ::setenv("XDG_CACHE_HOME", "/two", 1);
  ::setenv("HOME", "/three", 1);
  EXPECT_TRUE(cache_path().starts_with("/one/source.txt-"));
  ::unsetenv("CANE_CACHE_DIR");
  EXPECT_TRUE(cache_path().starts_with("/two/cane/source.txt-"));
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_TRUE(cache_path().starts_with("/three/.cache/cane/source.txt-"));
  ::unsetenv("HOME");
  EXPECT_FALSE(DataCache::locate(source_, options_, nullptr));
  for (const auto& [name, text] : saved) {
    if (!text.empty()) ::setenv(name.c_str(), text.c_str(), 1);
  }
}

TEST_F(DataCacheTest, IsNotWrittenIfTheSourceChangedMeanwhile) {
  const auto cache = DataCache::locate(source_, options_, nullptr);
  ThreadPool pool(1);
  const LoadedData data = assemble(parse_text_file(source_, options_, nullptr, pool, {}), pool);
  folder_.write("source.txt", "changed");
  cache->store(data, pool);
  EXPECT_FALSE(std::filesystem::exists(cache->path()));
}

// A cache with a number that no writer writes, and every checksum right.
TEST_F(DataCacheTest, IsNotTrustedWithForgedNumbers) {
  source_ = folder_.write("source.txt", "a 0:1 1:2\nb 0:3 1:4\n");
  load();
  expected_ = content_of(load());
  const std::string content = TemporaryFolder::read(cache_path());
  const auto forged = [&](const auto& change) {
    std::string copy = content;
    CacheHeader header;
    std::memcpy(&header, copy.data(), sizeof header);
    change(header, copy);
    ThreadPool pool(1);
    for (SectionEntry& section : header.sections) {
      section.checksum = section_checksum(
          std::as_bytes(std::span(copy)).subspan(section.offset, section.bytes), pool);
    }
    header.checksum = header.computed_checksum();
    std::memcpy(copy.data(), &header, sizeof header);
    return copy;
  };
  EXPECT_TRUE(is_trusted(forged([](CacheHeader&, std::string&) {})));
  EXPECT_FALSE(is_trusted(forged([](CacheHeader& header, auto&) { header.feature_kind = 255; })));
  EXPECT_FALSE(is_trusted(forged([](CacheHeader& header, auto&) { header.normalize = 2; })));
  EXPECT_FALSE(is_trusted(forged([](CacheHeader& header, auto&) { header.dense = 2; })));
  EXPECT_FALSE(
      is_trusted(forged([](CacheHeader& header, auto&) { header.hash_bits = 1ULL << 40; })));
  EXPECT_FALSE(
      is_trusted(forged([](CacheHeader& header, auto&) { header.dimension += 1ULL << 32; })));
  for (const float value : {NAN, INFINITY}) {
    EXPECT_FALSE(is_trusted(forged([&](CacheHeader& header, std::string& copy) {
      std::memcpy(copy.data() + header.sections[kValues].offset, &value, sizeof value);
    })));
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
