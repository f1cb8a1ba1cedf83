import Intake
import ServiceLifecycle

/// Works for apps beside their requests; ends when the server stops, and writes down what it has.
struct AppService: Service {
  let job: AppJob

  func run() async {
    await cancelWhenGracefulShutdown { await job.run() }
    try? await job.noteUses()
  }
}
