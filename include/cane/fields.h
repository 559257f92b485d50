// The options of the library, each listed once: visit_fields(options, visit) calls visit(Field,
// member) for every member of a configuration. To add an option, add a member with its default and
// a row here.
#pragma once

#include "cane/calibrate.h"
#include "cane/config.h"
#include "cane/data_options.h"
#include "cane/field.h"
#include "cane/predict.h"
#include "cane/quantize.h"
#include "cane/synth.h"
#include "cane/tree.h"
#include "cane/tune_options.h"

namespace cane {

/// Help headings, in the order in which programs list them.
inline constexpr const char* kMethodGroup = "Method";
inline constexpr const char* kOnlineTreeGroup = "Online trees";
inline constexpr const char* kEncoderGroup = "Representation";
inline constexpr const char* kLearningGroup = "Learning";
inline constexpr const char* kReadingGroup = "Reading";
inline constexpr const char* kFeatureGroup = "Features";
inline constexpr const char* kRunningGroup = "Running";
inline constexpr const char* kPlainGroup = "Options";
/// Group of fields that are not exposed to the users of a program.
inline constexpr const char* kNoGroup = "";

template <MaybeConst<TrainConfig> Config, typename Visit>
void visit_fields(Config& config, const Visit& visit) {
  visit(Field("method", kMethodGroup, "how classes are learned"), config.method);
  visit(Field("select", kMethodGroup, "how candidates are found"), config.select);
  visit(
      Field("candidates", kMethodGroup, "classes that compete with the label", above(0)).or_auto(0),
      config.candidates);
  visit(Field("reuse", kMethodGroup, "epochs for which the search of an example is remembered",
              above(0))
            .or_auto(0),
        config.reuse);
  visit(Field("noises", kMethodGroup, "classes drawn outside the candidates", above(0)).or_auto(0),
        config.noises);
  visit(Field("scorer", kMethodGroup, "a weight vector for every class, or path sums in a tree"),
        config.scorer);
  visit(Field("beam", kMethodGroup, "classes the search looks at; the best are the candidates",
              above(0))
            .or_auto(0),
        config.beam);
  visit(Field("noise", kMethodGroup, "distribution of the noises"), config.noise);
  visit(Field("noise_terms", kMethodGroup, "how the noises of an example are put together"),
        config.noise_terms);
  visit(Field("noise_power", kMethodGroup, "unigram noise: frequency to this power", at_least(0))
            .asked_at_most(100),
        config.noise_power);
  visit(Field("rank", kMethodGroup, "dimensions of the proposals narrow and tree",
              from_to(1, kMaxRank))
            .or_auto(0),
        config.rank);
  visit(Field("tree", kMethodGroup, "tree of the classes").takes(kTreeKinds).reads_file(),
        config.tree);
  visit(Field("arity", kMethodGroup, "children of a node of the tree", at_least(2)), config.arity);
  visit(Field("pilot", kMethodGroup,
              "before a long training, measure on a few examples what is left automatic")
            .spelled("auto")
            .not_stored(),
        config.pilot);

  visit(Field("nodes", kOnlineTreeGroup, "lomtree, recall-tree: most inner nodes",
              from_to(1, kMaxNodes))
            .or_auto(0),
        config.nodes);
  visit(Field("swap_resistance", kOnlineTreeGroup,
              "lomtree: resistance to recycling a leaf for another split"),
        config.swap_resistance);

  visit(Field("encoder", kEncoderGroup,
              "what classes are scored over: the features, the sum of an embedding of each, or "
              "layers with ReLU; auto: the first or, where that takes too many weights, the "
              "second"),
        config.encoder);
  visit(
      Field("dim", kEncoderGroup, "dimensions of an encoded example", from_to(1, kMaxEncoderWidth)),
      config.dim);
  visit(Field("layers", kEncoderGroup, "mlp: layers with ReLU", from_to(1, kMaxEncoderLayers)),
        config.layers);
  visit(Field("dropout", kEncoderGroup, "mlp: share of the units left out in training",
              from_to_below(0, 1)),
        config.dropout);

  visit(Field("start", kLearningGroup, "initial weights: the class means, or zero"), config.start);
  visit(Field("epochs", kLearningGroup,
              "passes over the data; auto: 20, or 5 over a bag of 50,000 examples and more",
              at_least(1))
            .or_auto(0),
        config.epochs);
  visit(Field("lr", kLearningGroup, "learning rate; auto: fits the features", above(0))
            .or_auto(0)
            .asked_at_most(kMaxRate),
        config.lr);
  visit(Field("schedule", kLearningGroup, "learning-rate schedule"), config.schedule);
  visit(Field("whiten", kLearningGroup,
              "auto: steps over dense rows go by the covariance within classes")
            .added_in("0.2"),
        config.whiten);
  visit(Field("optimizer", kLearningGroup, "update rule of the weights"), config.optimizer);
  visit(Field("batch", kLearningGroup, "examples whose gradients are computed at the same weights",
              above(0))
            .or_auto(0),
        config.batch);
  visit(Field("l2", kLearningGroup, "weight decay; auto: none but over an encoder", at_least(0))
            .or_auto(TrainConfig::kAutoDecay)
            .asked_at_most(kMaxRate),
        config.l2);
  visit(Field("class_weight", kLearningGroup,
              "balanced: examples count by how rare their class is, all classes the same")
            .added_in("0.2"),
        config.class_weight);
  visit(Field("clip", kLearningGroup, "largest norm of an example's gradient; 0: no clipping",
              at_least(0)),
        config.clip);
  visit(Field("seed", kLearningGroup, "of all random numbers"), config.seed);
  visit(Field("deterministic", kLearningGroup,
              "the same seed gives the same bits on any number of threads and ranks"),
        config.deterministic);
  visit(Field("memory", kLearningGroup,
              "training examples of each class that the model file keeps, so that further training "
              "does not forget the class; 0: none")
            .or_auto(TrainConfig::kAutoMemory)
            .added_in("0.2"),
        config.memory);
  visit(Field("patience", kLearningGroup,
              "stop after N epochs without a better validation; 0: never"),
        config.patience);

  visit(Field("device", kRunningGroup,
              "where the epochs run: cpu, or a GPU: cuda for the first, cuda:N for another")
            .takes("cpu|cuda|cuda:N")
            .not_stored()
            .added_in("0.2"),
        config.device);
  visit(Field("parallel", kRunningGroup,
              "on several ranks: each has all weights (data), or a part of the classes")
            .not_stored()
            .added_in("0.2"),
        config.parallel);
  visit(
      Field("threads", kRunningGroup, "0: one for each core", from_to(0, DataOptions::kMaxThreads))
          .not_stored(),
      config.threads);
  visit(Field("resume", kRunningGroup, "go on from FILE.checkpoint, or from FILE on other data")
            .not_stored(),
        config.resume);
  visit(Field("checkpoint_every", kRunningGroup,
              "seconds between two checkpoints, at least; 0: one after every epoch", at_least(0))
            .takes("SECONDS")
            .not_stored(),
        config.checkpoint_every);
  visit(Field("note", kRunningGroup, "a note that the model keeps and `cane inspect` shows")
            .takes("TEXT")
            .not_stored()
            .added_in("0.2"),
        config.note);
  visit(Field("calibrate", kLearningGroup,
              "do not fit the probabilities to the validation data or to held-out examples")
            .turned_off_by("no-calibrate")
            .not_stored(),
        config.calibrate);
  visit(Field("keep_best", kNoGroup, "the model is the best on the validation data, not the last")
            .not_stored(),
        config.keep_best);
  visit(Field("checkpoint_path", kNoGroup, "where the state after an epoch is kept")
            .takes("FILE")
            .not_stored(),
        config.checkpoint_path);
}

template <MaybeConst<DataOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit(Field("format", kReadingGroup, "format of the data"), options.format);
  visit(Field("labels_path", kReadingGroup, "labels of a NumPy matrix (X_a.npy finds y_a.npy)")
            .takes("FILE")
            .spelled("labels")
            .reads_file(),
        options.labels_path);
  visit(Field("text_column", kReadingGroup, "table: the text; several with commas between them")
            .takes("COLUMN"),
        options.text_column);
  visit(Field("label_column", kReadingGroup, "table: the label").takes("COLUMN"),
        options.label_column);
  visit(Field("weight_column", kReadingGroup, "table: how much an example counts, 0 or more")
            .takes("COLUMN"),
        options.weight_column);
  visit(Field("features_columns", kReadingGroup,
              "table: further features, numbers or words taken whole; all: every column of "
              "numbers left; the default without a text")
            .takes("A,B,...|all"),
        options.features_columns);
  visit(Field("header", kReadingGroup, "whether the first row of a table names its columns"),
        options.header);
  visit(Field("on_error", kReadingGroup, "at a line that cannot be read"), options.on_error);
  visit(Field("multi_label", kReadingGroup,
              "for an example with several labels; auto: as in training, or else an error"),
        options.multi_label);
  visit(Field("cache_directory", kReadingGroup,
              "keep parsed files here (CANE_CACHE_DIR, ~/.cache/cane)")
            .takes("DIR")
            .spelled("cache", "cache-dir"),
        options.cache_directory);
  visit(Field("use_cache", kReadingGroup, "parse the file again, and keep nothing")
            .turned_off_by("no-cache"),
        options.use_cache);

  visit(Field("tokenizer", kFeatureGroup,
              "how text becomes words: what blanks separate, or words in lower case and marks"),
        options.tokenizer);
  visit(Field("weights", kFeatureGroup,
              "what counts of features become; tfidf: frequent features count less"),
        options.weights);
  visit(Field("normalize", kFeatureGroup,
              "l2: scale every example to length one; auto: with an encoder, binary or tfidf"),
        options.normalize);
  visit(Field("min_count", kFeatureGroup, "leave out words seen less often"), options.min_count);
  visit(Field("hash_bits", kFeatureGroup, "hash words to 2^N features; 0: a dictionary"),
        options.hash_bits);
  visit(Field("word_ngrams", kFeatureGroup, "runs of up to N words are features, too", at_least(1))
            .or_auto(0),
        options.word_ngrams);
  visit(Field("char_ngrams", kFeatureGroup,
              "so are runs of this many characters within a word, its ends marked; ends: the first "
              "five and seven characters of longer words, and the last five"),
        options.char_ngrams);
  visit(Field("ngram_bits", kFeatureGroup,
              "hash n-grams to 2^N features behind the dictionary; 0: a dictionary of them"),
        options.ngram_bits);
  visit(
      Field("ngram_count", kFeatureGroup, "leave out n-grams seen less often", above(0)).or_auto(0),
      options.ngram_count);

  visit(Field("require_labels", kNoGroup, "an example without a label is an error"),
        options.require_labels);
  visit(Field("add_labels", kNoGroup, "labels that a model lacks become classes of it"),
        options.add_labels);
  visit(Field("write_cache", kNoGroup, "a cache is kept for the next reading"),
        options.write_cache);
  visit(Field("threads", kNoGroup, "0: one for each core", from_to(0, DataOptions::kMaxThreads)),
        options.threads);
}

template <MaybeConst<TuneOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit(Field("protocol", kPlainGroup, "successive halving, or the paper's grid"),
        options.protocol);
  visit(Field("trials", kNoGroup, "at most this many; 0: as long as `seconds` says")
            .spelled("budget"),
        options.trials);
  visit(Field("seconds", kNoGroup, "how long it may take, where `trials` is 0", at_least(0))
            .spelled("budget"),
        options.seconds);
  visit(Field("held_out", kPlainGroup, "share of the examples to measure on", between(0, 1)),
        options.held_out);
}

/// Fields shared by prediction and evaluation, which spell `probability` differently.
template <typename Options, typename Visit>
void visit_search_fields(Options& options, const Visit& visit, const Field& probability) {
  visit(Field("beam", kPlainGroup, "width of the search; 0: as in training"), options.beam);
  visit(probability, options.probability);
  visit(Field("noises", kPlainGroup, "draws for an estimated normaliser", at_least(1)),
        options.noises);
  visit(Field("threads", kPlainGroup, "0: one for each core", from_to(0, DataOptions::kMaxThreads)),
        options.threads);
}

template <MaybeConst<PredictOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit(Field("top_k", kPlainGroup, "best classes to print", at_least(1)), options.top_k);
  visit_search_fields(
      options, visit,
      Field("probability", kPlainGroup, "add probabilities; alone: auto").spelled("proba"));
  visit(Field("reject", kPlainGroup,
              "answer `unknown` where the best class is less probable than this", from_to(0, 1)),
        options.reject);
}

template <MaybeConst<EvaluateOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit(Field("top_k", kPlainGroup, "measure the best K classes", at_least(1)), options.top_k);
  visit_search_fields(options, visit,
                      Field("probability", kPlainGroup, "normaliser; exact scores all classes")
                          .spelled("log-loss"));
  visit(Field("reject", kPlainGroup,
              "answers below this probability count as withheld: coverage and risk", from_to(0, 1)),
        options.reject);
  visit(Field("details", kNoGroup, "measures of every class, and of every confidence"),
        options.details);
}

template <MaybeConst<CalibrateOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit_search_fields(options, visit,
                      Field("probability", kPlainGroup, "what the probabilities are normalised by")
                          .spelled("proba"));
}

template <MaybeConst<QuantizeOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit(Field("bits", kPlainGroup, "of a weight: 8 or 16"), options.bits);
}

template <MaybeConst<SynthOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit(Field("classes", kPlainGroup, "number of classes", from_to(2, 1U << 31)), options.classes);
  visit(Field("examples", kPlainGroup, "training examples"), options.examples);
  visit(Field("test_examples", kPlainGroup, "test examples", at_least(1)), options.test_examples);
  visit(Field("dimension", kPlainGroup, "coordinates of an example", at_least(1)).spelled("dim"),
        options.dimension);
  visit(Field("branching", kPlainGroup, "parts of each group in the hierarchy", at_least(2)),
        options.branching);
  visit(Field("noise", kPlainGroup, "standard deviation around a class's centre", above_to(0, 1e6)),
        options.noise);
  visit(
      Field("zipf", kPlainGroup, "class frequencies fall as rank^-X; 0: balanced", from_to(0, 100)),
      options.zipf);
  visit(Field("seed", kPlainGroup, "of all random numbers"), options.seed);
  visit(Field("as_text", kNoGroup, "svm instead of npy").spelled("format"), options.as_text);
  visit(Field("threads", kPlainGroup, "0: one for each core", from_to(0, DataOptions::kMaxThreads)),
        options.threads);
}

}  // namespace cane
