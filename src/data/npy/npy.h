// NumPy files as datasets: a matrix X.npy or a member of an .npz archive, with its labels. Float32
// and uint8 in rows are used where the file is mapped; everything else (other types and orders,
// archives, SciPy's sparse matrices) is converted once, as a text is, and kept in the cache.
#pragma once

#include <string>

#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "data/loaded_data.h"
#include "data/npy/npy_array.h"
#include "data/npy/row_labels.h"
#include "data/text/block_store.h"
#include "data/text/text_loader.h"

namespace cane {

/// Whether the name or the content says that this is a NumPy array or archive.
bool is_numpy_file(const std::string& path);

/// Whether load_npy() reads the file; else parse_matrix() does.
bool is_mapped_matrix(const std::string& path);

/// Like load_data, for matrices that are used where they are mapped. Ranks share the rows, and read
/// no others.
LoadedData load_npy(const std::string& path, const DataOptions& options, const Vocabulary* known,
                    ThreadPool& pool, Communicator& ranks);

/// Like parse_text, for all others. Ranks share the rows of a .npy file; an archive is for one
/// rank.
ParsedText parse_matrix(const std::string& path, const DataOptions& options,
                        const Vocabulary* known, ThreadPool& pool, StoreLimits store,
                        Communicator& ranks);

/// The rows of a matrix that are this rank's: as many for each, those of lower ranks first.
RowRange share_of_rows(std::uint64_t rows, const Communicator& ranks);

/// Number of features of a matrix with so many rows and columns. Throws Error if there are none, or
/// not as many as the model has.
FeatureId checked_dimension(const std::string& name, const std::vector<std::uint64_t>& shape,
                            const Vocabulary* known);

/// The labels of the rows of this rank of a matrix, which has so many, from a file beside it;
/// without one they are missing, or that is an Error if labels are required. All ranks call it.
RowLabels labels_beside(const std::string& path, std::uint64_t rows, const RowRange& range,
                        const DataOptions& options, Communicator& ranks);

/// The first value that cannot be used in training: NaN, infinity, or beyond the range of float; or
/// the largest one of values whose squares add up to more than that. Their number if all are good.
template <typename Element>
std::size_t find_bad(std::span<const Element> values);

/// What is wrong with a value, for the user.
std::string bad_value_text(const std::string& name, std::uint64_t row, std::uint64_t column,
                           double value);

}  // namespace cane
