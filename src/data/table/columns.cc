#include "data/table/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>

#include "cane/error.h"
#include "cane/names.h"
#include "core/base/bad_line.h"
#include "core/base/words.h"

namespace cane {
namespace {

constexpr std::size_t kNamesShown = 12;

template <typename Items, typename Name>
std::string name_list(const Items& items, const Name& name) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), kNamesShown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", in_quotes(name(items[i])));
  }
  if (items.size() > kNamesShown) text += fmt::format(" and {} more", items.size() - kNamesShown);
  return text;
}

class ColumnChooser {
 public:
  ColumnChooser(const std::string& name, const TableSample& sample, const DataOptions& options,
                const Vocabulary* known)
      : name_(name), sample_(sample), options_(options), known_(known) {}

  ColumnChoice choose() {
    for (const ColumnSample& column : sample_.columns) add_column(column.name);
    if (known_ != nullptr && !known_->columns.empty()) {
      take_from_model();
    } else {
      choose_anew();
    }
    keep();
    table_.has_names = !sample_.header.text.empty();
    return std::move(choice_);
  }

 private:
  using Numbers = std::vector<std::uint32_t>;  // of columns, from 0

  std::uint32_t add_column(const std::string& column) {
    const std::uint32_t number = table_.keys.find_or_add(column);
    if (number != table_.uses.size()) {
      throw Error(fmt::format("{}: two columns are called {}; rename one of them", name_,
                              in_quotes(column)));
    }
    table_.uses.push_back({.name = column});
    return number;
  }

  std::string column_list() const {
    return name_list(table_.uses, [](const ColumnUse& use) { return use.name; });
  }
  std::string names_of_columns(const Numbers& columns) const {
    return name_list(columns, [&](std::uint32_t column) { return table_.uses[column].name; });
  }
  ColumnUse& use(std::uint32_t column) { return table_.uses[column]; }

  /// By name, else by number from 1; kNone if there is none.
  std::uint32_t find(const std::string& column) const {
    const std::uint32_t number = table_.keys.find(column);
    if (number != StringTable::kNone) return number;
    std::uint32_t place = 0;
    const char* const end = column.data() + column.size();
    const auto parsed = std::from_chars(column.data(), end, place);
    const bool is_place = parsed.ec == std::errc() && parsed.ptr == end && place >= 1 &&
                          place <= sample_.columns.size();
    return is_place ? place - 1 : StringTable::kNone;
  }

  std::uint32_t find_named(const char* field, const std::string& column) const {
    const std::uint32_t number = find(column);
    if (number != StringTable::kNone) return number;
    std::vector<std::string_view> names;
    for (const ColumnUse& other : table_.uses) names.emplace_back(other.name);
    throw OptionError(field,
                      fmt::format("{} has no column {}{}", name_, in_quotes(column),
                                  shown(suggestion(column, names))),
                      fmt::format("the columns are {}", column_list()));
  }

  /// The columns of a list; one whose name has a comma may be named alone.
  Numbers find_all(const char* field, const std::string& list) const {
    if (find(list) != StringTable::kNone) return {find(list)};
    Numbers columns;
    for (const std::string& part : split(list, ',')) columns.push_back(find_named(field, part));
    return columns;
  }

  void give(const char* field, std::uint32_t column, ColumnRole role) {
    if (use(column).role != ColumnRole::kNone) {
      throw OptionError(field, fmt::format("column {} has two uses", in_quotes(use(column).name)),
                        "name it once");
    }
    use(column).role = role;
    use(column).feature = use(column).name;
  }

  Numbers unused(const std::function<bool(const ColumnSample&)>& fits) const {
    Numbers columns;
    for (std::uint32_t column = 0; column < sample_.columns.size(); ++column) {
      if (table_.uses[column].role == ColumnRole::kNone && fits(sample_.columns[column])) {
        columns.push_back(column);
      }
    }
    return columns;
  }

  /// What is kept may have another use besides.
  void keep() {
    if (options_.keep_columns.empty()) return;
    if (find(options_.keep_columns) != StringTable::kNone) {
      use(find(options_.keep_columns)).kept = 1;
      choice_.kept = 1;
      return;
    }
    for (const std::string& part : split(options_.keep_columns, ',')) {
      const bool is_new = sample_.is_open && find(part) == StringTable::kNone;
      ColumnUse& column = use(is_new ? add_column(part) : find_named("keep_columns", part));
      if (column.kept > 0)
        throw OptionError("keep_columns", "a column is named twice", "name it once");
      column.kept = static_cast<std::uint32_t>(++choice_.kept);
    }
  }

  void choose_anew() {
    choose_label();
    if (!options_.weight_column.empty()) {
      give("weight_column", find_named("weight_column", options_.weight_column),
           ColumnRole::kWeight);
    }
    choose_text();
    choose_features();
    for (const ColumnUse& column : table_.uses) {
      if (column.role == ColumnRole::kText || column.role == ColumnRole::kString) {
        choice_.has_words = true;
      }
    }
    FeatureId numbers = 0;
    for (ColumnUse& column : table_.uses) {
      if (column.role == ColumnRole::kNumber) column.index = numbers++;
      if (column.role != ColumnRole::kNone) choice_.columns.push_back({column.role, column.name});
    }
    if (!choice_.has_words && numbers == 0) {
      throw Error(fmt::format(
          "{}: there is nothing to learn from: no column is a text or holds numbers; name the "
          "text with `text_column`, or columns of words with `features_columns` (the columns are "
          "{})",
          name_, column_list()));
    }
    describe();
    compare_scales();
  }

  void choose_label() {
    if (!options_.label_column.empty()) {
      give("label_column", find_named("label_column", options_.label_column), ColumnRole::kLabel);
      return;
    }
    const Numbers usual =
        unused([](const ColumnSample& column) { return is_label_name(column.name); });
    if (usual.size() == 1) give("label_column", usual.front(), ColumnRole::kLabel);
    if (usual.size() == 1 || !options_.require_labels) return;
    throw Error(fmt::format(
        "{}: {} the labels; name the column with `label_column` (the columns are {})", name_,
        usual.empty() ? std::string("no column is known to be")
                      : fmt::format("{} may all be", names_of_columns(usual)),
        column_list()));
  }

  void choose_text() {
    if (!options_.text_column.empty()) {
      for (const std::uint32_t column : find_all("text_column", options_.text_column)) {
        give("text_column", column, ColumnRole::kText);
      }
      return;
    }
    if (!options_.features_columns.empty() && options_.features_columns != "all") return;
    Numbers texts = unused([](const ColumnSample& column) {
      return is_text_name(column.name) && column.has_strings();
    });
    if (texts.empty()) texts = unused([](const ColumnSample& column) { return column.is_prose(); });
    if (texts.empty() &&
        unused([](const ColumnSample& column) { return column.is_numeric(); }).empty()) {
      texts = unused([](const ColumnSample& column) { return column.has_strings(); });
    }
    if (texts.size() > 1) {
      throw Error(
          fmt::format("{}: {} may all be the text; name one with `text_column`, or several with "
                      "commas between them",
                      name_, names_of_columns(texts)));
    }
    if (!texts.empty()) give("text_column", texts.front(), ColumnRole::kText);
  }

  void choose_features() {
    const bool wants_all = options_.features_columns == "all";
    if (!wants_all && !options_.features_columns.empty()) {
      for (const std::uint32_t column : find_all("features_columns", options_.features_columns)) {
        const ColumnSample& sample = sample_.columns[column];
        if (sample.nested > 0 && !sample.has_strings()) {
          throw OptionError(
              "features_columns",
              fmt::format("column {} holds arrays or objects", in_quotes(sample.name)),
              "name columns of numbers or strings");
        }
        give("features_columns", column,
             sample.has_strings() ? ColumnRole::kString : ColumnRole::kNumber);
      }
      return;
    }
    const bool has_text =
        std::any_of(table_.uses.begin(), table_.uses.end(),
                    [](const ColumnUse& column) { return column.role == ColumnRole::kText; });
    if (has_text && !wants_all) return;
    for (const std::uint32_t column : unused([](const ColumnSample& sample) {
           return sample.is_numeric() && !sample.is_unnamed && !is_counter_name(sample.name);
         })) {
      give("features_columns", column, ColumnRole::kNumber);
    }
  }

  /// Every column that the model was trained on must be there, but labels where none are needed and
  /// weights.
  void take_from_model() {
    std::vector<std::string> texts;
    if (!options_.text_column.empty()) texts = split(options_.text_column, ',');
    std::size_t next_text = 0;
    FeatureId numbers = 0;
    choice_.has_words = known_->feature_kind != FeatureKind::kIndices;
    for (const TableColumn& column : known_->columns) {
      const char* field = "";
      std::string wanted = column.name;
      if (column.role == ColumnRole::kLabel) {
        rename("label_column", options_.label_column, field, wanted);
      } else if (column.role == ColumnRole::kWeight) {
        rename("weight_column", options_.weight_column, field, wanted);
      } else if (column.role == ColumnRole::kText && next_text < texts.size()) {
        rename("text_column", texts[next_text++], field, wanted);
      }
      const bool is_needed = column.role == ColumnRole::kLabel    ? options_.require_labels
                             : column.role == ColumnRole::kWeight ? false
                                                                  : true;
      const std::uint32_t number = find_for_model(field, wanted, is_needed);
      const FeatureId index = column.role == ColumnRole::kNumber ? numbers++ : 0;
      if (number == StringTable::kNone) continue;
      give(field, number, column.role);
      use(number).feature = column.name;
      use(number).index = index;
    }
    choice_.columns = known_->columns;
  }

  static void rename(const char* option, const std::string& given, const char*& field,
                     std::string& wanted) {
    if (given.empty()) return;
    field = option;
    wanted = given;
  }

  std::uint32_t find_for_model(const char* field, const std::string& column, bool is_needed) {
    const std::uint32_t number = find(column);
    if (number != StringTable::kNone) return number;
    if (sample_.is_open) return add_column(column);
    if (*field != '\0') return find_named(field, column);
    if (!is_needed) return StringTable::kNone;
    throw Error(
        fmt::format("{}: column {}, which the model was trained on, is missing; the columns are {}",
                    name_, in_quotes(column), column_list()));
  }

  void describe() {
    std::vector<TableColumn> all;
    for (const ColumnUse& column : table_.uses) all.push_back({column.role, column.name});
    choice_.notes.push_back(fmt::format("columns: {}", columns_text(all)));
  }

  /// Numbers of very different sizes: the largest column outweighs the others.
  void compare_scales() {
    constexpr double kFarApart = 1000.0;
    std::pair<double, std::string> least;
    std::pair<double, std::string> most;
    for (std::size_t column = 0; column < sample_.columns.size(); ++column) {
      const ColumnSample& sample = sample_.columns[column];
      if (table_.uses[column].role != ColumnRole::kNumber || sample.squares == 0.0) continue;
      const double size = std::sqrt(sample.squares / static_cast<double>(sample.numbers));
      if (least.first == 0.0 || size < least.first) least = {size, sample.name};
      if (size > most.first) most = {size, sample.name};
    }
    if (least.first == 0.0 || most.first < kFarApart * least.first) return;
    choice_.notes.push_back(fmt::format(
        "column {} has numbers of about {:.2g}, column {} of about {:.2g}: the small ones will "
        "hardly count; bring the columns to similar sizes",
        in_quotes(most.second), most.first, in_quotes(least.second), least.first));
  }

  const std::string& name_;
  const TableSample& sample_;
  const DataOptions& options_;
  const Vocabulary* known_;
  ColumnChoice choice_;
  Table& table_ = choice_.table;
};

}  // namespace

std::string columns_text(const std::vector<TableColumn>& columns) {
  constexpr std::pair<ColumnRole, const char*> kRoles[] = {
      {ColumnRole::kLabel, "label"},    {ColumnRole::kWeight, "weight"},
      {ColumnRole::kText, "text"},      {ColumnRole::kNumber, "numbers"},
      {ColumnRole::kString, "strings"}, {ColumnRole::kNone, "left out"}};
  std::string text;
  for (const auto& [role, called] : kRoles) {
    std::vector<std::string> names;
    for (const TableColumn& column : columns) {
      if (column.role == role) names.push_back(column.name);
    }
    if (names.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", called,
                        name_list(names, [](const std::string& name) { return name; }));
  }
  return text;
}

ColumnChoice choose_columns(const std::string& name, const TableSample& sample,
                            const DataOptions& options, const Vocabulary* known) {
  return ColumnChooser(name, sample, options, known).choose();
}

}  // namespace cane
