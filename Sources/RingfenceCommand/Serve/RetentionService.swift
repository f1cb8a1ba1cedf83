import Intake
import ServiceLifecycle

/// Forgets, hourly, what shall not be kept; ends when the server stops.
struct RetentionService: Service {
  let job: RetentionJob

  func run() async {
    await cancelWhenGracefulShutdown { await job.run() }
  }
}
