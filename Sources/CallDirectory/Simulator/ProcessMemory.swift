// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc) || canImport(Musl)
  #if canImport(Musl)
    internal import Musl
  #else
    internal import Glibc
  #endif

  /// The memory of this process, as Linux counts it.
  public struct ProcessMemory: Sendable, Equatable {
    /// Private memory in bytes: heap, stacks and written data. It corresponds best to the footprint on iOS.
    public var anonymousBytes = 0
    /// Resident memory in bytes, including pages of programs and files that could be dropped.
    public var residentBytes = 0
    /// The greatest ``residentBytes`` since the start or ``resetPeak()``.
    public var peakBytes = 0

    /// Measures the memory, or returns nil when the system gives no values. Allocates almost nothing.
    public static func now() -> ProcessMemory? {
      let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      return withUnsafeTemporaryAllocation(byteCount: 8_192, alignment: 1) { buffer in
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return nil }
        var memory = ProcessMemory()
        for line in UnsafeRawBufferPointer(rebasing: buffer[..<count]).split(separator: UInt8(ascii: "\n")) {
          if line.starts(with: "RssAnon:".utf8) { memory.anonymousBytes = kilobytes(line) }
          if line.starts(with: "VmRSS:".utf8) { memory.residentBytes = kilobytes(line) }
          if line.starts(with: "VmHWM:".utf8) { memory.peakBytes = kilobytes(line) }
        }
        return memory
      }
    }

    /// Resets ``peakBytes``.
    public static func resetPeak() {
      let descriptor = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      _ = write(descriptor, "5", 1)
      close(descriptor)
    }

    private static func kilobytes(_ line: Slice<UnsafeRawBufferPointer>) -> Int {
      line.reduce(0) { (0x30...0x39).contains($1) ? $0 * 10 + Int($1 - 0x30) : $0 } * 1_024
    }
  }
#endif

/// Ends a simulated process at a chosen step. After that step, nothing that the process does has an effect.
///
/// A step is a call to the context or one durable operation of the store. Steps of a killed process are skipped, so a
/// test may let the code run on.
public final class KillSwitch: @unchecked Sendable {
  // Unchecked: both counters are accessed only under the lock.
  private let lock = NSLock()
  private var remaining: Int
  private var count = 0

  /// Creates a process that is killed at a step.
  /// - Parameter steps: the step that has no effect, from 0; `Int.max` for never.
  public init(at steps: Int = .max) { remaining = steps }

  /// Counts a step.
  /// - Returns: false when the process is dead and the step must have no effect.
  public func step() -> Bool {
    lock.withLock {
      guard remaining > 0 else { return false }
      if remaining != .max { remaining -= 1 }
      count += 1
      return true
    }
  }

  /// Whether the process is dead.
  public var isDead: Bool { lock.withLock { remaining == 0 } }

  /// The number of steps that had an effect.
  public var steps: Int { lock.withLock { count } }
}
