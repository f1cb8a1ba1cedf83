// SPDX-License-Identifier: Apache-2.0

import ServiceLifecycle

/// A background job that runs until the server stops.
struct JobService: Service {
  /// The work; ends when its task is cancelled, or after `close`.
  let work: @Sendable () async -> Void
  /// Ends the work after all accepted requests are answered; nil cancels it.
  var close: (@Sendable () -> Void)?
  /// Runs after the work has ended.
  var finish: @Sendable () async -> Void = {}

  func run() async {
    if let close {
      // A server that cannot listen cancels its services without a graceful shutdown.
      await withTaskCancellationOrGracefulShutdownHandler {
        await work()
      } onCancelOrGracefulShutdown: {
        close()
      }
    } else {
      await cancelWhenGracefulShutdown { await work() }
    }
    await finish()
  }
}
