// SPDX-License-Identifier: Apache-2.0

/// The description of the API in `Resources/openapi.yaml`, for `/openapi.json`, the documentation page and tests.
///
/// Missing texts are empty, as the templates require.
package struct OpenAPIDocument: Sendable {
  /// A tag with its operations.
  package struct Group: Sendable {
    package let name: String
    /// The name as a fragment of an address.
    package let anchor: String
    package let text: String
    package let operations: [Operation]
  }

  package struct Operation: Sendable {
    package let id: String
    /// In upper case.
    package let method: String
    /// With parameters in braces.
    package let path: String
    package let summary: String
    package let paragraphs: [String]
    /// The scope that a key needs; empty if no key is needed.
    package let scope: String
    package let parameters: [Field]
    package let bodies: [Body]
    /// Responses that are not problems.
    package let answers: [Answer]
    package let problems: [ProblemReference]
    /// A command for a shell, with the server's address in `$SERVER` and a key in `$KEY`.
    package let curl: String
  }

  /// A parameter of an operation, or a member of an object.
  package struct Field: Sendable {
    package let name: String
    /// Its schema in a few words, such as `string (uuid)`.
    package let kind: String
    package let isRequired: Bool
    package let text: String
  }

  /// A form of a request's body.
  package struct Body: Sendable {
    package let mediaType: String
    package let text: String
    /// JSON.
    package let example: String
  }

  package struct Answer: Sendable {
    package let status: String
    package let text: String
    /// The name of an ``Object``.
    package let model: String
    /// JSON.
    package let example: String
  }

  /// A kind of problem that an operation may return.
  package struct ProblemReference: Sendable {
    package let status: String
    package let slug: String
    /// The path of its page.
    package let path: String
  }

  /// A schema of a JSON object.
  package struct Object: Sendable {
    package let name: String
    package let text: String
    package let fields: [Field]
    /// JSON.
    package let example: String
  }

  /// The document as JSON, with members in the order of the file.
  package let json: String
  package let version: String
  package let introduction: String
  package let groups: [Group]
  package let objects: [Object]

  package init(json: String, version: String, introduction: String, groups: [Group], objects: [Object]) {
    self.json = json
    self.version = version
    self.introduction = introduction
    self.groups = groups
    self.objects = objects
  }

  package var operations: [Operation] { groups.flatMap(\.operations) }
}
