import Intake
import ServiceLifecycle

/// Keeps the front page's figures up to date; ends when the server stops.
struct FigureService: Service {
  let job: FigureJob

  func run() async {
    await cancelWhenGracefulShutdown { await job.run() }
  }
}
