// SPDX-License-Identifier: Apache-2.0

import Foundation
import RingfenceCommand

/// Runs the command line and ends the process with its exit code: 0 success, 1 the measurement failed, 2 wrong usage,
/// 3 cannot read or write.
public func runRingfenceBenchmark() async -> Never {
  exit(await exitCode(running: RingfenceBenchmark.self))
}
