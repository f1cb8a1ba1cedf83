import Intake
import ServiceLifecycle

/// Keeps the moderators' queue right until the server stops.
struct QueueService: Service {
  let job: QueueJob

  func run() async {
    await cancelWhenGracefulShutdown { await job.run() }
  }
}
