// NumPy files as datasets: a matrix X.npy or a member of an .npz archive, with its labels. Float32
// and uint8 in rows are used where the file is mapped; everything else (other types and orders,
// archives, SciPy's sparse matrices) is converted once, as a text is, and kept in the cache.
#pragma once

#include <cstdint>
#include <string>

#include "cane/data_options.h"
#include "core/parallel/run_context.h"
#include "data/blocks/parsed_data.h"
#include "data/loaded_data.h"
#include "data/matrix/row_labels.h"

namespace cane {

/// Whether the name or the content says that this is a NumPy array or archive.
bool is_numpy_file(const std::string& path);

/// Whether load_mapped_matrix() reads the file; else parse_matrix() does.
bool is_mapped_matrix(const std::string& path);

/// Like load_data, for matrices that are used where they are mapped. Ranks share the rows, and read
/// no others.
LoadedData load_mapped_matrix(const std::string& path, const DataOptions& options,
                              const Vocabulary* known, const RunContext& run);

/// Like parse_text, for all others. Ranks share the rows of a .npy file; an archive is for one
/// rank.
ParsedData parse_matrix(const std::string& path, const DataOptions& options,
                        const Vocabulary* known, const RunContext& run, StoreLimits store);

/// The rows of a matrix that are this rank's: as many for each, those of lower ranks first.
RowRange share_of_rows(std::uint64_t rows, const Communicator& ranks);
/// Throws Error if no rank has kept any row.
void check_has_rows(const std::string& path, std::uint64_t rows, const ReadReport& report,
                    Communicator& ranks);

}  // namespace cane
