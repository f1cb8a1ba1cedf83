// SPDX-License-Identifier: Apache-2.0

import Accounts
import CallerPack
import Curation
import Foundation
import Importing
import PostgreSQL
import Publishing
import Storage
import Support

/// The checks of what a database of this program's schema holds: data, publications, sources, queues and keys.
struct DataChecks {
  let context: CommandContext

  func findings(_ now: Date) async throws -> [Finding] {
    let figures = try await context.stores.operations.figures()
    let protected = try await context.stores.operations.protectedCount()
    let feeds = try await context.stores.sources.list()
    return [
      .ok("months of reports", "\(figures.partitions); the next one is created with its first report"),
      retention(try await context.stores.retention.state()), try await deletions(now),
      protected == 0
        ? .warning(
          "protected numbers", "none",
          "Protect numbers that must never be published. Public service numbers: ringfence protect \(try await catalog())"
        )
        : .ok("protected numbers", TextFormat.count(protected, "pattern or number", "patterns and numbers")),
      publication(figures, now), lastRun(figures), revocations(figures, now), gates(figures), try queue(figures, now),
      outbox(figures, now), sources(feeds),
      try await accountKey(), try await storedTimes(now),
    ] + rejectedRows(feeds) + (try await ownerCodes(now)) + (try await attestation())
  }

  /// The end of the command that protects public service numbers: of the country of most reports, where the catalog has it.
  private func catalog() async throws -> String {
    let catalog = try ProtectionCatalog.read(resources: context.installation.resources)
    guard let country = try await context.stores.operations.commonCountry(), catalog.countries[country] != nil else {
      return "catalog"
    }
    return "add --catalog \(country)"
  }

  private func retention(_ state: ReportRetention?) -> Finding {
    guard let state else { return .ok("dropped reports", "none") }
    let before = Timestamp.format(state.droppedBefore)
    guard state.isTooYoung else { return .ok("dropped reports", "before \(before)") }
    return .bad(
      "dropped reports",
      state.droppedBefore > state.time
        ? "before \(before), which is in the future: all reports are refused until then"
        : "before \(before), less than \(RetentionStore.minMonths) months ago: older reports are refused",
      "A clock was ahead when they were deleted. Correct the clock. Restore deleted reports from a backup.")
  }

  /// Stored times that only a clock that was ahead can have set.
  private func storedTimes(_ now: Date) async throws -> Finding {
    let wrong = try await context.stores.operations.wrongTimes(at: now)
    guard !wrong.isEmpty else { return .ok("stored times", "none is in the future") }
    let names = wrong.map { "\($0.time.rawValue) (\(TextFormat.count($0.rows, "row")))" }.joined(separator: ", ")
    return .warning(
      "stored times", "in the future: \(names)",
      "A clock was ahead. Work does not wait for these times. Compare `date -u` with another clock.")
  }

  /// Whether the jobs delete data after its time.
  private func deletions(_ now: Date) async throws -> Finding {
    let overdue = try await context.stores.retention.overdue(
      commentDays: try context.folder.settings.commentDays, at: now)
    guard !overdue.isEmpty else { return .ok("retention", "no data is past its time") }
    return .bad(
      "retention", "past their time: \(overdue.map(\.rawValue).joined(separator: ", "))",
      "A server deletes them each hour. Run one, and read its log for: Cannot delete old data")
  }

  private func publication(_ figures: OperationalStatistics, _ now: Date) -> Finding {
    guard let newest = figures.newest else {
      return .warning("publication", "none yet", "Run ringfence publish, or serve with --publish-at 03:00.")
    }
    let hours = now.timeIntervalSince(newest.publishedAt) / 3_600
    let found = String(format: "%lld, %.0f hours old", newest.serial, hours)
    if hours < -0.1 {
      return .bad(
        "publication", String(format: "%lld, made %.1f hours in the future", newest.serial, -hours),
        "A clock was or is wrong. Compare `date -u` with another clock. Clients may reject the next publication."
      )
    }
    guard let shown = try? context.publicationFolder.head() else {
      return .bad(
        "publication", "\(found), but the folder \(context.folder.publications) does not show it",
        "Servers that publish must share one folder. Mount it there, or restore it from a backup.")
    }
    if shown.head.expires <= now {
      return .bad("publication", "\(found), expired: clients reject it", "Run ringfence publish.")
    }
    return hours * 3_600 > PublicationSchedule.maxAge
      ? .warning("publication", found, "Run ringfence publish, and read the server's log for why the schedule did not.")
      : .ok("publication", found)
  }

  private func sources(_ feeds: [Source]) -> Finding {
    let failing = feeds.filter { $0.failures > 0 }
    let suspended = feeds.filter(\.isSuspended)
    if failing.isEmpty, !suspended.isEmpty {
      return .warning(
        "sources", "suspended, because moderators allow most of their numbers: \(Finding.names(suspended.map(\.name)))",
        "Remove them, or end the suspension with: ringfence sources resume NAME")
    }
    guard !failing.isEmpty else { return .ok("sources", feeds.isEmpty ? "none" : "\(feeds.count) are downloaded") }
    let names = failing.map { "\($0.name) (\(TextFormat.count($0.failures, "attempt")))" }
    let others = suspended.isEmpty ? "" : "; suspended: \(Finding.names(suspended.map(\.name)))"
    return .warning(
      "sources", "\(failing.count) of \(feeds.count) cannot be read: \(Finding.names(names))\(others)",
      "Read the reasons with: ringfence sources status. The former entries stay.")
  }

  private func rejectedRows(_ feeds: [Source]) -> [Finding] {
    let names = feeds.filter(\.state.rejected.exceedsThird).map(\.name)
    guard !names.isEmpty else { return [] }
    return [
      .warning(
        "rejected rows", "more than a third of the rows is rejected: \(Finding.names(names))",
        "Read the reasons and examples with: ringfence sources status. Check the format and its options.")
    ]
  }

  private func accountKey() async throws -> Finding {
    guard let kept = try await context.stores.accounts.keyFingerprint() else {
      return .ok("account key", "not used yet")
    }
    guard let key = try context.folder.presentAccountKey() else {
      return .warning(
        "account key", "missing, but second factors need it: a server does not start without it",
        "Restore account.key from a backup, unless the server has it in RINGFENCE_ACCOUNT_KEY.")
    }
    return key.fingerprint == kept
      ? .ok("account key", "matches the second factors")
      : .bad(
        "account key", "does not match the second factors: a server does not start with it",
        "Set the matching key: RINGFENCE_ACCOUNT_KEY, or account.key of another server or a backup.")
  }

  private func lastRun(_ figures: OperationalStatistics) -> Finding {
    figures.hasFailedRun
      ? .bad(
        "last attempt to publish", "failed",
        "Read the reason on /moderation/publications. The server tries again within 10 minutes; or run ringfence publish."
      )
      : .ok("last attempt to publish", figures.newest == nil ? "none yet" : "ended as it should")
  }

  private func revocations(_ figures: OperationalStatistics, _ now: Date) -> Finding {
    let waiting = figures.revocations
    guard let oldest = waiting.oldest else { return .ok("revocations", "none is open") }
    let found = "\(waiting.count) open, the oldest since \(Timestamp.format(oldest))"
    return now.timeIntervalSince(oldest) > 600
      ? .bad("revocations", found, "These numbers should leave the list at once. Run a server, or ringfence publish.")
      : .ok("revocations", found)
  }

  private func gates(_ figures: OperationalStatistics) -> Finding {
    figures.failedGates == 0
      ? .ok("gates", "the last attempt passed")
      : .warning(
        "gates", "\(figures.failedGates) stopped the last attempt",
        "Read the findings on /moderation/publications. To overrule: ringfence publish --overrule GATE --reason WHY --by NAME"
      )
  }

  private func queue(_ figures: OperationalStatistics, _ now: Date) throws -> Finding {
    let queue = figures.reviewQueue
    let age = queue.oldest.map { now.timeIntervalSince($0) } ?? 0
    let found = "\(TextFormat.count(queue.count, "case")), the oldest of \(String(format: "%.1f", age / 86_400)) days"
    return try age > context.folder.settings.caseTargetHours
      ? .warning("review queue", found, "Review the oldest cases on /moderation/queue.") : .ok("review queue", found)
  }

  /// The codes of today for a gateway that costs money.
  private func ownerCodes(_ now: Date) async throws -> [Finding] {
    let settings = context.folder.settings
    guard try settings.ownerCodes?.isEmpty == false else { return [] }
    let (limit, sent) = (try settings.ownerCodesPerDay, try await context.stores.ownerProofs.sentCodes(at: now))
    let found = "\(sent) sent today" + (limit > 0 ? " of at most \(limit)" : "")
    return limit > 0 && sent >= limit
      ? [
        .warning(
          "owner codes", found,
          "Until midnight UTC the page refuses more, and ringfence rights code makes them. Raise owner-codes-per-day if "
            + "owners need more.")
      ] : [.ok("owner codes", found)]
  }

  /// Whether the weight of reports without attestation fits the phones that report, and Android's keys can be checked.
  private func attestation() async throws -> [Finding] {
    let stores = context.stores
    let (origins, set) = (try await stores.apps.origins(), try await stores.thresholds.current())
    let names = Dictionary(try await stores.apps.keys().map { ($0.appID, $0.appName) }) { name, _ in name }
    let weights = names.sorted { $0.key < $1.key }.compactMap { app, name -> Finding? in
      guard let origin = origins[app], let isAttested = origin.isAttested else { return nil }
      let weight = set.rule(ofApp: app).unattested
      guard (weight > 0) == isAttested else { return nil }
      let found = "\(origin.attested) of \(origin.reporters) reporters of \"\(name)\" attest"
      return isAttested
        ? .warning(
          "attestation", "\(found), and reports without attestation weigh \(weight)",
          "Set the weight without attestation to 0 on the page Apps, so that accounts without a phone label no number.")
        : .warning(
          "attestation", "\(found), and reports without attestation have the weight 0: the others are ignored",
          "Raise the weight without attestation on the page Apps until the old versions of the app are gone.")
    }
    return weights + (try await revokedKeys(of: names.keys))
  }

  /// A missing list of revoked keys, where one of the apps has builds for Android that may attest.
  private func revokedKeys(of apps: some Sequence<Int32>) async throws -> [Finding] {
    guard try context.folder.settings.attestationFiles == nil else { return [] }
    for app in apps {
      guard try await context.stores.installations.policy(of: app)?.androidPackages.isEmpty == false else { continue }
      return [
        .warning(
          "attested phones", "attestation-files is not set, so phones with Android get the level software",
          "Set it, and download Google's list of revoked keys, as Documentation/attestation.md says.")
      ]
    }
    return []
  }

  private func outbox(_ figures: OperationalStatistics, _ now: Date) -> Finding {
    let hours = figures.outbox.oldest.map { now.timeIntervalSince($0) / 3_600 } ?? 0
    let found = TextFormat.count(figures.outbox.count, "message waits", "messages wait")
    return hours > 1
      ? .warning("events", found, "A receiver does not answer. See why with: ringfence notify")
      : .ok("events", found)
  }
}
