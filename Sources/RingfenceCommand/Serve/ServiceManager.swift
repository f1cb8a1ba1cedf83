// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Foundation

/// Tells systemd about the state of the service, by datagrams to the socket that it names in the environment; see
/// sd_notify(3). Does nothing for a program that systemd has not started.
struct ServiceManager: Sendable {
  private let address: UnixSocketAddress?
  /// The pause between two signs of life: half of the limit that systemd sets; nil for none.
  private let pause: Duration?

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let name = environment["NOTIFY_SOCKET"] ?? ""
    address = name.hasPrefix("/") || name.hasPrefix("@") ? UnixSocketAddress(name) : nil
    let process = environment["WATCHDOG_PID"].flatMap { Int32($0) }
    let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    pause = limit > 0 && process ?? getpid() == getpid() ? .microseconds(limit / 2) : nil
  }

  /// Sends a state, such as `READY=1`.
  /// - Returns: false where nobody received it.
  @discardableResult
  func tell(_ state: String) -> Bool {
    guard let address else { return false }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return false }
    defer { close(socket) }
    let bytes = Array(state.utf8)
    return address.withPointer {
      sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0, $1) == bytes.count
    }
  }

  /// Sends signs of life until the task is canceled. A process whose threads are all blocked sends none.
  func watch() async {
    guard let pause else { return }
    while !Task.isCancelled {
      tell("WATCHDOG=1")
      try? await Task.sleep(for: pause)
    }
  }
}
