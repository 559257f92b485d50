#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_support.h"
#include "data/reader/featurizer.h"
#include "data/reader/text_file.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::content_of;
using testing::error_of_file;
using ::testing::HasSubstr;
using testing::labels_of;
using testing::plain_options;
using testing::Row;
using testing::row_of;
using testing::TemporaryFolder;
using testing::words_of;
using Labels = std::vector<std::string>;
using Words = std::map<std::string, float>;

LoadedData load(const std::string& file, std::string_view text,
                const DataOptions& options = plain_options(), const Vocabulary* known = nullptr) {
  const TemporaryFolder folder;
  return load_data(folder.write(file, text), options, known);
}

std::string error(const std::string& file, std::string_view text,
                  const DataOptions& options = plain_options(), const Vocabulary* known = nullptr) {
  const TemporaryFolder folder;
  return error_of_file(folder.write(file, text), options, known);
}

DataOptions with_columns(const std::string& text, const std::string& label,
                         const std::string& features = "") {
  DataOptions options = plain_options();
  options.text_column = text;
  options.label_column = label;
  options.features_columns = features;
  return options;
}

TEST(Tables, ReadTextAndLabelsByTheNamesOfTheirColumns) {
  const LoadedData data = load("a.csv",
                               "\xEF\xBB\xBFid,Text,Label\r\n"
                               "1,\"the cat, the\nhat\",red cat\r\n"
                               "\r\n"
                               "2,dog,\" dog \"\r\n");
  EXPECT_EQ(labels_of(data), (Labels{"red cat", "dog"}));
  EXPECT_EQ(words_of(data, 0), (Words{{"the", 2.0F}, {"cat,", 1.0F}, {"hat", 1.0F}}));
  EXPECT_EQ(words_of(data, 1), (Words{{"dog", 1.0F}}));
  EXPECT_EQ(data.report.notes, (Labels{"columns: label 'Label'; text 'Text'; left out 'id'"}));
}

TEST(Tables, AreTheSameInEveryFormat) {
  const auto expected = content_of(load("a.csv", "text,label,w\na b,x,2\nc,y,0.5\n"));
  EXPECT_EQ(content_of(load("a.tsv", "text\tlabel\tw\na b\tx\t2\nc\ty\t0.5\n")), expected);
  EXPECT_EQ(content_of(load("a.csv", "text;label;w\na b;x;2\nc;y;0.5\n")), expected);
  EXPECT_EQ(content_of(load("a.txt", "text,label,w\na b,x,2\nc,y,0.5\n")), expected);
  EXPECT_EQ(content_of(load("a.txt",
                            "{\"text\": \"a b\", \"label\": \"x\", \"w\": 2}\n"
                            "{\"label\":\"y\",\"w\":0.5,\"text\":\"c\"}\n")),
            expected);
}

TEST(Tables, OfNumbersAreMatrices) {
  const LoadedData data = load("a.csv",
                               "id,a,b,name,label,c\n"
                               "1,0.5,2,x,p,1e1\n"
                               "2,,-3,y,q,NaN\n"
                               "3,1,1,z,p,1\n");
  EXPECT_TRUE(data.view.is_dense());
  EXPECT_EQ(data.vocabulary.feature_kind, FeatureKind::kIndices);
  EXPECT_EQ(row_of(data, 0), (Row{{0, 0.5F}, {1, 2.0F}, {2, 10.0F}}));
  EXPECT_EQ(row_of(data, 1), (Row{{0, 0.0F}, {1, -3.0F}, {2, 0.0F}}));
  EXPECT_EQ(data.report.notes,
            (Labels{"columns: label 'label'; numbers 'a', 'b', 'c'; left out 'id', 'name'"}));
}

TEST(Tables, TakeNoFeaturesFromColumnsThatCountRows) {
  const LoadedData data = load("a.csv", ",a,Index,label\n0,1,7,p\n1,2,8,q\n");
  EXPECT_EQ(data.report.notes,
            (Labels{"columns: label 'label'; numbers 'a'; left out '1', 'Index'"}));
}

TEST(Tables, TakeNamedColumnsAsFeaturesBesideText) {
  const LoadedData data = load("a.csv", "text,city,age,label\na age,Paris,30,x\nb,New York,,y\n",
                               with_columns("text", "", "city,age"));
  EXPECT_EQ(words_of(data, 0),
            (Words{{"a", 1.0F}, {"age", 1.0F}, {"city=Paris", 1.0F}, {"age=", 30.0F}}));
  EXPECT_EQ(words_of(data, 1), (Words{{"b", 1.0F}, {"city=New York", 1.0F}}));
}

TEST(Tables, WeightWordsAndNotNumbers) {
  for (const std::uint32_t bits : {0U, 20U}) {
    DataOptions options = with_columns("text", "", "age");
    options.weights = FeatureWeights::kBinary;
    options.normalize = Normalize::kNone;
    options.hash_bits = bits;
    const LoadedData data = load("a.csv", "text,age,label\na a,30,x\nb,7,y\n", options);
    std::vector<float> values;
    for (const auto& [feature, value] : row_of(data, 0)) values.push_back(value);
    EXPECT_THAT(values, ::testing::UnorderedElementsAre(1.0F, 30.0F)) << bits;
  }
}

TEST(Tables, TellARowOfNamesFromData) {
  DataOptions options = with_columns("1", "2");
  const Labels labels = {"x", "y", "x"};
  EXPECT_EQ(labels_of(load("a.csv", "one two,x\nthree,y\nfour,x\n", options)), labels);
  EXPECT_EQ(labels_of(load("a.csv", "phrases,kind\none two,x\nthree,y\nfour,x\n", options)),
            labels);
  options.header = HeaderRow::kNo;
  EXPECT_EQ(load("a.csv", "phrases,kind\none two,x\nthree,y\nfour,x\n", options).view.size(), 4U);
  EXPECT_EQ(load("a.csv", "0,1,label\n5,6,x\n7,8,y\n").view.size(), 2U) << "numbers as names";
}

TEST(Tables, AreReadThroughAModelByTheNamesOfColumns) {
  const Vocabulary known = load("a.csv", "b,a,label\n1,2,x\n3,4,y\n").vocabulary;
  const LoadedData other = load("b.csv", "label,a,extra,b\ny,4,foo,3\n", plain_options(), &known);
  EXPECT_EQ(row_of(other, 0), (Row{{0, 3.0F}, {1, 4.0F}}));
  EXPECT_EQ(labels_of(other), (Labels{"y"}));
  const LoadedData json = load(
      "b.jsonl", "{\"a\": 4, \"b\": 3, \"label\": \"y\"}\n{\"b\": 1}\n",
      [] {
        DataOptions options = plain_options();
        options.require_labels = false;
        return options;
      }(),
      &known);
  EXPECT_EQ(row_of(json, 0), (Row{{0, 3.0F}, {1, 4.0F}}));
  EXPECT_EQ(row_of(json, 1), (Row{{0, 1.0F}, {1, 0.0F}}));
  EXPECT_EQ(error("b.csv", "label,a\ny,4\n", plain_options(), &known),
            "b.csv: column 'b', which the model was trained on, is missing; the columns are "
            "'label', 'a'");
  DataOptions renamed = plain_options();
  renamed.label_column = "kind";
  EXPECT_EQ(labels_of(load("b.csv", "kind,a,b\ny,4,3\n", renamed, &known)), (Labels{"y"}));
}

TEST(Tables, NameWhatIsWrongWithTheirColumns) {
  EXPECT_EQ(error("a.csv", "text,lable\na,b\nc,d\n"),
            "a.csv: no column is known to be the labels; name the column with `label_column` (the "
            "columns are 'text', 'lable')");
  EXPECT_EQ(error("a.csv", "text,label,class\na,b,c\n"),
            "a.csv: 'label', 'class' may all be the labels; name the column with `label_column` "
            "(the columns are 'text', 'label', 'class')");
  EXPECT_THAT(error("a.csv", "text,intent\na,b\nc,d\n", with_columns("text", "intnt")),
              HasSubstr("has no column 'intnt' (do you mean 'intent'?); the columns are 'text', "
                        "'intent'"));
  EXPECT_EQ(error("a.csv", "a,a,label\n1,2,x\n3,4,y\n"),
            "a.csv: two columns are called 'a'; rename one of them");
  EXPECT_THAT(error("a.csv", "title,body,label\none two,a b c,x\nthree four,d e f,y\n"),
              HasSubstr("'title', 'body' may all be the text"));
  EXPECT_THAT(error("a.svm", "1 1:1\n2 2:1\n", with_columns("text", "")),
              HasSubstr("`text_column`: "));
}

TEST(Tables, NameTheLineOfABadRow) {
  EXPECT_EQ(error("a.csv", "text,label\n\"a\n\nb\",x\nc,y,z\n"),
            "a.csv:5: 3 fields, but the table has 2 columns; complete the row, or put fields that "
            "hold the separator between quotes");
  EXPECT_EQ(error(
                "a.csv", "a,label\n1,x\n2,y\n" +
                             [] {
                               std::string rows;
                               for (int i = 0; i < 2000; ++i) rows += "3,x\n";
                               return rows + "four,x\n";
                             }()),
            "a.csv:2004: column 'a': 'four' is not a finite number; correct it, or leave the "
            "column out with `features_columns`");
  EXPECT_EQ(error("a.csv", "text,label\na,x\nb,\n"),
            "a.csv:3: there is no label; fill its column in each row");
  DataOptions weighted = with_columns("text", "label");
  weighted.weight_column = "w";
  EXPECT_EQ(error("a.csv", "text,label,w\na,x,1\nb,y,-2\n", weighted),
            "a.csv:3: column 'w': weight -2 is negative; weights are 0 or more");
  EXPECT_THAT(error("a.csv", "text,label,w\na,x,1\nb,y,heavy\n", weighted),
              HasSubstr("a.csv:3: column 'w': 'heavy' is not a finite number"));
  EXPECT_THAT(error("a.csv", "text,label\na,x\n\"b,y\nc,x\n"),
              HasSubstr("a.csv:3: field 1 begins with a quote that is not closed"));
  EXPECT_THAT(
      error("a.jsonl", "{\"text\": \"a\", \"label\": \"x\"}\n{\"text\": [1], \"label\": 2}\n"),
      HasSubstr("a.jsonl:2: column 'text' holds an array or an object"));
  EXPECT_THAT(error("a.jsonl", "{\"text\": \"a\", \"label\": \"x\"}\n{\"text\": \n"),
              HasSubstr("a.jsonl:2: '{\"text\": ' is not a JSON object"));
}

TEST(Tables, TakeWeightsFromAColumn) {
  DataOptions options = plain_options();
  options.weight_column = "w";
  const LoadedData data = load("a.csv", "text,label,w\na,x,2.5\nb,y,0\n", options);
  EXPECT_EQ(data.view.weight(0), 2.5F);
  EXPECT_EQ(data.view.weight(1), 0.0F);
}

TEST(Tables, SayWhereColumnsAreOnVeryDifferentScales) {
  const LoadedData data = load("a.csv", "a,b,label\n0.001,5000,x\n0.002,6000,y\n");
  ASSERT_EQ(data.report.notes.size(), 2U);
  EXPECT_THAT(data.report.notes[1],
              HasSubstr("column 'b' has numbers of about 5.5e+03, column 'a' of about 0.0016"));
}

TEST(Tables, KeepTheirColumnsAndNotesInTheCache) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv", "a,b,label\n1,2,x\n3,4,y\n");
  DataOptions options = plain_options();
  options.use_cache = true;
  options.cache_directory = folder.path("cache");
  const LoadedData first = load_data(path, options);
  const LoadedData again = load_data(path, options);
  EXPECT_TRUE(again.report.from_cache);
  EXPECT_EQ(again.report.notes, first.report.notes);
  EXPECT_EQ(content_of(again), content_of(first));
}

// Wherever blocks end, in a quoted field, between doubled quotes or line ends, the rows are the
// same.
TEST(Tables, DoNotDependOnWhereBlocksEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv",
                                        "\"text\",label\r\n"
                                        "\"a \"\"b\"\", c\nd\r\ne\",x\r\n"
                                        "plain,\"y\"\r\n"
                                        "\"\"\"\n\"\"\",x\n"
                                        "\"last\n\",y");
  ThreadPool pool(1);
  const auto rows = [&](std::size_t block_bytes) {
    return content_of(assemble(parse_text_file(path, plain_options(), nullptr, pool, {},
                                               {.block_bytes = block_bytes, .line_bytes = 100}),
                               pool));
  };
  const auto expected = rows(1000);
  ASSERT_EQ(expected.rows.size(), 4U);
  EXPECT_EQ(expected.rows[0].size(), 5U);
  for (std::size_t bytes = 1; bytes < 80; ++bytes) EXPECT_EQ(rows(bytes), expected) << bytes;
}

TEST(Tables, TakeOneJsonObjectForPrediction) {
  const Vocabulary known = load("a.csv", "b,a,label\n1,2,x\n3,4,y\n").vocabulary;
  const ParsedBlock block = Featurizer(known).featurize("{\"a\": 7, \"b\": true}", Format::kAuto);
  ASSERT_EQ(block.features.size(), 2U);
  EXPECT_EQ(block.values[0], 1.0F);
  EXPECT_EQ(block.values[1], 7.0F);
  EXPECT_THROW(Featurizer(known).featurize("1,2", Format::kCsv), Error);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
