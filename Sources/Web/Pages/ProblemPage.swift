/// Values of the template `problem`.
struct ProblemPage: Encodable {
  let title: String
  let detail: String
  let status: Int

  /// A kind of problem that people meet has texts `problem.KIND.title` and `problem.KIND.detail`; any other is worded as
  /// the API words it.
  init(_ problem: Problem, texts: Texts) {
    let kind = problem.type.split(separator: "/").last.map(String.init) ?? ""
    let wait = ["seconds": texts.number(problem.retryAfter ?? 0)]
    title = texts.find("problem.\(kind).title") ?? problem.title
    detail = texts.find("problem.\(kind).detail", wait) ?? problem.detail
    status = problem.status
  }
}
