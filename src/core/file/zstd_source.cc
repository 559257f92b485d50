#include <fmt/format.h>
#include <zstd.h>

#include <new>
#include <utility>
#include <vector>

#include "core/file/compressed_source.h"

namespace cane {
namespace {

class ZstdSource : public TextSource {
 public:
  explicit ZstdSource(RawFile file)
      : file_(std::move(file)), input_(ZSTD_DStreamInSize()), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }

  std::size_t read(std::span<char> buffer) override {
    ZSTD_outBuffer output{buffer.data(), buffer.size(), 0};
    while (output.pos < output.size && !ended_) {
      // The decoder may hold output back that needs no further input.
      const bool exhausted = pending_.pos == pending_.size && !refill();
      const std::size_t before = output.pos;
      const std::size_t status = ZSTD_decompressStream(stream_.get(), &output, &pending_);
      if (ZSTD_isError(status) != 0) {
        ended_ = true;
        damage_ = fmt::format("the zstd data is damaged ({})", ZSTD_getErrorName(status));
      } else if (exhausted && output.pos == before) {
        ended_ = true;
        if (inside_frame_) damage_ = "the zstd data is cut off";
      } else {
        inside_frame_ = status != 0;
      }
    }
    return output.pos;
  }

  std::string damage() const override { return damage_; }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  bool refill() {
    pending_ = {input_.data(), file_.read(input_), 0};
    return pending_.size > 0;
  }

  RawFile file_;
  std::vector<char> input_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  ZSTD_inBuffer pending_{nullptr, 0, 0};
  bool inside_frame_ = true;
  bool ended_ = false;
  std::string damage_;
};

}  // namespace

std::unique_ptr<TextSource> open_zstd(RawFile file) {
  return std::make_unique<ZstdSource>(std::move(file));
}

}  // namespace cane
