import Intake
import Logging
import ServiceLifecycle

/// Weighs reporters hourly and keeps intake's knowledge of protected numbers fresh; ends when the server stops.
struct CurationService: Service {
  let job: CurationJob
  let protection: ProtectionWatch
  let logger: Logger

  func run() async {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await job.run() }
        group.addTask { await protection.run(logger: logger) }
      }
    }
  }
}
