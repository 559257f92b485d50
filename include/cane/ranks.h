// Processes that share one task, as mpirun or srun starts them: each has a part of the data. All of
// them call the same functions in the same order. docs/cluster.md tells how to start them.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace cane {

class Communicator;

/// Cheap to copy: copies are the same ranks.
class Ranks {
 public:
  /// This process alone.
  Ranks();
  /// Those that this process was started with; itself alone without a launcher of MPI. Throws Error
  /// if there are several and the plug-in for MPI is missing.
  static Ranks join();

  int rank() const;
  int count() const;
  bool is_alone() const { return count() == 1; }
  /// The first rank speaks for all.
  bool is_first() const { return rank() == 0; }

  /// On the first rank, the texts of all of them in order; nothing on the others.
  std::vector<std::string> gather(const std::string& text) const;

  /// Seconds that this rank has waited for each so far, in the order of the ranks.
  std::vector<double> seconds_waited() const;

  /// For the library's own use.
  Communicator& communicator() const { return *communicator_; }
  explicit Ranks(std::shared_ptr<Communicator> communicator);

 private:
  std::shared_ptr<Communicator> communicator_;
};

}  // namespace cane
