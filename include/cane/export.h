// For other programs: the vectors of a model with their names, the whole model as ONNX, and data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cane/dataset.h"
#include "cane/model.h"

namespace cane {

/// The weights of every class over the features, or over the embedding of `encoder bag`.
struct ClassVectors {
  std::size_t classes = 0;
  std::size_t size = 0;        // of a vector
  std::vector<float> weights;  // classes x size
  std::vector<float> biases;
};
/// Throws Error where export_classes() does.
ClassVectors class_vectors(const Model& model);

/// Writes the weights of every class over the features, or over the embedding of `encoder bag`.
/// A path that ends in .npy: a NumPy matrix of floats with a row for each class, its bias in the
/// last column, and the labels, one a line, in the file names_path(path). Any other: the text
/// format of word2vec, without biases; blanks in names become '_'. With path sums the vector of a
/// class is the sum along its path. Throws Error where a class has no vector of its own: online
/// trees, the hierarchical softmax, and models with a part that is one (`select hsm`).
void export_classes(const Model& model, const std::string& path);

/// The same for the embedding of every feature, without biases. Throws Error unless the encoder is
/// `bag`. A feature that is no word is called by its number.
void export_embeddings(const Model& model, const std::string& path);

/// Where the names of the rows of a .npy file are written: "classes.npy" -> "classes.labels.txt".
/// Empty if the path does not end in .npy.
std::string names_path(const std::string& path);

/// Writes the model as ONNX (operator set 13): from `features`, a float matrix with a row for each
/// example, to `scores` and `probabilities` of all classes. The labels are in the metadata.
/// Features must be as the model sees them: cutting text into words, weights of words and scaling
/// to length one stay outside, and the metadata say what was done. Throws Error where
/// export_classes() does, for `encoder mlp`, and if the model has 2 GiB or more, which ONNX cannot
/// hold in one file.
void export_onnx(const Model& model, const std::string& path);

/// Writes the examples with their features as training sees them, a line each. Format::kSvm: with
/// their labels; Format::kVw: with the number of their class, from 1 on, as the multi-class
/// learners of Vowpal Wabbit take it. Other formats are an Error. Examples with labels that
/// training never saw, and weights of examples, are left out.
void export_examples(const Dataset& data, const std::string& path, Format format);

}  // namespace cane
