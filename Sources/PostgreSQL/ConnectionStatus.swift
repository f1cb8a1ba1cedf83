// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import Synchronization

/// The state of a connection that other threads can read without its thread.
final class ConnectionStatus: Sendable {
  enum Value: Int, AtomicRepresentable {
    case connecting, idle, dirty, closed
  }

  private let state = Atomic<Value>(.connecting)
  private let descriptor = Atomic<Int32>(-1)
  /// The newest stream or COPY whose reader was released.
  private let abandonedTicket = Atomic<Int>(0)

  var value: Value {
    get { state.load(ordering: .acquiring) }
    set { state.store(newValue, ordering: .releasing) }
  }

  var socket: Int32 {
    get { descriptor.load(ordering: .acquiring) }
    set { descriptor.store(newValue, ordering: .releasing) }
  }

  /// Records that a stream has no reader any more; it may have ended before.
  func abandon(_ ticket: Int) {
    abandonedTicket.store(ticket, ordering: .releasing)
  }

  var needsReset: Bool { value == .dirty || abandonedTicket.load(ordering: .acquiring) != 0 }

  func takeAbandoned() -> Int? {
    let ticket = abandonedTicket.exchange(0, ordering: .acquiringAndReleasing)
    return ticket == 0 ? nil : ticket
  }

  /// Whether an idle connection has nothing to read: a stopped server leaves a message or an end of file.
  var isQuiet: Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
  }
}
