#include "app/error_text.h"

#include "cane/fields.h"

namespace cane::cli {

FlagNames& known_flags() {
  static FlagNames names_of_all = [] {
    FlagNames names;
    add_flag_names<TrainConfig>(names);
    add_flag_names<DataOptions>(names);
    add_flag_names<TuneOptions>(names);
    add_flag_names<PredictOptions>(names);
    add_flag_names<QuantizeOptions>(names);
    add_flag_names<SynthOptions>(names);
    return names;
  }();
  return names_of_all;
}

std::string with_flags(std::string_view text) {
  const FlagNames& names = known_flags();
  std::string shown;
  while (true) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == text.npos ? open : text.find('`', open + 1);
    if (close == text.npos) return shown += text;
    shown += text.substr(0, open);
    const std::string_view quoted = text.substr(open + 1, close - open - 1);
    const std::size_t end = std::min(quoted.find(' '), quoted.size());
    const auto found = names.find(quoted.substr(0, end));
    if (found == names.end()) {
      // The closing backquote may open the next quotation.
      shown += '`';
      text.remove_prefix(open + 1);
      continue;
    }
    shown += found->second;
    shown += quoted.substr(end);
    text.remove_prefix(close + 1);
  }
}

}  // namespace cane::cli
