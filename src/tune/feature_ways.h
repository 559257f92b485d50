// The ways to make features that agree with what the user asked for, from the table of rows.
#pragma once

#include <string>
#include <vector>

#include "cane/config.h"
#include "cane/data_options.h"
#include "tune/feature_rows.h"

namespace cane {

/// All rows of the table with what the user gave in their place, in order; no two are equal.
std::vector<DataOptions> ways_from(FeatureSource source, const DataOptions& asked);

/// The way that is taken where nothing can be measured.
DataOptions usual_way(FeatureSource source, const DataOptions& asked);

/// Whether both make the same features.
bool makes_the_same(const DataOptions& a, const DataOptions& b);

/// "words, runs of 2, pieces of 3-5 letters; tfidf"
std::string way_name(FeatureSource source, const DataOptions& way, EncoderKind encoder);

}  // namespace cane
