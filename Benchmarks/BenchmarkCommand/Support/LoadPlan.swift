// SPDX-License-Identifier: Apache-2.0

/// The target, size and duration of a load.
struct LoadPlan: Sendable {
  let target: LoadTarget
  let key: String
  let connections: Int
  let seconds: Int
  /// Reports per request.
  let batch: Int
  let seed: UInt64
  /// Numbers of the fill whose numbers are reported; 0 for ``BenchmarkNumbers``.
  var filled = 0
}
