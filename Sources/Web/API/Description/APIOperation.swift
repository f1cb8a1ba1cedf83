import HTTPTypes
import Storage

/// What can be asked of the server: the source of the OpenAPI document and of the documentation page.
struct APIOperation: Sendable {
  /// In the path or in the query.
  struct Parameter: Sendable {
    enum Place: String, Sendable {
      case path, query, header
    }

    let name: String
    let place: Place
    let schema: JSONValue
    let text: String
    let example: String
  }

  /// A form that the body may have.
  struct Body: Sendable {
    let mediaType: String
    let schema: JSONValue
    let text: String
    let examples: [(name: String, value: JSONValue)]
  }

  /// An answer that is no problem.
  struct Answer: Sendable {
    let status: Int
    let text: String
    var mediaType: String?
    var schema: JSONValue = [:]
    var example: JSONValue?
    /// Header fields, each with what it says.
    var headers: [(name: String, text: String)] = []
    /// Operations that go on from here: name, operation's id, and parameters by expressions.
    var links: [(name: String, operation: String, parameters: [String: JSONValue])] = []
  }

  let method: HTTPRequest.Method
  /// With parameters in braces.
  let path: String
  /// Unique, in camel case.
  let id: String
  let summary: String
  /// Paragraphs of plain text.
  let text: String
  /// What a key must be allowed to do; nil where no key is asked for.
  var scope: AppScopes?
  var parameters: [Parameter] = []
  var bodies: [Body] = []
  let answers: [Answer]
  var problems: [ProblemKind] = []
  /// A command line for a shell, with the server's address in `$SERVER` and a key in `$KEY`.
  let curl: String

  /// Problems of this operation, with those of every one that needs a key or answers with JSON.
  var allProblems: [ProblemKind] {
    let common: [ProblemKind] = scope == nil ? [] : [.unauthorized, .scope, .limited]
    return ProblemKind.allCases.filter { (problems + common + [.internal]).contains($0) }
  }
}

/// Operations that belong together.
struct APIGroup: Sendable {
  let name: String
  let text: String
  let operations: [APIOperation]
}
