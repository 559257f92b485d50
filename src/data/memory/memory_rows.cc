#include "data/memory/memory_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/bad_line.h"
#include "core/base/buffer.h"
#include "core/base/field_text.h"
#include "core/base/string_table.h"
#include "data/blocks/rarity.h"
#include "data/memory/memory_texts.h"
#include "data/rows/bad_values.h"
#include "data/vocabulary/feature_options.h"
#include "data/vocabulary/name_maps.h"
#include "data/vocabulary/row_weights.h"

namespace cane {
namespace {

constexpr const char* kName = "the data";
constexpr std::size_t kRowsOfTask = 1024;

struct OwnedArrays {
  std::shared_ptr<const void> owner;     // of the caller's arrays
  std::shared_ptr<const void> features;  // made here
  Buffer<float> values;                  // weighted
  std::vector<ClassId> classes;
  std::vector<float> weights;
};

void for_each_part(std::size_t rows, ThreadPool& pool,
                   const std::function<void(std::size_t begin, std::size_t end)>& body) {
  pool.run((rows + kRowsOfTask - 1) / kRowsOfTask, [&](std::size_t task, int) {
    body(task * kRowsOfTask, std::min(rows, (task + 1) * kRowsOfTask));
  });
}

std::vector<float> factors_of(const SparseRows& rows, ThreadPool& pool) {
  std::vector<std::uint32_t> counts(rows.columns);
  const std::size_t size = rows.offsets.size() - 1;
  for_each_part(size, pool, [&](std::size_t begin, std::size_t end) {
    for (std::uint64_t i = rows.offsets[begin]; i < rows.offsets[end]; ++i) {
      std::atomic_ref(counts[rows.indices[i]]).fetch_add(1, std::memory_order_relaxed);
    }
  });
  std::vector<float> factors(counts.size());
  std::ranges::transform(counts, factors.begin(), [&](std::uint32_t count) {
    return rarity(static_cast<double>(size), count);
  });
  return factors;
}

class ExamplesLoader {
 public:
  ExamplesLoader(const Examples& examples, const DataOptions& options, const Vocabulary* known)
      : examples_(examples), options_(options), known_(known), pool_(options.threads) {
    storage_->owner = examples.owner;
  }

  LoadedData load() {
    if (examples_.size() == 0) throw Error("there are no examples; give some");
    if (known_ != nullptr) vocabulary_ = *known_;
    // Labels come first: reading what cannot be trained on would be a waste.
    classify();
    weigh();
    LoadedData data =
        std::visit([&](const auto& features) { return read(features); }, examples_.features);
    data.vocabulary.labels = std::move(vocabulary_.labels);
    data.report.unseen_labels = unseen_labels_;
    data.report.unseen_label_names = unseen_names_;
    data.report.empty_examples = data.view.empty_rows();
    storage_->features = std::move(data.storage);
    data.storage = storage_;
    return data;
  }

 private:
  LoadedData read(const DenseRows& rows) {
    check_feature_options(kName, false, options_, known_);
    check_weights_of_matrix(kName, options_, known_);
    check_shape(rows, known_);
    for_each_part(rows.rows, pool_,
                  [&](std::size_t begin, std::size_t end) { check_values(rows, begin, end); });
    if (known_ == nullptr) learn(rows.columns);
    DatasetView::Dense dense;
    dense.matrix = reinterpret_cast<const std::byte*>(rows.values);
    dense.normalize = vocabulary_.normalize == Normalize::kL2;
    dense.mapped = rows.mapped;
    return finished(dense);
  }

  LoadedData read(const SparseRows& rows) {
    check_feature_options(kName, false, options_, known_);
    check_shape(rows, known_);
    const std::size_t size = rows.offsets.size() - 1;
    for_each_part(size, pool_,
                  [&](std::size_t begin, std::size_t end) { check_values(rows, begin, end); });
    if (known_ == nullptr) {
      learn(rows.columns);
      if (vocabulary_.weights == FeatureWeights::kTfidf) {
        vocabulary_.factors = factors_of(rows, pool_);
      }
    }
    return finished(DatasetView::Sparse{
        .offsets = rows.offsets, .indices = rows.indices.data(), .values = weighted(rows)});
  }

  LoadedData read(const Texts& texts) {
    LoadedData data = assemble(parse_texts(texts.texts, options_, known_, pool_), pool_);
    data.view = DatasetView(data.view.sparse(), data.view.dimension(), storage_->classes,
                            storage_->weights);
    return data;
  }

  // The values as training sees them: in place where nothing changes.
  const float* weighted(const SparseRows& rows) {
    const RowWeights weights(vocabulary_);
    if (weights.do_nothing()) return rows.values.data();
    if (vocabulary_.weights != FeatureWeights::kCount &&
        std::ranges::any_of(rows.values, [](float value) { return value < 0.0F; })) {
      throw Error(
          "there are values below zero, but `weights` makes weights of counts; use `weights "
          "count`");
    }
    storage_->values = Buffer<float>(rows.values.size());
    for_each_part(rows.offsets.size() - 1, pool_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        const std::uint64_t first = rows.offsets[row];
        const std::uint64_t count = rows.offsets[row + 1] - first;
        const auto values = storage_->values.span().subspan(first, count);
        std::ranges::copy(rows.values.subspan(first, count), values.begin());
        weights.apply(rows.indices.subspan(first, count), values);
      }
    });
    return storage_->values.data();
  }

  void learn(std::size_t columns) {
    std::vector<std::string> labels = std::move(vocabulary_.labels);
    vocabulary_ = new_vocabulary(false, options_);
    vocabulary_.labels = std::move(labels);
    vocabulary_.dimension = static_cast<FeatureId>(columns);
  }

  template <typename Features>
  LoadedData finished(const Features& features) {
    return {DatasetView(features, vocabulary_.dimension, storage_->classes, storage_->weights),
            vocabulary_,
            {},
            {}};
  }

  void classify() {
    const std::size_t size = examples_.size();
    if (examples_.classes.empty()) {
      if (options_.require_labels) throw Error("there are no labels; give one for each example");
      storage_->classes.assign(size, kUnknownClass);
      return;
    }
    check_labels(examples_);
    const std::vector<ClassId> class_of = known_ == nullptr ? new_classes() : known_classes();
    storage_->classes.reserve(size);
    for (const std::uint32_t label : examples_.classes) {
      storage_->classes.push_back(class_of[label]);
      if (class_of[label] == kUnknownClass) ++unseen_labels_;
    }
  }

  std::vector<ClassId> new_classes() {
    std::unordered_set<std::string_view> names;
    std::vector<ClassId> classes;
    for (const std::string& label : examples_.labels) {
      if (!names.insert(label).second) {
        throw Error(fmt::format("the label '{}' is there twice; all must differ", label));
      }
      classes.push_back(static_cast<ClassId>(classes.size()));
    }
    check_classes(kName, examples_.labels);
    vocabulary_.labels = examples_.labels;
    return classes;
  }

  std::vector<ClassId> known_classes() {
    LabelMap labels(known_, options_.add_labels);
    std::vector<FileId> ids;
    for (const std::string& label : examples_.labels) ids.push_back(labels.number_of(label));
    const std::vector<ClassId> class_of = labels.classes();
    std::vector<ClassId> classes;
    for (const FileId id : ids) classes.push_back(class_of_name(id, class_of));
    unseen_names_ = labels.unseen();
    vocabulary_.labels = labels.sorted_labels();
    return classes;
  }

  void weigh() {
    if (examples_.weights.empty()) return;
    if (examples_.weights.size() != examples_.size()) {
      throw Error(fmt::format("{} weights for {} examples; give one for each",
                              examples_.weights.size(), examples_.size()));
    }
    const auto is_bad = [](float weight) { return !(weight >= 0.0F) || std::isinf(weight); };
    if (std::ranges::any_of(examples_.weights, is_bad)) {
      throw Error("an example has a weight that is below zero or no number");
    }
    storage_->weights.assign(examples_.weights.begin(), examples_.weights.end());
  }

  const Examples& examples_;
  const DataOptions& options_;
  const Vocabulary* known_;
  ThreadPool pool_;
  std::shared_ptr<OwnedArrays> storage_ = std::make_shared<OwnedArrays>();
  Vocabulary vocabulary_;
  std::uint64_t unseen_labels_ = 0;
  std::vector<std::string> unseen_names_;
};

void check_columns(std::size_t columns, const Vocabulary* known) {
  checked_dimension(kName, {1, columns}, known);
}

}  // namespace

std::size_t Examples::size() const {
  if (const auto* dense = std::get_if<DenseRows>(&features)) return dense->rows;
  if (const auto* texts = std::get_if<Texts>(&features)) return texts->texts.size();
  const auto& offsets = std::get<SparseRows>(features).offsets;
  return offsets.empty() ? 0 : offsets.size() - 1;
}

void check_labels(const Examples& examples) {
  if (examples.classes.size() != examples.size()) {
    throw Error(fmt::format("{} labels for {} examples; give one for each", examples.classes.size(),
                            examples.size()));
  }
  for (const std::string& label : examples.labels) {
    if (is_plain_label(label)) continue;
    throw Error(fmt::format("the label {} holds a tab, a line break or the like; take it out",
                            in_quotes(label)));
  }
  for (const std::uint32_t label : examples.classes) {
    if (label < examples.labels.size()) continue;
    throw Error(fmt::format("an example has class {}, but there are {} labels", label,
                            examples.labels.size()));
  }
}

void check_shape(const DenseRows& rows, const Vocabulary* known) {
  check_columns(rows.columns, known);
}

void check_shape(const SparseRows& rows, const Vocabulary* known) {
  check_columns(rows.columns, known);
  const bool fits = !rows.offsets.empty() && rows.offsets.front() == 0 &&
                    rows.offsets.back() == rows.values.size() &&
                    rows.indices.size() == rows.values.size() &&
                    std::ranges::is_sorted(rows.offsets);
  if (!fits) throw Error("the offsets, indices and values of the sparse rows do not fit together");
}

void check_values(const DenseRows& rows, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row) {
    const std::span<const float> values(rows.values + row * rows.columns, rows.columns);
    const std::size_t bad = find_bad(values);
    if (bad == values.size()) continue;
    throw NonFiniteError(bad_value_text(kName, row, bad, double{values[bad]}));
  }
}

void check_values(const SparseRows& rows, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row) {
    const std::uint64_t first = rows.offsets[row];
    const std::uint64_t count = rows.offsets[row + 1] - first;
    const auto indices = rows.indices.subspan(first, count);
    const auto values = rows.values.subspan(first, count);
    const bool increase =
        std::ranges::adjacent_find(indices, std::greater_equal()) == indices.end();
    if (!increase || (count > 0 && indices.back() >= rows.columns)) {
      throw Error(fmt::format(
          "row {} of the sparse rows has indices that do not increase, or are not below {}; sort "
          "them and add up equal ones",
          row, rows.columns));
    }
    const std::size_t bad = find_bad(values);
    if (bad == values.size()) continue;
    throw NonFiniteError(bad_value_text(kName, row, indices[bad], double{values[bad]}));
  }
}

LoadedData load_examples(const Examples& examples, const DataOptions& options,
                         const Vocabulary* known) {
  check_fields(options);
  return ExamplesLoader(examples, options, known).load();
}

}  // namespace cane
