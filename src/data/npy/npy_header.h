// The beginning of a NumPy file that is written.
#pragma once

#include <string>

namespace cane {

/// `type` as NumPy writes it ("<f4"), `shape` as in "3, 4" or "3,".
std::string npy_header(const std::string& type, const std::string& shape);

}  // namespace cane
