// The whole public API: load a dataset, train with a config, save, load, predict.
#pragma once

#include "cane/calibrate.h"     // IWYU pragma: export
#include "cane/config.h"        // IWYU pragma: export
#include "cane/data_options.h"  // IWYU pragma: export
#include "cane/dataset.h"       // IWYU pragma: export
#include "cane/error.h"         // IWYU pragma: export
#include "cane/examples.h"      // IWYU pragma: export
#include "cane/explain.h"       // IWYU pragma: export
#include "cane/export.h"        // IWYU pragma: export
#include "cane/features.h"      // IWYU pragma: export
#include "cane/model.h"         // IWYU pragma: export
#include "cane/model_parts.h"   // IWYU pragma: export
#include "cane/names.h"         // IWYU pragma: export
#include "cane/predict.h"       // IWYU pragma: export
#include "cane/quantize.h"      // IWYU pragma: export
#include "cane/synth.h"         // IWYU pragma: export
#include "cane/train.h"         // IWYU pragma: export
#include "cane/tree.h"          // IWYU pragma: export
#include "cane/tune.h"          // IWYU pragma: export
#include "cane/tune_options.h"  // IWYU pragma: export
#include "cane/version.h"       // IWYU pragma: export
