#include "data/reader/record_sample.h"

#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/bad_line.h"
#include "core/file/cache_source.h"
#include "core/file/text_source.h"
#include "data/reader/formats.h"
#include "data/reader/text_members.h"
#include "data/text/block_reader.h"
#include "data/text/csv_record.h"
#include "data/text/number.h"

namespace cane {
namespace {

// With fewer classes, features that tell similar classes apart have nothing to show.
constexpr std::size_t kFewestClasses = 64;
constexpr std::uint64_t kIndexBytes = std::uint64_t{8} << 20;

struct Record {
  std::uint64_t label = 0;  // its hash
  std::uint64_t place = 0;  // the hash of the record's number
  std::size_t begin = 0;    // in the text
  std::size_t length = 0;
  std::size_t features = 0;
};

class Sampler {
 public:
  explicit Sampler(const SampleLimits& limits) : limits_(limits) {}

  /// `record`: what finish() gives back of it, a line.
  void add(std::string_view record, std::string_view label_name, std::size_t features) {
    const std::uint64_t number = all_examples_++;
    const std::uint64_t label = XXH3_64bits(label_name.data(), label_name.size());
    all_classes_.insert(label);
    const std::uint64_t place = XXH3_64bits(&number, sizeof number);
    if (label > most_label_ || place > most_place_) return;
    records_.push_back({label, place, text_.size(), record.size(), features});
    text_.append(record).push_back('\n');
    features_ += features;
    classes_.insert(label);
    while (records_.size() > 1 && is_too_much()) halve();
  }

  /// For a record without a label, which is in no sample.
  void pass_over() { ++all_examples_; }

  SampleCounts counts(double share_read) const {
    return {.examples = records_.size(),
            .classes = classes_.size(),
            .share_of_examples = share_read * static_cast<double>(records_.size()) /
                                 static_cast<double>(std::max<std::uint64_t>(all_examples_, 1)),
            .all_classes = all_classes_.size()};
  }
  std::string take_text() && { return std::move(text_); }

 private:
  bool is_too_much() const {
    if (limits_.examples > 0) return records_.size() > limits_.examples;
    const double work = static_cast<double>(features_) * static_cast<double>(classes_.size());
    return work > limits_.work;
  }

  void halve() {
    const bool parts_classes = limits_.examples > 0 || classes_.size() < 2 * kFewestClasses;
    (parts_classes ? most_place_ : most_label_) /= 2;
    const auto is_out = [&](const Record& record) {
      return record.label > most_label_ || record.place > most_place_;
    };
    std::string text;
    std::vector<Record> kept;
    classes_.clear();
    features_ = 0;
    for (Record& record : records_) {
      if (is_out(record)) continue;
      const std::size_t begin = text.size();
      text.append(text_, record.begin, record.length + 1);
      record.begin = begin;
      features_ += record.features;
      classes_.insert(record.label);
      kept.push_back(record);
    }
    text_ = std::move(text);
    records_ = std::move(kept);
  }

  SampleLimits limits_;
  std::uint64_t most_label_ = ~std::uint64_t{0};
  std::uint64_t most_place_ = ~std::uint64_t{0};
  std::string text_;
  std::vector<Record> records_;
  std::unordered_set<std::uint64_t> classes_;
  std::unordered_set<std::uint64_t> all_classes_;
  std::uint64_t features_ = 0;
  std::uint64_t all_examples_ = 0;
};

void add_block(std::string_view rest, const FormatChoice& choice, Example& example,
               Sampler& sampler) {
  while (!rest.empty()) {
    const std::string_view record = take_record(rest, choice.header.separator);
    if (is_blank_line(record)) continue;
    example.clear();
    try {
      choice.format->parse(record, choice.header, example);
    } catch (const BadLine&) {
      continue;
    }
    if (example.is_blank) continue;
    if (example.labels.empty()) {
      sampler.pass_over();
      continue;
    }
    sampler.add(record, example.labels.front(),
                example.indices.size() + example.words.size() + example.columns.size() + 1);
  }
}

}  // namespace

RecordSample sample_records(const std::string& path, const DataOptions& options,
                            const SampleLimits& limits) {
  RecordSample sample;
  sample.name = source_name(path);
  const TextMembers members = members_of(path);
  BlockReader reader(open_members(members), BlockLimits{});
  FormatChoice choice = choose_format(
      sample.name, {.wanted = wanted_format(members, options), .options = options}, reader);
  const std::vector<TextBlock> beginning = std::move(choice.blocks);
  Sampler sampler(limits);
  Example example;
  // Numbers need not be cut into features: a few tell as much.
  const std::uint64_t most =
      choice.has_words ? limits.read_bytes : std::min(limits.read_bytes, kIndexBytes);
  std::uint64_t bytes = 0;
  const auto add = [&](const TextBlock& block) {
    bytes += block.text.size();
    add_block(block.text, choice, example, sampler);
  };
  for (const TextBlock& block : beginning) add(block);
  for (TextBlock block; bytes < most && reader.next(block);) add(block);
  const std::optional<FileStamp> file = stamp_of(path);
  // A compressed file is smaller than what was read of it.
  const double all = static_cast<double>(file ? std::max(file->bytes, bytes) : bytes);
  sample.counts = sampler.counts(all > 0.0 ? static_cast<double>(bytes) / all : 1.0);
  choice.header.rows = sample.counts.examples;
  choice.blocks = {TextBlock{.text = std::move(sampler).take_text()}};
  sample.choice = std::move(choice);
  return sample;
}

ExampleSample sample_examples(const Examples& examples, const SampleLimits& limits) {
  Sampler sampler(limits);
  const auto* const texts = std::get_if<Texts>(&examples.features);
  const auto* const rows = std::get_if<SparseRows>(&examples.features);
  const auto features_of = [&](std::size_t example) -> std::size_t {
    if (rows != nullptr) return rows->offsets[example + 1] - rows->offsets[example];
    const std::string_view text = texts->texts[example];
    return static_cast<std::size_t>(std::ranges::count(text, ' ')) + 1;
  };
  for (std::size_t example = 0; example < examples.size(); ++example) {
    sampler.add(std::to_string(example), examples.labels[examples.classes[example]],
                features_of(example) + 1);
  }
  ExampleSample sample = {{}, sampler.counts(1.0)};
  const std::string numbers = std::move(sampler).take_text();
  for (const char* cursor = numbers.data(); cursor != numbers.data() + numbers.size(); ++cursor) {
    std::uint32_t number = 0;
    cursor = std::from_chars(cursor, numbers.data() + numbers.size(), number).ptr;
    sample.examples.push_back(number);
  }
  return sample;
}

}  // namespace cane
