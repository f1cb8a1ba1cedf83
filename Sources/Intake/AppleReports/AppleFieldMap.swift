// SPDX-License-Identifier: Apache-2.0

public import PhoneNumbers

/// The names that an app uses in the dictionary for Apple's reporting extension. All other members are dropped, so
/// that the text of a message is never stored.
public struct AppleFieldMap: Sendable, Equatable {
  /// The member with the number. The map applies to dictionaries that have it.
  public var number: String
  /// ISO 3166-1 alpha-2 of numbers in national form; nil for international numbers alone.
  public var region: String?
  public var category: String?
  /// Categories of this server by the app's own; the app's names are used as they are if this is empty.
  public var categories: [String: String]
  /// The category of a report without one; nil drops such reports.
  public var standardCategory: String?
  /// The member that is true for a legitimate caller.
  public var legitimate: String?
  public var action: String?
  /// The member with the UUID of the report.
  public var reportID: String?
  /// The member with the token of the installation.
  public var token: String?
  /// The member with the time, RFC 3339.
  public var reportedAt: String?
  /// The name of the app whose reports are accepted without a token; nil refuses them.
  public var appWithoutToken: String?

  package init(
    number: String, region: String? = nil, category: String? = nil, categories: [String: String] = [:],
    standardCategory: String? = nil, legitimate: String? = nil, action: String? = nil, reportID: String? = "report_id",
    token: String? = "token", reportedAt: String? = nil, appWithoutToken: String? = nil
  ) {
    self.number = number
    self.region = region
    self.category = category
    self.categories = categories
    self.standardCategory = standardCategory
    self.legitimate = legitimate
    self.action = action
    self.reportID = reportID
    self.token = token
    self.reportedAt = reportedAt
    self.appWithoutToken = appWithoutToken
  }

  /// The names that are recommended for new apps.
  public static let standard = AppleFieldMap(
    number: "number", category: "category", action: "action", reportedAt: "reported_at")

  public static let saracroche = AppleFieldMap(
    number: "phoneNumber", standardCategory: "other", legitimate: "is_good", reportedAt: "reportedAt")

  /// Reads a number with a plus, with 00, as an integer, or in national form of the region.
  /// - Parameter takesPlain: whether a text of digits without a prefix is an international number: senders of messages
  ///   have no plus, but in a report it may be a national number of some country.
  /// - Returns: a number of the plan, else one that it may not have yet; nil for anything else, such as a short code, a name
  ///   or an e-mail address.
  public static func number(_ value: AppleValue?, region: String?, takesPlain: Bool = false) -> PhoneNumber? {
    switch value {
    case .integer(let digits) where digits > 0: return try? PhoneNumber.parsePossible("+\(digits)", region: nil).number
    case .text(let text) where text.utf8.count <= 100:
      // Letters would be read as on a keypad, and a sender may be a name.
      guard !text.unicodeScalars.contains(where: \.properties.isAlphabetic) || PhoneNumber.isURI(text) else {
        return nil
      }
      let own = try? PhoneNumber.parsePossible(text, region: region)
      guard takesPlain || region != nil, own?.isAssigned != true else { return own?.number }
      let other = try? PhoneNumber.parsePossible(text, region: nil, isInternational: true)
      return (other?.isAssigned == true ? other : own ?? other)?.number
    default: return nil
    }
  }
}

/// A member of the dictionary that an app gives to Apple's reporting extension.
public enum AppleValue: Sendable, Equatable, Decodable {
  case text(String)
  case integer(Int64)
  case truth(Bool)
  case null
  /// Anything else; its content is dropped.
  case other

  /// - Throws: never.
  public init(from decoder: any Decoder) throws {
    guard let container = try? decoder.singleValueContainer() else {
      self = .other
      return
    }
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .truth(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else {
      self = .other
    }
  }

  /// True or false, as JSON, as 1 and 0, or in the usual words; nil for anything else. Null is false.
  var isTrue: Bool? {
    switch self {
    case .truth(let value): value
    case .integer(1): true
    case .integer(0), .null: false
    case .integer, .other: nil
    case .text(let text):
      switch text.lowercased() {
      case "true", "yes", "1": true
      case "false", "no", "0", "": false
      default: nil
      }
    }
  }

  /// A text of at most 200 bytes; nil for anything else.
  var shortText: String? {
    guard case .text(let text) = self, text.utf8.count <= 200 else { return nil }
    return text
  }
}
