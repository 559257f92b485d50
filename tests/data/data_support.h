// What the tests of the data readers share: loading a text from memory, plain copies of what was
// loaded, compressed texts and NumPy files.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cane/error.h"
#include "data/reader/load_data.h"
#include "support/compressed.h"
#include "support/temporary_folder.h"

namespace cane::testing {

using Row = std::map<FeatureId, float>;

/// The features of an example; a dense row shows all of its values.
inline Row row_of(const LoadedData& data, std::size_t example) {
  std::vector<float> scratch(data.view.dimension());
  const RowView view = data.view.row(example, scratch);
  Row row;
  for (std::uint32_t i = 0; i < view.count; ++i) {
    const FeatureId feature = view.indices == nullptr ? i : view.indices[i];
    EXPECT_TRUE(row.empty() || row.rbegin()->first < feature) << "not strictly increasing";
    row[feature] = view.values[i];
  }
  return row;
}

/// The label of an example; "?" for none.
inline std::string label_of(const LoadedData& data, std::size_t example) {
  const ClassId id = data.view.label(example);
  return id == kUnknownClass ? "?" : data.vocabulary.labels.at(id);
}

inline std::vector<std::string> labels_of(const LoadedData& data) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < data.view.size(); ++i) labels.push_back(label_of(data, i));
  return labels;
}

/// The features of an example by their words.
inline std::map<std::string, float> words_of(const LoadedData& data, std::size_t example) {
  std::map<std::string, float> words;
  for (const auto& [feature, value] : row_of(data, example)) {
    words[data.vocabulary.words.at(feature)] = value;
  }
  return words;
}

/// Everything in a LoadedData but whether it came from a cache.
struct Content {
  std::vector<Row> rows;
  std::vector<ClassId> classes;
  std::vector<float> weights;
  bool dense = false;
  Vocabulary vocabulary;
  std::string report;
  bool operator==(const Content&) const = default;
};

inline Content content_of(const LoadedData& data) {
  Content content;
  for (std::size_t i = 0; i < data.view.size(); ++i) {
    content.rows.push_back(row_of(data, i));
    content.classes.push_back(data.view.label(i));
    content.weights.push_back(data.view.weight(i));
  }
  content.dense = data.view.is_dense();
  content.vocabulary = data.vocabulary;
  content.report = fmt::format("{}|{}|{}|{}", data.report.skipped_lines, data.report.first_skipped,
                               data.report.unseen_labels, data.report.ignored_features);
  for (const std::string& name : data.report.unseen_label_names) content.report += '|' + name;
  return content;
}

/// Options that touch no cache and use one thread.
inline DataOptions plain_options() {
  DataOptions options;
  options.use_cache = false;
  options.threads = 1;
  return options;
}

inline DataOptions skipping_options() {
  DataOptions options = plain_options();
  options.on_error = OnError::kSkip;
  return options;
}

/// Loads a text as if from a file.
inline LoadedData load_string(std::string_view text, const DataOptions& options = plain_options(),
                              const Vocabulary* known = nullptr) {
  const TemporaryFolder folder;
  return load_data(folder.write("data.txt", text), options, known);
}

/// The message of loading a file, without its folder; fails the test if there is none.
inline std::string error_of_file(const std::string& path,
                                 const DataOptions& options = plain_options(),
                                 const Vocabulary* known = nullptr) {
  try {
    load_data(path, options, known);
  } catch (const Error& error) {
    std::string message = error.what();
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    for (std::size_t at = message.find(folder); !folder.empty() && at != std::string::npos;
         at = message.find(folder)) {
      message.erase(at, folder.size());
    }
    return message;
  }
  ADD_FAILURE() << "no error";
  return {};
}

inline std::string error_of(std::string_view text, const DataOptions& options = plain_options(),
                            const Vocabulary* known = nullptr) {
  const TemporaryFolder folder;
  return error_of_file(folder.write("data.txt", text), options, known);
}

/// A .npy file as NumPy writes it.
inline std::string npy(std::string_view type, std::string_view shape, std::string_view data,
                       int version = 1, std::string_view order = "False") {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, order, shape);
  const std::size_t front = version == 1 ? 10 : 12;
  while ((front + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (std::size_t i = 0; i < front - 8; ++i) {
    file += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  }
  return file.append(header).append(data);
}

template <typename Element>
std::string raw(const std::vector<Element>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Element)};
}

}  // namespace cane::testing
