#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "core/file/compressed_source.h"

namespace cane {
namespace {

class GzipSource : public TextSource {
 public:
  explicit GzipSource(RawFile file) : file_(std::move(file)), input_(kInputBytes) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, kGzipOnly + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size() && !ended_) {
      if (stream_.avail_in == 0 && !refill()) {
        ended_ = true;
        if (inside_member_) damage_ = "the gzip data is cut off";
        break;
      }
      if (!inside_member_) {
        inflateReset(&stream_);
        inside_member_ = true;
      }
      filled += inflate_into(buffer.subspan(filled));
    }
    return filled;
  }

  std::string damage() const override { return damage_; }

 private:
  static constexpr std::size_t kInputBytes = std::size_t{1} << 17;

  bool refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(file_.read(input_));
    return stream_.avail_in > 0;
  }

  std::size_t inflate_into(std::span<char> target) {
    const std::size_t room =
        std::min<std::size_t>(target.size(), std::numeric_limits<uInt>::max() / 2);
    stream_.next_out = reinterpret_cast<Bytef*>(target.data());
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      inside_member_ = false;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      ended_ = true;
      damage_ = fmt::format("the gzip data is damaged ({})",
                            stream_.msg != nullptr ? stream_.msg : "no details");
    }
    return room - stream_.avail_out;
  }

  RawFile file_;
  std::vector<char> input_;
  z_stream stream_{};
  bool inside_member_ = true;
  bool ended_ = false;
  std::string damage_;
};

}  // namespace

std::unique_ptr<TextSource> open_gzip(RawFile file) {
  return std::make_unique<GzipSource>(std::move(file));
}

}  // namespace cane
