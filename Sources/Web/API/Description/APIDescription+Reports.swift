import Curation
import HTTPTypes
import Storage
import Timestamps

extension APIDescription {
  static let limits: [(name: String, text: String)] = [
    ("RateLimit", "What is left of each limit (r) and the seconds until all of it is there again (t)."),
    ("RateLimit-Policy", "Each limit's quota (q) and the seconds in which it fills (w)."),
  ]

  static let reports = APIGroup(
    name: "Reports",
    text: """
      A report is answered when it is on disk. It has a report_id, a UUID of the app's making: whoever got no answer sends \
      the same report under the same id again, as often as it takes, and it counts once.
      """,
    operations: [sendReports, withdrawReport])

  private static let sendReports = APIOperation(
    method: .post, path: "/v1/reports", id: "sendReports", summary: "Send one report, or up to 1,000",
    text: """
      One report is an object. Many are an array, or lines (NDJSON), each with its own result in the answer, in order; a \
      bad one does not keep the others from being taken.

      One report of at most 16 KiB, a batch of at most 1 MiB. Of one report the header Idempotency-Key may bear the UUID \
      instead of report_id.
      """,
    scope: .report,
    bodies: [
      .init(
        mediaType: "application/json",
        schema: [
          "oneOf": [
            APISchema.model("Report"),
            [
              "type": "array", "minItems": 1, "maxItems": .integer(Batch.limit),
              "description": "Reports. An item that is none, or breaks a rule, is answered as invalid in its place.",
              "items": [:],
            ],
          ]
        ],
        text: "A Report, or an array of them.",
        examples: [("one", report.example), ("batch", [report.example])]),
      .init(
        mediaType: "application/x-ndjson", schema: [:], text: "A Report a line; blank lines are passed over.",
        examples: [("lines", report.example)]),
    ],
    answers: [
      .init(
        status: 201, text: "The report is new and on disk.", mediaType: "application/json",
        schema: APISchema.model("ReportAnswer"), example: reportAnswer.example, headers: limits,
        links: [("withdraw", "withdrawReport", ["report_id": "$response.body#/report_id"])]),
      .init(
        status: 200, text: "The same report was there already; or the results of a batch.",
        mediaType: "application/json",
        schema: ["oneOf": [APISchema.model("ReportAnswer"), APISchema.model("BatchAnswer")]],
        example: batchAnswer.example, headers: limits),
    ],
    problems: [
      .malformed, .cutShort, .notAcceptable, .tooSlow, .conflict, .withdrawn, .tooLarge, .unsupportedMediaType,
      .unsupportedEncoding, .invalidReport, .tooMany, .unavailable, .busy,
    ],
    curl: """
      curl --fail-with-body "$SERVER/v1/reports" \\
        -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
        -d '{"number":"+33162000248","category":"fraud","reporter":"user-17",
             "report_id":"'"$(uuidgen)"'","reported_at":"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'"}'
      """)

  private static let withdrawReport = APIOperation(
    method: .delete, path: "/v1/reports/{report_id}", id: "withdrawReport", summary: "Take a report back",
    text: """
      What the report added is subtracted; the reporter's report before it counts again. Taken back twice is taken back. A \
      report that comes again afterwards is answered with 410.
      """,
    scope: .report,
    parameters: [
      .init(
        name: "report_id", place: .path, schema: APISchema.uuid, text: "The UUID it was sent under.",
        example: "9d0c3e0e-1f43-4c0e-8b43-6a1d5a7b1c11")
    ],
    answers: [.init(status: 204, text: "It does not count any more.", headers: limits)],
    problems: [.notFound, .notAcceptable, .unavailable],
    curl: """
      curl --fail-with-body -X DELETE "$SERVER/v1/reports/$REPORT_ID" -H "Authorization: Bearer $KEY"
      """)

  static let report = APIModel(
    name: "Report", text: "What somebody says of a number that called.",
    example: [
      "number": "+33162000248", "category": "fraud", "reporter": "user-17",
      "report_id": "5f0b1f5e-7d3e-4a53-9c1b-0a5a4fc0b9ad", "reported_at": .string(Timestamp.format(started)),
      "comment": "Said to be my bank.",
    ],
    fields: [
      .init(
        "number", ["type": "string", "minLength": 1, "maxLength": 250, "format": "phone-number"],
        "As typed or as the phone has it, at most 250 bytes. National forms need region."),
      .init(
        "region", APISchema.orNull(["type": "string", "format": "country"]),
        "ISO 3166-1 code of the country in which number would be dialled so.", isRequired: false),
      .init("category", APISchema.one(of: ReportCategory.allCases.map(\.slug)), "What the call was."),
      .init(
        "reporter", APISchema.text(1...200),
        "The app's own name for its user, always the same one. It is stored as a keyed hash only."),
      .init("report_id", APISchema.uuid, "Made by the app; the same for every retry."),
      .init(
        "reported_at", APISchema.time,
        "When the reporter spoke; the same for every retry. Not over 5 minutes ahead, and within the last year."),
      .init(
        "comment", APISchema.orNull(["type": "string", "maxLength": 500, "pattern": "^[^\\u0000]*$"]),
        "The reporter's own words.", isRequired: false),
    ])

  static let reportAnswer = APIModel(
    name: "ReportAnswer", text: "What became of a report.",
    example: [
      "number": "+33162000248", "report_id": "5f0b1f5e-7d3e-4a53-9c1b-0a5a4fc0b9ad", "status": "created",
    ],
    fields: [
      .init("number", APISchema.text, "In international form, where it could be read.", isRequired: false),
      .init("report_id", APISchema.text, "As it was sent, where there was one.", isRequired: false),
      .init(
        "status",
        APISchema.one(of: ["created", "duplicate", "conflict", "withdrawn", "invalid", "limited", "failed"]),
        "created or duplicate: it is on disk. In a batch also conflict, withdrawn, invalid, limited (the reporter has "
          + "sent enough for today) and failed: send that one again."),
      .init(
        "errors", APISchema.list(APISchema.model("ProblemField")), "What is wrong, where it was not taken.",
        isRequired: false),
    ])

  static let batchAnswer = APIModel(
    name: "BatchAnswer", text: "What became of a batch.", example: ["results": [reportAnswer.example]],
    fields: [
      .init(
        "results", APISchema.list(APISchema.model("ReportAnswer")), "One for each report, in the order of the batch.")
    ])
}
