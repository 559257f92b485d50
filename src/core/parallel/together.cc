#include "core/parallel/together.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <utility>

namespace cane {
namespace {

constexpr std::byte kWentWell = {};
constexpr std::byte kFailed = std::byte{1};

}  // namespace

std::vector<Bytes> do_together(Communicator& ranks, const std::function<Bytes()>& step) {
  if (ranks.is_alone()) return {step()};
  Bytes message;
  const auto fail = [&](const char* why) {
    message = bytes_of_text(fmt::format("{}: {}", ranks.name(), why));
    message.push_back(kFailed);
  };
  try {
    message = step();
    message.push_back(kWentWell);
  } catch (const std::bad_alloc&) {
    fail("there is not enough memory");
  } catch (const std::exception& error) {
    fail(error.what());
  }
  std::vector<Bytes> messages = ranks.all_gather(std::move(message));
  for (Bytes& each : messages) {
    const std::byte outcome = each.back();
    each.pop_back();
    if (outcome == kFailed) throw Error(text_of(each));
  }
  return messages;
}

}  // namespace cane
