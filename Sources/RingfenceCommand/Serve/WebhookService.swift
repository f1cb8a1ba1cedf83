import Publishing
import ServiceLifecycle

/// Tells receivers of publications; ends when the server stops, and what was not sent is sent after the next start.
struct WebhookService: Service {
  let job: WebhookJob

  func run() async {
    await cancelWhenGracefulShutdown { await job.run() }
  }
}
