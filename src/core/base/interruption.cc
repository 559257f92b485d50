#include "core/base/interruption.h"

#include "cane/error.h"

namespace cane {
namespace {

thread_local const std::function<bool()>* current = nullptr;

}  // namespace

InterruptionScope::InterruptionScope(std::function<bool()> gives_up)
    : gives_up_(std::move(gives_up)) {
  current = &gives_up_;
}

InterruptionScope::~InterruptionScope() {
  current = nullptr;
}

void check_interruption() {
  if (current != nullptr && (*current)()) {
    throw Interrupted("interrupted before the first step of the training; there is no model");
  }
}

}  // namespace cane
