public import Storage

/// Looks at a publication before it becomes visible. Pure: it is given the figures.
public struct GateChecker: Sendable {
  private let limits: GateLimits
  /// Gates that do not apply: what single numbers that are taken out may do.
  private let exempt: Set<Gate>

  /// - Parameters: what may differ, and the gates that are left open.
  public init(limits: GateLimits, exempt: Set<Gate> = []) {
    self.limits = limits
    self.exempt = exempt
  }

  /// What every gate says of every pack, and of the publication as a whole.
  /// - Parameter packs: of this publication, and those of the one before that it lacks.
  public func look(at packs: [PackStatistics]) -> [GateRecord] {
    var records = packs.flatMap(look(at:))
    let entries = packs.reduce(0) { $0 + ($1.entries ?? 0) }
    records.append(
      record(.nonEmpty, "", entries > 0 ? nil : "There is no number to publish", "\(entries) entries in all"))
    return records
  }

  private func look(at pack: PackStatistics) -> [GateRecord] {
    guard let entries = pack.entries else {
      let former = pack.formerEntries ?? 0
      let failure = "The pack is missing; the publication before had \(former) entries in it"
      return [record(.nonEmpty, pack.name, former > limits.slack ? failure : nil, "gone, with \(former) entries")]
    }
    return [
      record(.readable, pack.name, pack.damage, "read back whole"),
      record(.order, pack.name, pack.disorder, "numbers ascend"),
      record(
        .cap, pack.name, entries > pack.cap ? "\(entries) entries where \(pack.cap) are the most" : nil,
        "\(entries) of \(pack.cap)"),
      record(
        .protected, pack.name,
        pack.protected.isEmpty ? nil : "Protected numbers: \(pack.protected.joined(separator: "; "))", "none"),
      record(
        .nonEmpty, pack.name,
        entries == 0 && (pack.formerEntries ?? 0) > limits.slack
          ? "No entries, where the publication before had \(pack.formerEntries ?? 0)" : nil, "\(entries) entries"),
      size(pack, entries),
      churn(pack),
    ]
  }

  private func size(_ pack: PackStatistics, _ entries: Int) -> GateRecord {
    guard let former = pack.formerEntries else { return record(.size, pack.name, nil, "the first of its name") }
    let text = "\(entries) entries and \(pack.bytes) bytes after \(former) and \(pack.formerBytes)"
    let isSmall = abs(entries - former) <= limits.slack
    let isWithin = Self.isWithin(entries, former, limits) && Self.isWithin(pack.bytes, pack.formerBytes, limits)
    let bounds = "\(Self.percent(limits.leastSize)) to \(Self.percent(limits.greatestSize))"
    return record(.size, pack.name, isSmall || isWithin ? nil : "\(text); allowed are \(bounds)", text)
  }

  private func churn(_ pack: PackStatistics) -> GateRecord {
    guard let former = pack.formerEntries else { return record(.churn, pack.name, nil, "the first of its name") }
    let text = "\(pack.added) numbers came and \(pack.removed) went, of \(former)"
    let most = max(Double(former) * limits.greatestChurn, Double(limits.slack))
    let isWithin = Double(pack.added + pack.removed) <= most
    return record(
      .churn, pack.name, isWithin ? nil : "\(text); allowed are \(Self.percent(limits.greatestChurn))", text)
  }

  private static func isWithin(_ value: Int, _ former: Int, _ limits: GateLimits) -> Bool {
    let (value, former) = (Double(value), Double(former))
    return value >= former * limits.leastSize && value <= former * limits.greatestSize
  }

  private static func percent(_ part: Double) -> String { "\(Int((part * 100).rounded())) %" }

  private func record(_ gate: Gate, _ pack: String, _ failure: String?, _ detail: String) -> GateRecord {
    GateRecord(
      gate: gate.rawValue, pack: pack, passed: failure == nil || exempt.contains(gate), detail: failure ?? detail)
  }
}

extension [GateRecord] {
  /// Notes who overruled what.
  func overruled(by overrules: [PublicationRequest.Overrule]) -> [GateRecord] {
    map { record in
      guard !record.passed, let gate = Gate(rawValue: record.gate), gate.canBeOverruled,
        let word = overrules.first(where: { $0.gate == gate })
      else { return record }
      var record = record
      (record.overruledBy, record.overruledWhy) = (word.by, word.reason)
      return record
    }
  }

  /// The gates that hold the publication back.
  public var closed: [GateRecord] { filter { !$0.passed && $0.overruledBy == nil } }
}
