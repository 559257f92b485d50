#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_support.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_of_file;
using ::testing::HasSubstr;
using testing::labels_of;
using testing::npy;
using testing::plain_options;
using testing::raw;
using testing::Row;
using testing::row_of;
using testing::TemporaryFolder;
using testing::zip;
using Files = std::map<std::string, std::string>;
using Integers = std::vector<std::int32_t>;
using Labels = std::vector<std::string>;

LoadedData load(const Files& files, const DataOptions& options = plain_options()) {
  const TemporaryFolder folder;
  return load_data(folder.write("a.npz", zip(files)), options);
}

std::string error(const Files& files) {
  const TemporaryFolder folder;
  return error_of_file(folder.write("a.npz", zip(files)));
}

// The rows (0, 2, 0, 3), (), (1, 0, 4, 0), as scipy.sparse.save_npz writes them.
Files sparse(const char* format) {
  const bool by_rows = std::string_view(format) == "csr";
  Files files;
  files["indices.npy"] =
      npy("<i4", "(4,)", raw(by_rows ? Integers{3, 1, 0, 2} : Integers{2, 0, 2, 0}));
  files["indptr.npy"] = by_rows ? npy("<i4", "(4,)", raw(Integers{0, 2, 2, 4}))
                                : npy("<i4", "(5,)", raw(Integers{0, 1, 2, 3, 4}));
  files["data.npy"] =
      npy("<f8", "(4,)",
          raw(by_rows ? std::vector<double>{3, 2, 1, 4} : std::vector<double>{1, 2, 4, 3}));
  files["shape.npy"] = npy("<i8", "(2,)", raw(std::vector<std::int64_t>{3, 4}));
  files["format.npy"] = npy("|S3", "()", format);
  files["y.npy"] = npy("|S1", "(3,)", "aba");
  return files;
}

TEST(Npz, HoldsAMatrixAndItsLabels) {
  const std::string matrix = npy("<i8", "(2, 2)", raw(std::vector<std::int64_t>{1, 0, 3, 4}));
  const std::string labels = npy("<i8", "(2,)", raw(std::vector<std::int64_t>{7, 8}));
  for (const Files& files : {Files{{"X.npy", matrix}, {"y.npy", labels}},
                             Files{{"arr_0.npy", matrix}, {"arr_1.npy", labels}}}) {
    const LoadedData data = load(files);
    EXPECT_TRUE(data.view.is_dense());
    EXPECT_EQ(row_of(data, 0), (Row{{0, 1.0F}, {1, 0.0F}}));
    EXPECT_EQ(labels_of(data), (Labels{"7", "8"}));
  }
  EXPECT_EQ(error({{"weights.npy", matrix}}),
            "a.npz: no member is known to be the matrix ('weights'); save it as "
            "numpy.savez(FILE, X=X, y=y)");
  EXPECT_THAT(error({{"X.npy", matrix}}), HasSubstr("a.npz: no labels found beside it"));
  EXPECT_THAT(error({{"X.npy", "x"}}), HasSubstr("a.npz: X.npy: not a NumPy array file"));
}

TEST(Npz, HoldsASparseMatrixByRowsOrColumns) {
  for (const char* const format : {"csr", "csc"}) {
    const LoadedData data = load(sparse(format));
    EXPECT_FALSE(data.view.is_dense());
    EXPECT_EQ(data.view.dimension(), 4U);
    EXPECT_EQ(row_of(data, 0), (Row{{1, 2.0F}, {3, 3.0F}})) << format;
    EXPECT_EQ(row_of(data, 1), Row{});
    EXPECT_EQ(row_of(data, 2), (Row{{0, 1.0F}, {2, 4.0F}}));
    EXPECT_EQ(labels_of(data), (Labels{"a", "b", "a"}));
  }
  DataOptions options = plain_options();
  options.weights = FeatureWeights::kBinary;
  options.normalize = Normalize::kNone;
  EXPECT_EQ(row_of(load(sparse("csr"), options), 0), (Row{{1, 1.0F}, {3, 1.0F}}));
}

TEST(Npz, RefusesSparseMatricesThatDoNotFit) {
  EXPECT_THAT(error(sparse("coo")), HasSubstr("format 'coo' are not read; save X.tocsr()"));
  const auto broken = [](const char* member, const Integers& numbers) {
    Files files = sparse("csr");
    files[member] = npy("<i4", fmt::format("({},)", numbers.size()), raw(numbers));
    return error(files);
  };
  for (const std::string& message :
       {broken("indices.npy", {3, 1, 0, 4}), broken("indices.npy", {3, 1, 0}),
        broken("indptr.npy", {0, 2, 1, 4}), broken("indptr.npy", {1, 2, 2, 4}),
        broken("indptr.npy", {0, 2, 4}), broken("indptr.npy", {0, 2, 2, 5})}) {
    EXPECT_THAT(message, HasSubstr("its members do not fit together"));
  }
  EXPECT_THAT(broken("indices.npy", {3, 1, 0, -1}), HasSubstr("an index is out of range"));
  Files files = sparse("csr");
  files.erase("data.npy");
  EXPECT_THAT(error(files), HasSubstr("a member is missing"));
}

TEST(Npz, RefusesArchivesThatAreCutOff) {
  const TemporaryFolder folder;
  const std::string whole = zip(sparse("csr"));
  for (std::size_t size = 0; size < whole.size() / 2; size += 7) {
    EXPECT_FALSE(error_of_file(folder.write("a.npz", whole.substr(0, size))).empty()) << size;
  }
}

// Nothing is unpacked that the headers say is of no use.
TEST(Npz, RefusesByTheHeaders) {
  Files files;
  files["X.npy"] = npy("<f4", "(1000000000000, 400)", "");
  files["y.npy"] = npy("<i4", "(1000000000000,)", "");
  EXPECT_THAT(error(files), HasSubstr("of memory that are free"));
  files["y.npy"] = npy("<i4", "(3,)", raw(Integers{1, 2, 1}));
  EXPECT_THAT(error(files), HasSubstr("3 labels for 1000000000000 rows"));
  files["X.npy"] = npy("<f4", "(3, 2)", std::string(100'000'000, '\0'));
  EXPECT_THAT(error(files), HasSubstr("which is not what its header announces"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
