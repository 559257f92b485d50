// The figures that the paper prints, each typed in once beside the table it stands in. Its figures
// 2 and 3 are pictures without numbers, so that only what the text says of them is here.
#pragma once

#include <optional>
#include <string_view>

namespace cane::cli::paper {

/// Table 1: training and testing time. A shortlist of 10 classes is meant for Sector and ALOI, one
/// of 20 for ImageNet; `method` is what the table calls it.
struct PublishedTime {
  std::string_view set;
  std::string_view method;
  double train_seconds;
  double test_seconds;
  bool train_is_estimated = false;
  bool test_is_estimated = false;
};

/// Table 2: the tree classifiers.
struct PublishedTree {
  std::string_view set;
  std::string_view method;
  double accuracy;
  double train_seconds;
  double test_seconds;
};

/// Table 3: the share of test examples whose label is among the candidates.
struct PublishedCoverage {
  std::string_view set;
  unsigned candidates;
  double coverage;
};

inline constexpr double kMinute = 60.0;
inline constexpr double kHour = 60.0 * kMinute;
inline constexpr double kDay = 24.0 * kHour;

inline constexpr PublishedTime kTable1[] = {
    {"sector", "NCE-10", 0.4 * kMinute, 0.8},
    {"sector", "BlackOut-10", 0.4 * kMinute, 0.8},
    {"sector", "CANE-1v9", 1 * kMinute, 0.1},
    {"sector", "CANE-5v5", 1.8 * kMinute, 0.1},
    {"sector", "CANE-9v1", 2.3 * kMinute, 0.2},
    {"sector", "Softmax", 6.1 * kMinute, 0.9},
    {"aloi", "NCE-10", 3 * kMinute, 6},
    {"aloi", "BlackOut-10", 3 * kMinute, 6},
    {"aloi", "CANE-1v9", 4 * kMinute, 0.1},
    {"aloi", "CANE-5v5", 7 * kMinute, 0.3},
    {"aloi", "CANE-9v1", 8 * kMinute, 0.5},
    {"aloi", "Softmax", 28 * kMinute, 7},
    {"imagenet-2010", "NCE-20", 3.5 * kHour, 8 * kMinute},
    {"imagenet-2010", "BlackOut-20", 3.5 * kHour, 8 * kMinute},
    {"imagenet-2010", "CANE-5v15", 4 * kHour, 0.4 * kMinute},
    {"imagenet-2010", "CANE-10v10", 5.8 * kHour, 0.7 * kMinute},
    {"imagenet-2010", "CANE-15v5", 6.4 * kHour, 0.9 * kMinute},
    {"imagenet-2010", "Softmax", 96 * kHour, 8.7 * kMinute},
    {"imagenet-10k", "NCE-20", 13 * kHour, 5 * kDay, false, true},
    {"imagenet-10k", "BlackOut-20", 12 * kHour, 5 * kDay, false, true},
    {"imagenet-10k", "CANE-5v15", 20 * kHour, 1 * kHour},
    {"imagenet-10k", "CANE-10v10", 33 * kHour, 1.5 * kHour},
    {"imagenet-10k", "CANE-15v5", 39 * kHour, 2 * kHour},
    {"imagenet-10k", "Softmax", 140 * kDay, 5 * kDay, true, true},
};

inline constexpr PublishedTree kTable2[] = {
    {"sector", "HSM", 0.9136, 0.5 * kMinute, 0.1},
    {"sector", "Filter Tree", 0.8467, 0.4 * kMinute, 0.4},
    {"sector", "LOMTree", 0.8491, 0.5 * kMinute, 0.2},
    {"sector", "Recall Tree", 0.8689, 0.7 * kMinute, 0.2},
    {"aloi", "HSM", 0.6569, 1 * kMinute, 0.4},
    {"aloi", "Filter Tree", 0.2007, 1 * kMinute, 0.2},
    {"aloi", "LOMTree", 0.8270, 3.3 * kMinute, 1},
    {"aloi", "Recall Tree", 0.8303, 2.5 * kMinute, 0.2},
    {"imagenet-2010", "HSM", 0.4768, 4.7 * kHour, 0.5 * kMinute},
    {"imagenet-2010", "Filter Tree", 0.4829, 6.8 * kHour, 0.1 * kMinute},
    {"imagenet-2010", "LOMTree", 0.4987, 17.8 * kHour, 0.3 * kMinute},
    {"imagenet-2010", "Recall Tree", 0.6128, 32 * kHour, 0.5 * kMinute},
    {"imagenet-10k", "HSM", 0.1731, 14 * kHour, 1 * kHour},
    {"imagenet-10k", "Filter Tree", 0.0449, 22 * kHour, 0.3 * kHour},
    {"imagenet-10k", "LOMTree", 0.0972, 23 * kHour, 0.3 * kHour},
    {"imagenet-10k", "Recall Tree", 0.2274, 68 * kHour, 1.2 * kHour},
};

inline constexpr PublishedCoverage kTable3[] = {
    {"sector", 1, 0.6889},        {"sector", 5, 0.9657},         {"sector", 9, 0.9792},
    {"aloi", 1, 0.4484},          {"aloi", 5, 0.8647},           {"aloi", 9, 0.9359},
    {"imagenet-2010", 5, 0.7659}, {"imagenet-2010", 10, 0.8729}, {"imagenet-2010", 15, 0.9117},
    {"imagenet-10k", 5, 0.3959},  {"imagenet-10k", 10, 0.5328},  {"imagenet-10k", 15, 0.6022},
};

/// The row of a table for a set and a method; nothing if the paper has none.
template <typename Row, std::size_t size>
std::optional<Row> published(const Row (&table)[size], std::string_view set,
                             std::string_view method) {
  for (const Row& row : table) {
    if (row.set == set && row.method == method) return row;
  }
  return std::nullopt;
}

inline std::optional<double> published_coverage(std::string_view set, unsigned candidates) {
  for (const PublishedCoverage& row : kTable3) {
    if (row.set == set && row.candidates == candidates) return row.coverage;
  }
  return std::nullopt;
}

}  // namespace cane::cli::paper
