// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Intake
import Storage

/// `/moderation/usefulness`: calls that matched, by source, pack, band and type of number.
struct UsefulnessPages: Sendable {
  let stores: Stores
  let pseudonymizer: Pseudonymizer
  let pages: PageRenderer

  static let address = "/moderation/usefulness"

  /// The figures that pages show.
  /// - Parameter onlyDays: whether sums by class are left out.
  static func figures(
    of store: RemediationStore, _ pseudonymizer: Pseudonymizer, onlyDays: Bool = false, at now: Date
  ) async throws -> RemediationFigures {
    try await store.figures(onlyDays: onlyDays, at: now, bits: pseudonymizer.secret(for:))
  }

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (texts, now) = (pages.texts(context), Date())
    let figures = try await Self.figures(of: stores.remediations, pseudonymizer, at: now)
    var packs: [PublishedPack] = []
    if let serial = try await stores.publications.latest()?.serial {
      packs = try await stores.publications.find(serial)?.packs ?? []
    }
    var sizes: [RemediationClass: [String: (numbers: Int64, bytes: Int64?)]] = [:]
    for pack in packs { sizes[.pack, default: [:]][pack.name] = (pack.entries, pack.bytes) }
    // A class costs what its numbers take in packs at the average size of an entry.
    let (entries, bytes): (Int64, Int64) = packs.reduce((0, 0)) { ($0.0 + $1.entries, $0.1 + $1.bytes) }
    let perEntry: Double? = entries > 0 ? Double(bytes) / Double(entries) : nil
    var numbers = try await stores.remediations.listedNumbers()
    let sources = try await stores.sources.list()
    for source in sources { numbers[.source, default: [:]][source.name] = Int64(source.state.entries) }
    for (kind, values) in numbers {
      for (value, count) in values {
        sizes[kind, default: [:]][value] = (count, perEntry.map { Int64($0 * Double(count)) })
      }
    }
    let bound = figures.usefulnessBound(ofPacks: sizes[.pack]?.mapValues(\.numbers) ?? [:]) ?? 0
    let useless = sources.filter { source in
      source.addedAt < RemediationFigures.firstWeek(at: now)
        && figures.isUseless(source.name, numbers: Int64(source.state.entries), bound: bound)
    }.map(\.name)
    let proposal = texts(
      "usefulness.useless", ["sources": useless.joined(separator: ", "), "bound": texts.decimal(bound)])
    return try pages.page(
      "usefulness",
      [
        // A sentence that proposes to remove sources.
        "useless": useless.isEmpty ? "" : proposal,
        "sourcesLink": Navigation.link(SourcePages.address, for: context.moderator?.role ?? .triage),
        "tables": RemediationClass.allCases.map { kind in
          let rows = figures.parts.filter { $0.kind == kind }.map { Self.record($0, sizes[kind]?[$0.value], texts) }
          return ["title": texts("usefulness.\(kind.rawValue)"), "rows": rows] as TemplateRecord
        },
      ], context)
  }

  private static func record(
    _ part: RemediationFigures.Part, _ size: (numbers: Int64, bytes: Int64?)?, _ texts: Localizer
  ) -> TemplateRecord {
    let useful = size.flatMap { part.usefulness(numbers: $0.numbers) }
    let name =
      switch part.kind {
      case .pack, .source: part.value
      case .numberType: texts("case.kind.\(part.value)")
      default: texts("usefulness.\(part.kind.rawValue)-\(part.value)")
      }
    return [
      "name": name, "numbers": size.map { texts.number($0.numbers) } ?? "–",
      "matched": "\(texts.number(max(0, part.tally.matched))) ± \(texts.number(part.error))",
      "useful": useful.map { texts.decimal($0) } ?? "–",
      "overridden": part.overrideRate.map { texts.decimal($0) } ?? "–",
      "bytes": size?.bytes.map { texts.bytes($0) } ?? "–",
    ]
  }
}
