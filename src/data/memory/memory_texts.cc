#include "data/memory/memory_texts.h"

#include <algorithm>

#include "data/text/number.h"

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
  static constexpr TextFormat kFormat = {.format = Format::kFastText,
                                         .has_words = true,
                                         .is_text = true,
                                         .recognise = nullptr,
                                         .parse_header = nullptr,
                                         .parse = parse_marked_line,
                                         .sample = nullptr};
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

std::unique_ptr<TextSource> open_texts(std::span<const std::string_view> texts) {
  return std::make_unique<MarkedTexts>(texts);
}

}  // namespace cane
