// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import Localization

/// Values of the template `problem`.
package struct ProblemPage: Encodable {
  package let title: String
  package let detail: String
  package let status: Int

  /// Known kinds have the texts `problem.KIND.title` and `problem.KIND.detail`; others use the texts of the API.
  package init(_ problem: Problem, texts: Localizer) {
    let kind = problem.type.split(separator: "/").last.map(String.init) ?? ""
    let values = problem.values.merging(["seconds": texts.number(problem.retryAfter ?? 0)]) { own, _ in own }
    title = texts.find("problem.\(kind).title") ?? problem.title
    detail = texts.find("problem.\(kind).detail", values) ?? problem.detail
    status = problem.status
  }
}
