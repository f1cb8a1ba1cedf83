// SPDX-License-Identifier: Apache-2.0

/// The best N of many entries: by score, highest first, then by number, lowest first.
///
/// A binary heap whose root is the last of the N; at most N entries of 16 bytes.
struct BestEntries {
  /// An entry's position in the order.
  struct Rank {
    var score: Double
    var number: Int64

    /// Whether the entry comes after another.
    func isBehind(_ other: Rank) -> Bool {
      score != other.score ? score < other.score : number > other.number
    }
  }

  private let limit: Int
  private var heap: [Rank] = []

  /// - Parameter limit: N, at least 1.
  init(limit: Int) {
    self.limit = limit
  }

  /// The last of the N entries if there are N; entries after it are excluded.
  var last: Rank? { heap.count == limit ? heap.first : nil }

  mutating func add(_ rank: Rank) {
    if heap.count < limit {
      heap.append(rank)
      rise()
    } else if heap[0].isBehind(rank) {
      heap[0] = rank
      sink()
    }
  }

  private mutating func rise() {
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBehind(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func sink() {
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < heap.count else { return }
      let child = left + 1 < heap.count && heap[left + 1].isBehind(heap[left]) ? left + 1 : left
      guard heap[child].isBehind(heap[parent]) else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
