// Sources that decompress while they are read. Several members or frames in a row read as one text.
#pragma once

#include <memory>

#include "core/file/raw_file.h"
#include "core/file/text_source.h"

namespace cane {

std::unique_ptr<TextSource> open_gzip(RawFile file);
std::unique_ptr<TextSource> open_zstd(RawFile file);

}  // namespace cane
