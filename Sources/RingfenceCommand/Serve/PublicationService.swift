import Publishing
import ServiceLifecycle

/// Publishes nights and revocations until the server stops. A publication that is being made is broken off: the next
/// server, or the next start, makes it anew.
struct PublicationService: Service {
  let job: PublicationJob

  func run() async {
    await cancelWhenGracefulShutdown { await job.run() }
  }
}
