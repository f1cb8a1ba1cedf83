// SPDX-License-Identifier: Apache-2.0

public import Curation
import Foundation
import Support
import Synchronization
import Yams

/// Reads the definitions of packs in `recipes.yaml`.
public enum RecipeFile {
  public static let maximumBytes = 1 << 20
  static let maximumRecipes = 200

  /// - Throws: ``RecipeFileError`` with every error and its line.
  public static func read(contentsOf path: String) throws(RecipeFileError) -> [Recipe] {
    func fail(_ text: String) -> RecipeFileError { RecipeFileError(file: path, problems: [.init(line: 0, text: text)]) }
    let data: [UInt8]
    do throws(FileFailure) {
      data = try InputFile(path).readAll(limit: Self.maximumBytes)
    } catch {
      throw fail("it cannot be read: \(error.reason)")
    }
    guard data.count <= maximumBytes else { throw fail("it has more than 1 MB") }
    guard let text = String(validating: data, as: UTF8.self) else { throw fail("it is not UTF-8") }
    return try read(text, file: path)
  }

  /// `file` names the text in errors.
  /// - Throws: ``RecipeFileError`` with every error and its line.
  public static func read(_ text: String, file: String = "recipes.yaml") throws(RecipeFileError) -> [Recipe] {
    let root: Node?
    do {
      root = try Yams.compose(yaml: text)
    } catch {
      throw RecipeFileError(file: file, problems: [problem(error)])
    }
    let reader = RecipeReader()
    let recipes = reader.recipes(root)
    guard reader.problems.isEmpty else {
      throw RecipeFileError(file: file, problems: reader.problems.sorted { $0.line < $1.line })
    }
    return recipes
  }

  private static func problem(_ error: any Error) -> RecipeFileError.Problem {
    guard let error = error as? YamlError else { return .init(line: 0, text: "it is no YAML") }
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return .init(line: mark.line, text: "it is no YAML: \(problem)")
    case .duplicatedKeysInMapping(let duplicates, let context):
      return .init(
        line: context.mark.line,
        text: "a key is given twice: \(duplicates.map { "\($0)" }.sorted().joined(separator: ", "))")
    default: return .init(line: 0, text: "it is no YAML")
    }
  }
}

/// The recipes in force. They are read again for each publication, because an operator may change the file while the server
/// runs.
final class CurrentRecipes: Sendable {
  private let read: @Sendable () throws -> [Recipe]
  private let last = Mutex<[Recipe]?>(nil)

  init(_ read: @escaping @Sendable () throws -> [Recipe]) {
    self.read = read
  }

  func current() throws -> [Recipe] {
    let recipes = try read()
    last.withLock { $0 = recipes }
    return recipes
  }

  /// The recipes in force, or the last ones that could be read: a revocation does not wait for a correction of the file.
  /// - Throws: the errors of reading where none could be read before.
  func currentOrLast() throws -> [Recipe] {
    do {
      return try current()
    } catch {
      guard let last = last.withLock({ $0 }) else { throw error }
      return last
    }
  }
}

/// The errors in a recipe file.
public struct RecipeFileError: Error, Sendable, Equatable, CustomStringConvertible {
  public struct Problem: Sendable, Equatable {
    /// From 1; 0 if the error has no line, such as a missing file.
    public var line: Int
    /// The error and the correct values, such as `top must be 1 to 1999999`.
    public var text: String
  }

  /// The file's name as given.
  public var file: String
  /// In the order of lines; at least one.
  public var problems: [Problem]

  /// One line for each problem: `recipes.yaml:12: top must be 1 to 1999999`.
  public var description: String {
    problems.map { $0.line > 0 ? "\(file):\($0.line): \($0.text)" : "\(file): \($0.text)" }.joined(separator: "\n")
  }
}
