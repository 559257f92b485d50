// The message of the Error that an action throws; a failed test and an empty text if it throws
// none.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cane/error.h"

namespace cane::testing {

template <typename Action>
std::string error_text(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

}  // namespace cane::testing
