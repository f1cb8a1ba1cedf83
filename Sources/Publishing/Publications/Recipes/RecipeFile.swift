// SPDX-License-Identifier: Apache-2.0

public import Curation
import Foundation
import Yams

/// Reads the definitions of packs in `recipes.yaml`.
public enum RecipeFile {
  /// The maximum file size in bytes.
  public static let maximumBytes = 1 << 20
  /// The maximum count of recipes.
  public static let maximumRecipes = 200

  /// Reads the recipes of a file.
  /// - Throws: ``RecipeFileError`` with every error and its line.
  public static func read(contentsOf path: String) throws(RecipeFileError) -> [Recipe] {
    func fail(_ text: String) -> RecipeFileError { RecipeFileError(file: path, problems: [.init(line: 0, text: text)]) }
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? handle.close() }
      data = try handle.read(upToCount: maximumBytes + 1) ?? Data()
    } catch {
      throw fail("it cannot be read: \(error.localizedDescription)")
    }
    guard data.count <= maximumBytes else { throw fail("it has more than 1 MB") }
    guard let text = String(validating: data, as: UTF8.self) else { throw fail("it is not UTF-8") }
    return try read(text, file: path)
  }

  /// Reads the recipes of a text; `file` names it in errors.
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
