import ServiceLifecycle

/// Runs an intake until the server stops or fails, and then until all that was taken is answered.
struct IntakeService: Service {
  let work: @Sendable () async -> Void
  let close: @Sendable () -> Void

  func run() async {
    // A server that cannot listen cancels its services; it asks none of them to shut down.
    await withTaskCancellationOrGracefulShutdownHandler {
      await work()
    } onCancelOrGracefulShutdown: {
      close()
    }
  }
}
