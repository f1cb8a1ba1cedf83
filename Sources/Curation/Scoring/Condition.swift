/// One thing that a number must have to be listed, with what it has.
public struct Condition: Sendable, Equatable {
  /// What is asked for.
  public enum Kind: String, Sendable, CaseIterable {
    /// Decayed complaints, half-life 14 days.
    case heat
    /// Decayed complaints, half-life 125 days.
    case evidence
    /// Wilson's lower bound, 0 to 1.
    case confidence
    /// Distinct reporters.
    case reporters
    /// Distinct networks, at least.
    case networks
    /// Distinct days with a complaint.
    case days
    /// Rows of one imported list.
    case listComplaints
    /// Distinct days of one imported list.
    case listDays
  }

  /// What is asked for.
  public var kind: Kind
  /// The imported list it is about; nil for all other kinds.
  public var source: Int32?
  /// What there is, in the unit of the kind.
  public var have: Double
  /// What is needed at least, in the same unit.
  public var need: Double

  /// Whether there is enough.
  public var isMet: Bool { have >= need }

  /// - Parameters: see the properties.
  public init(kind: Kind, source: Int32? = nil, have: Double, need: Double) {
    self.kind = kind
    self.source = source
    self.have = have
    self.need = need
  }
}
