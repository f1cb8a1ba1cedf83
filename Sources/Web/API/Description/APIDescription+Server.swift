import HTTPTypes
import Storage

extension APIDescription {
  static let server = APIGroup(
    name: "Server", text: "For operators and tools.",
    operations: [
      APIOperation(
        method: .get, path: "/healthz", id: "isAlive", summary: "Whether the process runs", text: "Restart it if not.",
        answers: [
          .init(
            status: 200, text: "It does.", mediaType: "application/json", schema: APISchema.model("Status"),
            example: ["status": "alive"])
        ],
        curl: "curl --fail-with-body \"$SERVER/healthz\""),
      APIOperation(
        method: .get, path: "/readyz", id: "isReady", summary: "Whether the server wants requests",
        text: "503 says why: the database does not answer, the intake is nearly full, or the server is to stop.",
        answers: [
          .init(
            status: 200, text: "It does.", mediaType: "application/json", schema: APISchema.model("Status"),
            example: ["status": "ready"])
        ],
        problems: [.unavailable, .stopping],
        curl: "curl --fail-with-body \"$SERVER/readyz\""),
      APIOperation(
        method: .get, path: "/metrics", id: "metrics", summary: "Figures for Prometheus",
        text: """
          In the text format of Prometheus; in that of OpenMetrics for whoever accepts it. Asked from the server's own \
          machine it needs nothing, otherwise the operator's token for metrics as a bearer.
          """,
        answers: [
          .init(
            status: 200, text: "The figures.", mediaType: "text/plain", schema: APISchema.text,
            headers: [("Cache-Control", "no-store")])
        ],
        problems: [.unauthorized],
        curl: "curl --fail-with-body \"$SERVER/metrics\""),
      APIOperation(
        method: .get, path: "/openapi.json", id: "openAPI", summary: "This description, as OpenAPI 3.1",
        text: "For tools that make clients, and tests.",
        answers: [
          .init(
            status: 200, text: "The document.", mediaType: "application/json", schema: ["type": "object"],
            headers: [("ETag", "Of the content."), ("Cache-Control", "public, max-age=300")]),
          .init(status: 304, text: "The same as If-None-Match names.", headers: [("ETag", "Of the content.")]),
        ],
        problems: [.notAcceptable],
        curl: "curl --fail-with-body \"$SERVER/openapi.json\""),
    ])

  static let status = APIModel(
    name: "Status", text: "How the server is.", example: ["status": "ready"],
    fields: [.init("status", APISchema.one(of: ["alive", "ready"]), "In a word.")])

  static let problem = APIModel(
    name: "Problem", text: "What is wrong, as RFC 9457 words it. type leads to a page about this kind of problem.",
    example: [
      "type": "/problems/invalid-report", "title": "The report breaks a rule", "status": 422,
      "detail": "Mend the fields named in errors and send it again.",
      "errors": [
        ["pointer": "/reported_at", "code": "too_old", "detail": "Reports count for a year; this one is older."]
      ],
    ],
    fields: [
      .init("type", APISchema.one(of: ProblemKind.allCases.map(\.path)), "Stable name of the kind; its page's path."),
      .init("title", APISchema.text, "The kind in words."),
      .init("status", APISchema.integer(400...599), "As in the answer's head."),
      .init("detail", APISchema.text, "What it is this time, and what to do."),
      .init(
        "errors", APISchema.list(APISchema.model("ProblemField")), "Fields that are wrong, where there are some.",
        isRequired: false),
    ])

  static let problemField = APIModel(
    name: "ProblemField", text: "What is wrong with one field.",
    example: ["pointer": "/reported_at", "code": "too_old", "detail": "Reports count for a year; this one is older."],
    fields: [
      .init("pointer", APISchema.text, "Where it is, by RFC 6901; empty for the whole."),
      .init("code", APISchema.text, "Stable name of the rule."),
      .init("detail", APISchema.text, "The rule, and what to send instead."),
    ])
}
