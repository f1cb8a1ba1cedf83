// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import HTTPServer
import Foundation
import Hummingbird
import Intake
import PhoneNumbers
import Publishing
import Storage
import Support

/// `/moderation/health`: the state of each component, and what to do if it fails.
struct HealthPages: Sendable {
  let health: HealthStore
  let intake: ReportIntake
  let folder: PublicationFolder
  let publications: PublicationStore
  let pages: PageRenderer

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (texts, now) = (pages.texts(context), Date())
    // Commands need access to the server's data.
    let isAdministrator = try context.worker.role >= .administrator
    let checks = [
      await database(texts), disk(texts), try await publication(now, isAdministrator, texts), intakeDepth(texts),
      queue(context.waiting.all, texts), numbering(now, isAdministrator, texts),
    ]
    return try pages.page("health", HealthCheck.record(checks, texts), context)
  }

  private func database(_ texts: Localizer) async -> HealthCheck {
    let start = ContinuousClock.now
    guard let versions = try? await health.versions() else {
      return HealthCheck("database", .alarm, texts("health.database-gone"), texts)
    }
    let took = Int((ContinuousClock.now - start) / .milliseconds(1))
    return HealthCheck(
      "database", took < 1_000 ? .good : .warn,
      texts(
        "health.database-good",
        [
          "version": versions.server, "migration": versions.migration, "size": texts.bytes(versions.databaseBytes),
          "milliseconds": texts.number(took),
        ]), texts)
  }

  private func disk(_ texts: Localizer) -> HealthCheck {
    // The folder does not exist before the first publication.
    let parent = URL(filePath: folder.path).deletingLastPathComponent().path
    guard let space = FolderSpace(folder.path) ?? FolderSpace(parent) else {
      return HealthCheck("disk", .warn, texts("health.disk-unknown"), texts)
    }
    let part = Double(space.freeBytes) / Double(space.bytes)
    let values = ["free": texts.bytes(space.freeBytes), "part": texts.percent(part)]
    let state: HealthCheck.State = space.isNearlyFull ? .alarm : space.isLow ? .warn : .good
    return HealthCheck("disk", state, texts(state == .good ? "health.disk-good" : "health.disk-low", values), texts)
  }

  private func publication(_ now: Date, _ isAdministrator: Bool, _ texts: Localizer) async throws -> HealthCheck {
    guard let newest = try? folder.head()?.head else {
      return HealthCheck(
        "publication", .warn, texts(isAdministrator ? "health.publication-none" : "publications.none"), texts)
    }
    let last = try await publications.runs(limit: PublicationPages.rows).first { !$0.isRevocation }
    let failed = last?.state == .failed || last?.state == .refused
    let hours = Int(now.timeIntervalSince(newest.issued) / 3_600)
    let values = [
      "serial": "\(newest.serial)", "hours": texts.number(hours), "expires": PageTime(newest.expires, texts).text,
    ]
    if newest.expires <= now {
      return HealthCheck("publication", .alarm, texts("health.publication-expired", values), texts)
    }
    if failed { return HealthCheck("publication", .warn, texts("health.publication-failed", values), texts) }
    let isLate = now.timeIntervalSince(newest.issued) > PublicationSchedule.maxAge
    return HealthCheck("publication", isLate ? .warn : .good, texts("health.publication-good", values), texts)
  }

  private func intakeDepth(_ texts: Localizer) -> HealthCheck {
    let part = Double(intake.depth) / Double(max(1, intake.capacity))
    let values = ["waiting": texts.number(intake.depth), "capacity": texts.number(intake.capacity)]
    return HealthCheck(
      "intake", part > 0.9 ? .alarm : part > 0.5 ? .warn : .good,
      texts(part > 0.5 ? "health.intake-full" : "health.intake-good", values), texts)
  }

  private func numbering(_ now: Date, _ isAdministrator: Bool, _ texts: Localizer) -> HealthCheck {
    let plans = NumberingPlans.current
    let isOld = plans.isOld(at: now)
    let values = ["version": plans.version.description, "date": plans.date]
    return HealthCheck(
      "numbering", isOld ? .warn : .good,
      texts(!isOld ? "health.numbering-good" : "health.numbering-old\(isAdministrator ? "" : "-plain")", values), texts)
  }

  private func queue(_ waiting: Int, _ texts: Localizer) -> HealthCheck {
    HealthCheck("queue", .good, texts.count("health.queue-waiting", waiting), texts)
  }
}

struct HealthCheck {
  enum State: String, Comparable {
    case good, warn, alarm

    private var rank: Int { self == .good ? 0 : self == .warn ? 1 : 2 }

    static func < (one: State, other: State) -> Bool { one.rank < other.rank }
  }

  let state: State
  private let record: TemplateRecord

  init(_ name: String, _ state: State, _ text: String, _ texts: Localizer) {
    self.state = state
    record = [
      "name": texts("health.\(name)"), "tone": state.rawValue, "word": texts("health.\(state.rawValue)"),
      "text": text,
    ]
  }

  /// Values of the template `health`.
  static func record(_ checks: [HealthCheck], _ texts: Localizer) -> TemplateRecord {
    let worst = checks.map(\.state).max() ?? .good
    let kind =
      switch worst {
      case .good: "notice"
      case .warn: "notice warn"
      case .alarm: "error"
      }
    return ["checks": checks.map(\.record), "summary": texts("health.all-\(worst.rawValue)"), "kind": kind]
  }
}
