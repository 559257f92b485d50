// Entry points of libFuzzer.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cane/error.h"
#include "fuzz/targets.h"

namespace cane::fuzz {
namespace {

const Target* chosen = nullptr;

const Target* find(std::string_view name) {
  for (const auto targets : {text_targets(), file_targets(), archive_targets(), option_targets()}) {
    for (const Target& target : targets) {
      if (name == target.name) return &target;
      if (name.empty()) std::puts(target.name);
    }
  }
  return nullptr;
}

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

std::string path_of(Bytes content) {
  static const int file = ::memfd_create("input", MFD_CLOEXEC);
  check(file >= 0 && ::ftruncate(file, static_cast<off_t>(content.size())) == 0);
  if (!content.empty()) {
    const ssize_t written = ::pwrite(file, content.data(), content.size(), 0);
    check(written == static_cast<ssize_t>(content.size()));
  }
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  return path;
}

std::uint8_t take_byte(Bytes& input) {
  if (input.empty()) return 0;
  const std::uint8_t byte = input.front();
  input = input.subspan(1);
  return byte;
}

}  // namespace cane::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const name = std::getenv("CANE_FUZZ");
  cane::fuzz::chosen = cane::fuzz::find(name == nullptr ? "" : name);
  if (cane::fuzz::chosen == nullptr) std::exit(2);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    cane::fuzz::chosen->run({data, size});
  } catch (const cane::Error& error) {
    // Messages quote little of a file, and nothing that a terminal would obey.
    const std::string_view text = error.what();
    cane::fuzz::check(text.size() < 2000);
    for (const char character : text) {
      cane::fuzz::check(static_cast<unsigned char>(character) >= 0x20 && character != 0x7F);
    }
  }
  return 0;
}
