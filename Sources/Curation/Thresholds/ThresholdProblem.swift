/// Why a threshold cannot be: the field, and the rule it breaks.
public struct ThresholdProblem: Error, Equatable, CustomStringConvertible {
  /// Such as `enter.heat`, with the category and country before it where they are known: `fraud in DE: enter.heat`.
  public var field: String
  /// What the field does wrong, or must do: a verb and its object.
  public var rule: String

  /// - Parameters: see the properties.
  public init(field: String, rule: String) {
    self.field = field
    self.rule = rule
  }

  /// Field and rule in a sentence.
  public var description: String { "\(field) \(rule)." }

  static func twice(_ threshold: Threshold) -> ThresholdProblem {
    ThresholdProblem(field: threshold.name, rule: "is there twice")
  }
}
