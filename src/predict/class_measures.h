// Measures of single classes: precision, recall and F1, and which class is taken for which. They
// are pure functions of the outcomes, independent of their order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "predict/measures.h"

namespace cane {

/// The counts of every class. Labels not seen in training belong to no class, but their answers
/// count as predicted.
std::vector<ClassMeasures> class_measures(std::span<const Outcome> outcomes, std::size_t classes);

/// Mean F1 of the classes that occur as a label or as an answer; 0 if there are none.
double macro_f1(std::span<const ClassMeasures> classes);
/// Mean F1 weighted by support; 0 without examples.
double weighted_f1(std::span<const ClassMeasures> classes);

/// Every pair of a known label and a wrong answer, the most frequent first; then by label and
/// answer.
std::vector<ConfusedPair> confused_pairs(std::span<const Outcome> outcomes);
/// Fills in the most frequent wrong answer of every class from the sorted pairs.
void add_most_confused(std::span<const ConfusedPair> pairs, std::span<ClassMeasures> classes);

}  // namespace cane
