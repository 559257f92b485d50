#include "data/memory/memory_texts.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "core/file/text_source.h"
#include "data/text/number.h"
#include "data/text/parse_text.h"
#include "data/text/text_format.h"

namespace cane {
namespace {

constexpr char kMark = '.';

void parse_marked_line(std::string_view line, const TextHeader&, Example& example) {
  const char* const end = line.data() + line.size();
  for (const char* cursor = skip_blanks(line.data() + 1, end); cursor != end;) {
    const char* const stop = token_end(cursor, end);
    example.words.push_back(
        {{}, std::string_view(cursor, static_cast<std::size_t>(stop - cursor)), 1.0F});
    cursor = skip_blanks(stop, end);
  }
}

class MarkedTexts : public TextSource {
 public:
  explicit MarkedTexts(std::span<const std::string_view> texts) : rest_(texts) {}

  std::size_t read_some(std::span<char> buffer) override {
    while (line_.size() - begin_ < buffer.size() && !rest_.empty()) {
      line_.erase(0, begin_);
      begin_ = 0;
      append_marked_line(rest_.front(), line_);
      rest_ = rest_.subspan(1);
    }
    const std::size_t count = line_.copy(buffer.data(), buffer.size(), begin_);
    begin_ += count;
    return count;
  }
  bool is_ready() const override { return true; }

 private:
  std::span<const std::string_view> rest_;
  std::string line_;
  std::size_t begin_ = 0;
};

}  // namespace

const TextFormat& marked_text_format() {
  static constexpr TextFormat kFormat = {.format = Format::kFastText, .parse = parse_marked_line};
  return kFormat;
}

void append_marked_line(std::string_view text, std::string& lines) {
  lines.push_back(kMark);
  const std::size_t begin = lines.size();
  lines.append(text);
  std::replace_if(
      lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.end(),
      [](char byte) { return static_cast<unsigned char>(byte) < 0x20; }, ' ');
  lines.push_back('\n');
}

ParsedData parse_texts(std::span<const std::string_view> texts, const DataOptions& options,
                       const Vocabulary* known, ThreadPool& pool) {
  BlockLimits limits = limits_for(options, known);
  limits.line_bytes = std::numeric_limits<std::size_t>::max();
  FormatChoice choice;
  choice.format = &marked_text_format();
  choice.has_words = true;
  TextInput input = {"the texts", std::move(choice),
                     BlockReader(std::make_unique<MarkedTexts>(texts), limits)};
  input.has_labels = false;
  return parse_text(std::move(input), options, known, pool);
}

}  // namespace cane
