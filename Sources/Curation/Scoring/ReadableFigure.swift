// SPDX-License-Identifier: Apache-2.0

extension Double {
  /// A score, a weight or a limit for reading, with at most four decimal digits: 0.6 for 0.6000000000000001.
  package var readable: Double {
    let scaled = self * 10_000
    return scaled.isFinite ? scaled.rounded() / 10_000 : self
  }
}
