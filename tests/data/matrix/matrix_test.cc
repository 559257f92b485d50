// Labels: threads
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/data_support.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_of_file;
using testing::label_of;
using testing::labels_of;
using testing::npy;
using testing::plain_options;
using testing::raw;
using testing::Row;
using testing::row_of;
using testing::skipping_options;
using testing::TemporaryFolder;
using Labels = std::vector<std::string>;

const std::vector<float> kMatrix = {1, 2, 3, 4, 5, 6};

class NpyTest : public ::testing::Test {
 protected:
  NpyTest() {
    write_matrix(npy("<f4", "(3, 2)", raw(kMatrix)));
    folder_.write("y.npy", npy("<i8", "(3,)", raw(std::vector<std::int64_t>{7, -1, 7})));
  }
  void write_matrix(std::string_view content) { matrix_ = folder_.write("X.npy", content); }
  std::string error(const DataOptions& options = plain_options()) const {
    return error_of_file(matrix_, options);
  }
  void expect_error(const std::string& part) const {
    const std::string message = error();
    EXPECT_THAT(message, ::testing::HasSubstr(part));
  }

  TemporaryFolder folder_;
  std::string matrix_;
};

TEST_F(NpyTest, ReadsEveryTypeOfMatrixInEveryVersion) {
  const std::pair<const char*, std::string> matrices[] = {
      {"<f4", raw(kMatrix)},
      {"<f8", raw(std::vector<double>{1, 2, 3, 4, 5, 6})},
      {"<f2", raw(std::vector<std::uint16_t>{0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600})},
      {"|u1", raw(std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6})},
      {"|i1", raw(std::vector<std::int8_t>{1, 2, 3, 4, 5, 6})},
      {"<i2", raw(std::vector<std::int16_t>{1, 2, 3, 4, 5, 6})},
      {"<u2", raw(std::vector<std::uint16_t>{1, 2, 3, 4, 5, 6})},
      {"<i4", raw(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6})},
      {"<u4", raw(std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6})},
      {"<i8", raw(std::vector<std::int64_t>{1, 2, 3, 4, 5, 6})},
      {"<u8", raw(std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6})}};
  for (const auto& [type, bytes] : matrices) {
    for (const int version : {1, 2, 3}) {
      write_matrix(npy(type, "(3, 2)", bytes, version));
      const LoadedData data = load_data(matrix_, plain_options());
      EXPECT_TRUE(data.view.is_dense());
      EXPECT_EQ(data.view.dimension(), 2U);
      EXPECT_EQ(row_of(data, 0), (Row{{0, 1.0F}, {1, 2.0F}})) << type;
      EXPECT_EQ(row_of(data, 2), (Row{{0, 5.0F}, {1, 6.0F}})) << type;
      EXPECT_EQ(labels_of(data), (Labels{"7", "-1", "7"}));
      EXPECT_EQ(data.vocabulary.labels, (Labels{"-1", "7"}));
    }
  }
}

TEST_F(NpyTest, ReadsOtherOrdersOfBytesAndElements) {
  write_matrix(npy(">i2", "(3, 2)", std::string_view("\0\1\0\2\0\3\0\4\0\5\xFF\xFF", 12)));
  EXPECT_EQ(row_of(load_data(matrix_, plain_options()), 2), (Row{{0, 5.0F}, {1, -1.0F}}));
  write_matrix(npy("|b1", "(3, 2)", std::string_view("\1\0\0\1\1\1", 6)));
  EXPECT_EQ(row_of(load_data(matrix_, plain_options()), 0), (Row{{0, 1.0F}, {1, 0.0F}}));
  write_matrix(npy("<f4", "(3, 2)", raw(std::vector<float>{1, 3, 5, 2, 4, 6}), 1, "True"));
  const LoadedData data = load_data(matrix_, plain_options());
  EXPECT_TRUE(data.view.is_dense());
  EXPECT_EQ(row_of(data, 0), (Row{{0, 1.0F}, {1, 2.0F}}));
  EXPECT_EQ(row_of(data, 2), (Row{{0, 5.0F}, {1, 6.0F}}));
}

TEST_F(NpyTest, ConvertsOnceAndKeepsItWhileMatrixAndLabelsStayTheSame) {
  write_matrix(npy("<f8", "(3, 2)", raw(std::vector<double>{1, 2, 3, 4, 5, 6})));
  DataOptions options = plain_options();
  options.use_cache = true;
  options.cache_directory = folder_.path("cache");
  EXPECT_FALSE(load_data(matrix_, options).report.from_cache);
  const LoadedData again = load_data(matrix_, options);
  EXPECT_TRUE(again.report.from_cache);
  EXPECT_EQ(row_of(again, 1), (Row{{0, 3.0F}, {1, 4.0F}}));
  folder_.write("y.npy", npy("<i8", "(3,)", raw(std::vector<std::int64_t>{1, 2, 3})));
  EXPECT_EQ(labels_of(load_data(matrix_, options)), (Labels{"1", "2", "3"}));
}

template <typename Integer>
std::string labels_file(const char* type) {
  return npy(type, "(3,)", raw(std::vector<Integer>{1, 100, 1}));
}

TEST_F(NpyTest, ReadsEveryTypeOfLabels) {
  for (const std::string& file :
       {labels_file<std::int8_t>("|i1"), labels_file<std::uint8_t>("|u1"),
        labels_file<std::int16_t>("<i2"), labels_file<std::uint16_t>("<u2"),
        labels_file<std::int32_t>("<i4"), labels_file<std::uint32_t>("<u4"),
        labels_file<std::int64_t>("<i8"), labels_file<std::uint64_t>("<u8")}) {
    folder_.write("y.npy", file);
    EXPECT_EQ(labels_of(load_data(matrix_, plain_options())), (Labels{"1", "100", "1"}));
  }
}

TEST_F(NpyTest, ReadsLabelsThatAreStrings) {
  const auto labels_from = [&](std::string_view type, std::string_view bytes) {
    folder_.write("y.npy", npy(type, "(3,)", bytes));
    return labels_of(load_data(matrix_, plain_options()));
  };
  EXPECT_EQ(labels_from("|S3", std::string_view("cat"
                                                "ox\0"
                                                "cat",
                                                9)),
            (Labels{"cat", "ox", "cat"}));
  EXPECT_EQ(labels_from("<U2", {reinterpret_cast<const char*>(U"\u00E9\U0001F600b\0a\u20AC"), 24}),
            (Labels{"\xC3\xA9\xF0\x9F\x98\x80", "b", "a\xE2\x82\xAC"}));
  EXPECT_EQ(labels_from("|b1", std::string_view("\0\1\1", 3)), (Labels{"False", "True", "True"}));
  EXPECT_EQ(labels_from("<f8", raw(std::vector<double>{1, -2, 3})), (Labels{"1", "-2", "3"}));
}

TEST_F(NpyTest, ReadsLabelsFromText) {
  DataOptions options = plain_options();
  options.labels_path = folder_.write("names", "the cat\r\ndog\nthe cat\n\n");
  EXPECT_EQ(labels_of(load_data(matrix_, options)), (Labels{"the cat", "dog", "the cat"}));
  options.labels_path = folder_.write("names.gz", testing::gzip("a\nb\nc"));
  EXPECT_EQ(labels_of(load_data(matrix_, options)), (Labels{"a", "b", "c"}));
}

TEST_F(NpyTest, FindsLabelsByTheirNames) {
  const std::string content = TemporaryFolder::read(matrix_);
  const std::string train = folder_.write("X_train.npy", content);
  EXPECT_EQ(error_of_file(train),
            "X_train.npy: no labels found beside it (tried y_train.npy, y_train.txt, "
            "X_train.labels.npy, X_train.labels.txt); name the file with `labels_path`");
  folder_.write("X_train.labels.txt", "a\nb\nc\n");
  EXPECT_EQ(label_of(load_data(train, plain_options()), 0), "a");
  folder_.write("y_train.txt", "d\ne\nf\n");
  EXPECT_EQ(label_of(load_data(train, plain_options()), 0), "d");
  const std::string other = folder_.write("images", content);
  folder_.write("images.labels.txt", "g\nh\ni\n");
  EXPECT_EQ(label_of(load_data(other, plain_options()), 0), "g") << "recognised by its content";
}

TEST_F(NpyTest, NeedsNoLabelsWhereNoneAreRequired) {
  DataOptions options = plain_options();
  const Vocabulary known = load_data(matrix_, options).vocabulary;
  std::filesystem::remove(folder_.path("y.npy"));
  options.require_labels = false;
  const LoadedData data = load_data(matrix_, options, &known);
  EXPECT_EQ(labels_of(data), (Labels{"?", "?", "?"}));
  EXPECT_EQ(data.report.unseen_labels, 0U);
}

TEST_F(NpyTest, NormalisesWhenReadingAndTakesThatFromTheKnownVocabulary) {
  DataOptions options = plain_options();
  options.normalize = Normalize::kL2;
  const LoadedData train = load_data(matrix_, options);
  EXPECT_FLOAT_EQ(row_of(train, 1)[0], 0.6F);
  EXPECT_FLOAT_EQ(row_of(train, 1)[1], 0.8F);
  folder_.write("y.npy", npy("<i8", "(3,)", raw(std::vector<std::int64_t>{7, 9, 8})));
  const LoadedData test = load_data(matrix_, plain_options(), &train.vocabulary);
  EXPECT_EQ(row_of(test, 1), row_of(train, 1));
  EXPECT_EQ(labels_of(test), (Labels{"7", "?", "?"}));
  EXPECT_EQ(test.report.unseen_labels, 2U);
  EXPECT_EQ(test.report.unseen_label_names, (Labels{"9", "8"}));
}

TEST_F(NpyTest, NamesTheRowOfABadValueOrSkipsIt) {
  std::vector<float> matrix = kMatrix;
  matrix[3] = std::numeric_limits<float>::quiet_NaN();
  write_matrix(npy("<f4", "(3, 2)", raw(matrix)));
  EXPECT_EQ(error(),
            "X.npy: row 1, column 1 (counted from 0): nan is no finite 32-bit number; clean the "
            "data, or pass such rows over with `on_error skip`");
  folder_.write("y.npy", npy("<i8", "(3,)", raw(std::vector<std::int64_t>{7, 8, 9})));
  const LoadedData data = load_data(matrix_, skipping_options());
  EXPECT_EQ(labels_of(data), (Labels{"7", "9"}));
  EXPECT_EQ(data.vocabulary.labels, (Labels{"7", "9"})) << "skipped rows make no classes";
  EXPECT_EQ(row_of(data, 1), (Row{{0, 5.0F}, {1, 6.0F}}));
  EXPECT_EQ(data.report.skipped_lines, 1U);
  write_matrix(npy("<f8", "(3, 2)", raw(std::vector<double>{1, 2, 1e300, 4, 5, 6})));
  EXPECT_THAT(error(), ::testing::HasSubstr("row 1, column 0"));
  write_matrix(npy("<f8", "(3, 2)", raw(std::vector<double>(6, std::nan("")))));
  EXPECT_THAT(error(skipping_options()), ::testing::HasSubstr("every row was skipped (3)"));
}

TEST(NpyThreads, FindTheSameBadRowsForAnyNumberOfThreads) {
  const TemporaryFolder folder;
  constexpr std::size_t kRows = 3000;
  constexpr std::size_t kColumns = 1000;
  std::vector<float> matrix(kRows * kColumns, 1.0F);
  std::string labels;
  for (std::size_t row = 0; row < kRows; ++row) labels += row % 2 == 0 ? "a\n" : "b\n";
  for (const std::size_t row : {1100U, 1101U, 2999U}) {
    matrix[row * kColumns + 999] = std::numeric_limits<float>::infinity();
  }
  const std::string path = folder.write("X.npy", npy("<f4", "(3000, 1000)", raw(matrix)));
  folder.write("y.txt", labels);
  for (const int threads : {1, 2, 8}) {
    DataOptions options = skipping_options();
    options.threads = threads;
    const LoadedData data = load_data(path, options);
    EXPECT_EQ(data.view.size(), kRows - 3);
    EXPECT_THAT(data.report.first_skipped, ::testing::HasSubstr("row 1100, column 999"));
    options.on_error = OnError::kStop;
    EXPECT_THAT(error_of_file(path, options), ::testing::HasSubstr("row 1100, column 999"));
  }
}

TEST_F(NpyTest, RefusesWhatItCannotRead) {
  const std::string bytes = raw(kMatrix);
  write_matrix(
      npy(">\x1b"
          "4",
          "(3, 2)", bytes));
  expect_error("elements of type '>\\x1b4' are not read");
  write_matrix(npy("<c8", "(3, 2)", bytes + bytes));
  expect_error("elements of type '<c8' are not read");
  write_matrix(npy("|S4", "(3, 2)", bytes));
  expect_error("elements of type '|S4' are not read");
  write_matrix(npy("|O", "(3, 2)", bytes));
  expect_error("an array of Python objects is not read; save it.astype(str)");
  write_matrix(npy("<f4", "(6,)", bytes));
  expect_error("the array has 1 dimensions");
  write_matrix(npy("<f4", "(0, 2)", ""));
  expect_error("no examples");
  write_matrix(npy("<f4", "(3, 0)", ""));
  expect_error("0 columns");
  write_matrix(npy("<f4", "(x)", bytes));
  expect_error("does not describe");
  write_matrix(npy("<f4", "(3, 2)", bytes, 4));
  expect_error("version 4");
  write_matrix("a,b,c");
  expect_error("not a NumPy array file");
  write_matrix("");
  expect_error("not a NumPy array file");
}

TEST_F(NpyTest, RefusesFilesThatAreCutOffAnywhere) {
  const std::string intact = TemporaryFolder::read(matrix_);
  for (std::size_t size = 0; size < intact.size(); ++size) {
    write_matrix(intact.substr(0, size));
    EXPECT_FALSE(error().empty()) << size;
  }
  write_matrix(intact + "more");
  expect_error("not what its header announces");
  write_matrix(npy("<f4", "(4611686018427387904, 4)", raw(kMatrix)));
  expect_error("not what its header announces");
}

TEST_F(NpyTest, RefusesLabelsThatDoNotFit) {
  folder_.write("y.npy", npy("<i8", "(2,)", raw(std::vector<std::int64_t>{1, 2})));
  expect_error("y.npy: 2 labels for the 3 rows of X.npy");
  folder_.write("y.npy", npy("<i8", "(3, 1)", raw(std::vector<std::int64_t>{1, 2, 3})));
  expect_error("save y.ravel()");
  folder_.write("y.npy", npy("<f8", "(3,)", raw(std::vector<double>{1, 2.5, 3})));
  expect_error("y.npy: label 2.5 is no whole number");
  folder_.write("y.npy", npy("<i8", "(3,)", raw(std::vector<std::int64_t>{1, 1, 1})));
  expect_error("the only class is '1'");
  DataOptions options = plain_options();
  options.labels_path = folder_.write("t", "a\n\nb\n");
  EXPECT_THAT(error(options), ::testing::HasSubstr("t:2: there is no label"));
  options.on_error = OnError::kSkip;
  EXPECT_EQ(load_data(matrix_, options).view.size(), 2U);
  options.labels_path = folder_.path("missing");
  EXPECT_THAT(error(options), ::testing::HasSubstr("cannot open"));
}

TEST_F(NpyTest, RefusesAnotherDimensionThanTraining) {
  const Vocabulary known = load_data(matrix_, plain_options()).vocabulary;
  write_matrix(npy("<f4", "(2, 3)", raw(kMatrix)));
  EXPECT_THAT(error_of_file(matrix_, plain_options(), &known),
              ::testing::HasSubstr("3 columns, but the model was trained on 2 features"));
}

TEST_F(NpyTest, IsNotReadFromStandardInput) {
  DataOptions options = plain_options();
  options.format = Format::kNpy;
  EXPECT_THAT(error_of_file("-", options), ::testing::HasSubstr("give the file's name"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
