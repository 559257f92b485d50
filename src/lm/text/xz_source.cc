#include <fmt/format.h>

#include "cane/error.h"
#include "lm/text/text_words.h"

#ifdef CANE_HAS_LZMA
#include <lzma.h>

#include <new>
#include <utility>
#include <vector>
#endif

namespace cane::lm {

#ifdef CANE_HAS_LZMA
namespace {

class XzSource : public TextSource {
 public:
  explicit XzSource(RawFile file) : file_(std::move(file)), input_(kInputBytes) {
    constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 30;
    if (lzma_stream_decoder(&stream_, kMaxMemory, LZMA_CONCATENATED) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }
  ~XzSource() override { lzma_end(&stream_); }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(buffer.data());
    stream_.avail_out = buffer.size();
    while (stream_.avail_out > 0 && !ended_) {
      if (stream_.avail_in == 0 && action_ == LZMA_RUN) refill();
      const lzma_ret status = lzma_code(&stream_, action_);
      if (status == LZMA_OK) continue;
      ended_ = true;
      if (status == LZMA_BUF_ERROR) {
        damage_ = "the xz data is cut off";
      } else if (status != LZMA_STREAM_END) {
        damage_ = fmt::format("the xz data is damaged (code {})", static_cast<int>(status));
      }
    }
    return buffer.size() - stream_.avail_out;
  }

  std::string damage() const override { return damage_; }

 private:
  static constexpr std::size_t kInputBytes = std::size_t{1} << 17;

  void refill() {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(input_.data());
    stream_.avail_in = file_.read(input_);
    if (stream_.avail_in == 0) action_ = LZMA_FINISH;
  }

  RawFile file_;
  std::vector<char> input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  lzma_action action_ = LZMA_RUN;
  bool ended_ = false;
  std::string damage_;
};

}  // namespace

std::unique_ptr<TextSource> open_xz(RawFile file, const std::string&) {
  return std::make_unique<XzSource>(std::move(file));
}

#else

std::unique_ptr<TextSource> open_xz(RawFile, const std::string& path) {
  throw Error(fmt::format(
      "{}: this build was made without liblzma and reads no xz; decompress it with `xz -d`",
      source_name(path)));
}

#endif

}  // namespace cane::lm
