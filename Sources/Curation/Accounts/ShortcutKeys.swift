// SPDX-License-Identifier: Apache-2.0

/// An account's single-key shortcuts on the pages of the queue: which key does what, and whether they are on
/// (WCAG 2.1.4).
public struct ShortcutKeys: Sendable, Equatable {
  public enum Action: String, Sendable, CaseIterable {
    case block
    case identify
    case allow
    case uphold
    case reject
    case protect
    case unsure
    case escalate
    /// Writes a reason, or an answer to an appeal.
    case text
    case label
    /// Ticks that the owner of the number was checked.
    case owner
    case category
    case expiry
    case note
    case next
    case undo
    case leave

    /// The key of accounts that have not chosen their own.
    public var standardKey: Character {
      switch self {
      case .block: "b"
      case .identify: "i"
      case .allow: "a"
      case .uphold: "p"
      case .reject: "r"
      case .protect: "g"
      case .unsure: "u"
      case .escalate: "e"
      case .text: "t"
      case .label: "l"
      case .owner: "v"
      case .category: "c"
      case .expiry: "d"
      case .note: "o"
      case .next: "n"
      case .undo: "z"
      case .leave: "q"
      }
    }
  }

  /// The reason why keys are refused. The raw value is the code of its message.
  public enum Problem: String, Sendable, Error, CaseIterable {
    /// A key is not one Latin letter.
    case notALetter = "not_a_letter"
    case taken
  }

  /// The standard keys, on.
  public static let standard = ShortcutKeys()

  /// Whether keys without Ctrl, Alt or Meta do anything.
  public var isOn = true
  private var keys: [Action: Character] = [:]

  private init() {
    for action in Action.allCases { keys[action] = action.standardKey }
  }

  /// - Parameter typed: the key of each action as typed; an action with an empty one, or without one, has no key.
  /// - Throws: ``Refusal`` with the first action that is wrong.
  public init(isOn: Bool, typed: [Action: String]) throws(Refusal) {
    self.isOn = isOn
    for action in Action.allCases {
      let text = (typed[action] ?? "").lowercased()
      guard let key = text.first else { continue }
      guard text.count == 1, key.isASCII, key.isLetter else { throw Refusal(action: action, problem: .notALetter) }
      guard !keys.values.contains(key) else { throw Refusal(action: action, problem: .taken) }
      keys[action] = key
    }
  }

  /// An action whose typed key is refused.
  public struct Refusal: Error, Equatable {
    public let action: Action
    public let problem: Problem
  }

  /// The key of an action, even while keys are off; empty for none.
  public func chosen(_ action: Action) -> String { keys[action].map(String.init) ?? "" }

  /// The key that does an action; empty for none, and while keys are off.
  public subscript(action: Action) -> String { isOn ? chosen(action) : "" }

  /// The stored form.
  public var text: String {
    ([isOn ? "on" : "off"] + Action.allCases.map { "\($0.rawValue)=\(chosen($0))" }).joined(separator: " ")
  }

  /// - Parameter text: the stored form; nil, and any other text, is ``standard``. An action that a newer version has
  ///   added has its standard key, where no other action has it.
  public init(stored text: String?) {
    self.init()
    guard let text, let first = text.split(separator: " ").first, ["on", "off"].contains(first) else { return }
    var typed: [Action: String] = [:]
    for pair in text.split(separator: " ").dropFirst() {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if let action = Action(rawValue: String(parts[0])) { typed[action] = parts.count > 1 ? String(parts[1]) : "" }
    }
    for action in Action.allCases where typed[action] == nil {
      let key = String(action.standardKey)
      typed[action] = typed.values.contains(key) ? "" : key
    }
    self = (try? ShortcutKeys(isOn: first == "on", typed: typed)) ?? .standard
  }
}
