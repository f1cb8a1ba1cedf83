// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage

/// Votes of PhoneBlock from the evidence of a listed number.
enum PhoneBlockVotes {
  /// The least votes of a number to block, and those of a range: limits of clients are up to 10, and the server has
  /// decided already.
  static let listed = 10

  /// The steps of votes in block lists.
  static let buckets = [2, 4, 10, 20, 50, 100]

  /// The votes of a number; 0 for one that may not be blocked.
  static func votes(of caller: ListedCaller, at time: Date) -> Int {
    guard caller.mayBlock, !caller.isAllowed else { return 0 }
    switch caller.cause {
    case .range, .decision: return listed
    case .reports:
      let evidence = caller.evidence(at: time)
      return max(listed, Int(max(0, evidence.complaints - evidence.legitimate).rounded()))
    }
  }

  /// The votes as block lists have them, rounded down to a step.
  static func bucket(_ votes: Int) -> Int { buckets.last { $0 <= votes } ?? 0 }
}
