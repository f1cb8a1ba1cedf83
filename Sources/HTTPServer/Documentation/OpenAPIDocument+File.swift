// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Timestamps
import Yams

extension OpenAPIDocument {
  /// Reads the description of the API from a file.
  /// - Parameters:
  /// - file: path of `openapi.yaml`; its first lines explain the changes made when it is read.
  /// - publicationsNeedKey: whether this server requires a key for publications.
  /// - now: the time in examples.
  /// - Throws: ``OpenAPIFileError`` if the file cannot be read, is not YAML, or lacks a part of the documentation page.
  package init(contentsOf file: String, publicationsNeedKey: Bool, now: Date = Date()) throws(OpenAPIFileError) {
    do {
      guard let data = FileManager.default.contents(atPath: file), let text = String(validating: data, as: UTF8.self)
      else { throw OpenAPIReader.Fault(line: nil, text: "The file does not exist, or cannot be read as UTF-8.") }
      let time = Timestamp.format(now)
      let yaml = text.replacing("${NOW}", with: time).replacing("${TODAY}", with: time.prefix(10))
      // Yams' resolver would apply the types of YAML 1.1 to each scalar; `json()` applies those of JSON.
      guard var root = try Yams.compose(yaml: yaml, .basic) else {
        throw OpenAPIReader.Fault(line: nil, text: "The file is empty.")
      }
      root.decideSecurity(needsKey: publicationsNeedKey)
      self = try OpenAPIReader(root: root).document()
    } catch let fault as OpenAPIReader.Fault {
      throw OpenAPIFileError(file: file, problem: fault.line.map { "Line \($0): \(fault.text)" } ?? fault.text)
    } catch {
      throw OpenAPIFileError(file: file, problem: "The file is not valid YAML: \(error)")
    }
  }
}

/// An error in the description of the API.
package struct OpenAPIFileError: Error, CustomStringConvertible {
  package let file: String
  /// A sentence, with an excerpt of the file below it if the YAML is not valid.
  package let problem: String

  package var description: String {
    """
    Cannot read "\(file)", the description of the API. Correct the file, or restore it from the release.
    \(problem)
    """
  }
}

extension Node {
  /// Applies the operator's choice to operations with optional security (`security: [{}, {key: []}]`).
  fileprivate mutating func decideSecurity(needsKey: Bool) {
    for (path, methods) in self["paths"]?.members ?? [] {
      for (method, operation) in methods.members
      where operation["security"]?.array().contains(where: { $0.mapping?.isEmpty ?? false }) ?? false {
        self["paths"]?[path]?[method] = needsKey ? operation.keyed : operation.open
      }
    }
  }

  private var keyed: Node {
    var operation = self
    operation["security"] = [["key": []]]
    return operation
  }

  private var open: Node {
    var operation = removing(["x-scope"])
    operation["security"] = []
    operation["responses"] = operation["responses"]?.removing(["401", "403", "429"])
    operation["x-codeSamples"] = operation["x-codeSamples"].map { samples in
      Node(
        samples.array().map { sample in
          var sample = sample
          sample["source"] = sample["source"]?.string.map {
            Node($0.replacing(#" -H "Authorization: Bearer $KEY""#, with: ""))
          }
          return sample
        })
    }
    return operation
  }

  /// A mapping without some members.
  private func removing(_ names: Set<String>) -> Node {
    Node((mapping ?? [:]).filter { !names.contains($0.key.string ?? "") }.map { ($0.key, $0.value) })
  }
}
