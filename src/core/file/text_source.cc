#include "core/file/text_source.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "cane/error.h"

namespace cane {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 17;

using SupportFilter = int (*)(archive*);

struct Compression {
  const char* name;
  std::string_view magic;
  std::string_view digits;  // one of these must follow, if there are any
  int filter;               // libarchive's number; kNotRead: unsupported, reported in a message
  SupportFilter support;
  const char* problem = "";  // kNotRead: why, and what to do
};
constexpr int kNotRead = -1;

// Plain text may begin with "BZh": bzip2 is recognised only with a digit and the start of a block.
constexpr Compression kCompressions[] = {
    {"gzip", "\x1F\x8B", "", ARCHIVE_FILTER_GZIP, nullptr},
    {"zstd", "\x28\xB5\x2F\xFD", "", ARCHIVE_FILTER_ZSTD, archive_read_support_filter_zstd},
    {"xz", "\xFD\x37zXZ", "", ARCHIVE_FILTER_XZ, archive_read_support_filter_xz},
    {"bzip2", "BZh", "123456789", ARCHIVE_FILTER_BZIP2, archive_read_support_filter_bzip2},
    {"lz4", "\x04\x22\x4D\x18", "", ARCHIVE_FILTER_LZ4, archive_read_support_filter_lz4},
    {"zip", "PK\x03\x04", "", kNotRead, nullptr,
     "zip compression is not read; decompress it, or compress it with gzip or zstd"},
    {"Parquet", "PAR1\x15", "", kNotRead, nullptr,
     "this is a Parquet file, which is not read; write it as CSV with Python: "
     "pandas.read_parquet(FILE).to_csv('data.csv', index=False)"},
    {"Arrow",
     {"ARROW1\0\0", 8},
     "",
     kNotRead,
     nullptr,
     "this is an Arrow file, which is not read; write it as CSV with Python: "
     "pandas.read_feather(FILE).to_csv('data.csv', index=False)"},
};

enum class Match { kNo, kYes, kTooShort };

Match match(const Compression& compression, std::string_view start) {
  const std::string_view magic = compression.magic;
  const std::size_t compared = std::min(start.size(), magic.size());
  if (start.substr(0, compared) != magic.substr(0, compared)) return Match::kNo;
  if (start.size() < magic.size() + (compression.digits.empty() ? 0 : 2)) return Match::kTooShort;
  if (compression.digits.empty()) return Match::kYes;
  const bool has_digit = compression.digits.find(start[magic.size()]) != std::string_view::npos;
  const char block = start[magic.size() + 1];  // the first byte of pi, or that of its root
  return has_digit && (block == '\x31' || block == '\x17') ? Match::kYes : Match::kNo;
}

/// An open file or standard input.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : name_(source_name(path)) {
    number_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number_ < 0) throw Error(fmt::format("{}: cannot open: {}", name_, std::strerror(errno)));
  }
  ~Descriptor() {
    if (number_ > STDIN_FILENO) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept
      : name_(std::move(other.name_)), number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  const std::string& name() const { return name_; }

  std::size_t read_some(std::span<char> buffer) {
    while (true) {
      const ssize_t count = ::read(number_, buffer.data(), buffer.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) {
        throw Error(fmt::format("{}: cannot read: {}", name_, std::strerror(errno)));
      }
    }
  }

  bool is_ready() const {
    pollfd request = {number_, POLLIN, 0};
    return ::poll(&request, 1, 0) != 0;
  }

 private:
  std::string name_;
  int number_ = -1;
};

/// Plain text, read directly into the caller's buffer without a copy.
class PlainSource : public TextSource {
 public:
  PlainSource(Descriptor file, std::string start)
      : file_(std::move(file)), start_(std::move(start)) {}

  std::size_t read_some(std::span<char> buffer) override {
    if (start_.empty()) return file_.read_some(buffer);
    const std::size_t count = std::min(start_.size(), buffer.size());
    std::copy_n(start_.data(), count, buffer.data());
    start_.erase(0, count);
    return count;
  }
  bool is_ready() const override { return !start_.empty() || file_.is_ready(); }

 private:
  Descriptor file_;
  std::string start_;  // bytes read to detect the compression
};

/// gzip, read by zlib: libarchive's filter (3.6) does not verify the checksum, so damaged text
/// would be accepted.
class GzipSource : public TextSource {
 public:
  explicit GzipSource(PlainSource file) : file_(std::move(file)), input_(kInputBytes) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, kGzipOnly + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read_some(std::span<char> buffer) override {
    std::size_t count = 0;
    while (count == 0 && !ended_) {
      if (stream_.avail_in == 0 && !refill()) {
        ended_ = true;
        if (inside_member_) damage_ = "the gzip data is cut off";
        break;
      }
      if (!inside_member_) {
        inflateReset(&stream_);
        inside_member_ = true;
      }
      count = inflate_into(buffer);
    }
    return count;
  }
  bool is_ready() const override { return ended_ || stream_.avail_in > 0 || file_.is_ready(); }
  std::string damage() const override { return damage_; }

 private:
  bool refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(file_.read_some(input_));
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

  PlainSource file_;
  std::vector<char> input_;
  z_stream stream_{};
  bool inside_member_ = true;
  bool ended_ = false;
  std::string damage_;
};

/// All other compressions, read by libarchive.
class ArchiveSource : public TextSource {
 public:
  ArchiveSource(PlainSource file, const Compression& compression)
      : file_(std::move(file)),
        name_(compression.name),
        input_(kInputBytes),
        archive_(archive_read_new()) {
    if (!archive_) throw std::bad_alloc();
    compression.support(archive_.get());
    archive_read_support_format_raw(archive_.get());
    archive_read_support_format_empty(archive_.get());
    archive_entry* entry = nullptr;
    if (archive_read_open(archive_.get(), this, nullptr, pass_on, nullptr) != ARCHIVE_OK) {
      fail(archive_error_string(archive_.get()));
    } else if (archive_filter_code(archive_.get(), 0) != compression.filter) {
      fail("its header");
    } else {
      const int status = archive_read_next_header(archive_.get(), &entry);
      if (status == ARCHIVE_EOF) finish();
      if (status != ARCHIVE_EOF && status != ARCHIVE_OK) {
        fail(archive_error_string(archive_.get()));
      }
    }
  }

  std::size_t read_some(std::span<char> buffer) override {
    while (rest_.empty() && !ended_) {
      const void* data = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int status = archive_read_data_block(archive_.get(), &data, &size, &offset);
      if (status == ARCHIVE_OK) {
        rest_ = {static_cast<const char*>(data), size};
      } else if (status == ARCHIVE_EOF) {
        finish();
      } else {
        fail(archive_error_string(archive_.get()));
      }
    }
    const std::size_t count = std::min(rest_.size(), buffer.size());
    std::copy_n(rest_.data(), count, buffer.data());
    rest_ = rest_.subspan(count);
    return count;
  }
  bool is_ready() const override { return ended_ || !rest_.empty() || file_.is_ready(); }
  std::string damage() const override { return damage_; }

 private:
  struct Free {
    void operator()(archive* reader) const { archive_read_free(reader); }
  };

  // Callback through which libarchive reads compressed bytes. No exception may pass through it.
  static la_ssize_t pass_on(archive* reader, void* source, const void** data) {
    auto* const self = static_cast<ArchiveSource*>(source);
    try {
      const std::size_t count = self->file_.read_some(self->input_);
      self->input_ended_ = count == 0;
      self->bytes_given_ += static_cast<std::int64_t>(count);
      *data = self->input_.data();
      return static_cast<la_ssize_t>(count);
    } catch (const Error& error) {
      self->problem_ = error.what();
      archive_set_error(reader, EIO, "cannot read");
      return ARCHIVE_FATAL;
    }
  }

  void end(std::string damage) {
    ended_ = true;
    damage_ = std::move(damage);
  }

  // libarchive's filters stop silently at bytes that do not belong to their format.
  void finish() {
    const bool has_all = archive_filter_bytes(archive_.get(), -1) == bytes_given_ &&
                         (input_ended_ || file_.read_some(input_) == 0);
    end(has_all ? "" : fmt::format("the {} data is damaged (something follows its end)", name_));
  }

  void fail(const char* details) {
    if (!problem_.empty()) throw Error(problem_);
    end(input_ended_ ? fmt::format("the {} data is cut off", name_)
                     : fmt::format("the {} data is damaged ({})", name_,
                                   details != nullptr ? details : "no details"));
  }

  PlainSource file_;
  const char* name_;
  std::vector<char> input_;
  std::unique_ptr<archive, Free> archive_;
  std::int64_t bytes_given_ = 0;
  bool input_ended_ = false;
  std::string problem_;         // why the file could not be read
  std::span<const char> rest_;  // decompressed but not yet read; owned by the archive
  bool ended_ = false;
  std::string damage_;
};

}  // namespace

std::size_t TextSource::read(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const std::size_t count = read_some(buffer.subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  return filled;
}

namespace {

// Reads into `start` what it takes to tell the compression; null for plain text. A short line of
// plain text must not wait for more input: reading stops once no compression matches.
const Compression* recognise(Descriptor& file, std::string& start) {
  const Compression* found = nullptr;
  for (bool is_open = true; is_open && found == nullptr;) {
    char next = 0;
    is_open = file.read_some({&next, 1}) > 0;
    if (is_open) start += next;
    bool may_come = false;
    for (const Compression& compression : kCompressions) {
      const Match matched = match(compression, start);
      if (matched == Match::kYes) found = &compression;
      may_come = may_come || matched == Match::kTooShort;
    }
    is_open = is_open && may_come;
  }
  return found;
}

}  // namespace

std::string compression_of(const std::string& path) {
  Descriptor file(path);
  std::string start;
  const Compression* const found = recognise(file, start);
  return found == nullptr ? "" : found->name;
}

std::unique_ptr<TextSource> open_text(const std::string& path) {
  Descriptor file(path);
  std::string start;
  const Compression* const found = recognise(file, start);
  if (found != nullptr && found->filter == kNotRead) {
    throw Error(fmt::format("{}: {}", file.name(), found->problem));
  }
  PlainSource plain(std::move(file), std::move(start));
  if (found == nullptr) return std::make_unique<PlainSource>(std::move(plain));
  if (found->filter == ARCHIVE_FILTER_GZIP) return std::make_unique<GzipSource>(std::move(plain));
  return std::make_unique<ArchiveSource>(std::move(plain), *found);
}

}  // namespace cane
