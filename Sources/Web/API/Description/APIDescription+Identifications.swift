import HTTPTypes
import Storage
import Timestamps

extension APIDescription {
  static let identifications = APIGroup(
    name: "Identifications",
    text: "How often phones could name a caller, and how often not: counts by number and day, without anybody's name.",
    operations: [sendIdentifications])

  private static let sendIdentifications = APIOperation(
    method: .post, path: "/v1/identifications", id: "sendIdentifications", summary: "Send counts of calls",
    text: """
      A batch is counted whole or not at all, and once: it has a batch_id that every retry repeats. At most 1,000 items \
      and 1 MiB.
      """,
    scope: .identify,
    bodies: [
      .init(
        mediaType: "application/json", schema: APISchema.model("IdentificationBatch"), text: "An IdentificationBatch.",
        examples: [("batch", identificationBatch.example)])
    ],
    answers: [
      .init(
        status: 201, text: "The batch is counted and on disk.", mediaType: "application/json",
        schema: APISchema.model("IdentificationAnswer"), example: identificationAnswer.example, headers: limits),
      .init(
        status: 200, text: "The same batch was counted before.", mediaType: "application/json",
        schema: APISchema.model("IdentificationAnswer"),
        example: identificationAnswer.example.merging(["status": "duplicate"]), headers: limits),
    ],
    problems: [
      .malformed, .cutShort, .notAcceptable, .tooSlow, .conflict, .tooLarge, .unsupportedMediaType,
      .unsupportedEncoding, .invalidBatch, .tooMany, .unavailable, .busy,
    ],
    curl: """
      curl --fail-with-body "$SERVER/v1/identifications" \\
        -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
        -d '{"batch_id":"'"$(uuidgen)"'",
             "items":[{"number":"+33162000248","named":3,"unknown":1,"day":"'"$(date -u +%Y-%m-%d)"'"}]}'
      """)

  static let identificationBatch = APIModel(
    name: "IdentificationBatch", text: "Counts of calls.",
    example: ["batch_id": "0b6f1b0e-6a0f-4c67-8a55-1d1c6f6fb1a7", "items": [identificationItem.example]],
    fields: [
      .init("batch_id", APISchema.uuid, "Made by the app; the same for every retry."),
      .init(
        "items", APISchema.list(APISchema.model("IdentificationItem"), 1...Batch.limit),
        "Those of one number and day are added up."),
    ])

  static let identificationItem = APIModel(
    name: "IdentificationItem", text: "The calls of one number on one day.",
    example: [
      "number": "+33162000248", "named": 3, "unknown": 1, "day": .string(String(Timestamp.format(started).prefix(10))),
    ],
    fields: [
      .init(
        "number", ["type": "string", "minLength": 1, "maxLength": 250, "format": "phone-number"],
        "As typed or as the phone has it, at most 250 bytes. National forms need region."),
      .init(
        "region", APISchema.orNull(["type": "string", "format": "country"]),
        "ISO 3166-1 code of the country in which number would be dialled so.", isRequired: false),
      .init("named", APISchema.integer(0...1_000_000), "Calls that a phone could name."),
      .init("unknown", APISchema.integer(0...1_000_000), "Calls that it could not."),
      .init("day", APISchema.day, "In UTC; within the last 30 days, and not after tomorrow."),
    ])

  static let identificationAnswer = APIModel(
    name: "IdentificationAnswer", text: "What became of a batch of identifications.",
    example: ["batch_id": "0b6f1b0e-6a0f-4c67-8a55-1d1c6f6fb1a7", "status": "created"],
    fields: [
      .init("batch_id", APISchema.uuid, "In lower case."),
      .init("status", APISchema.one(of: ["created", "duplicate"]), "duplicate: the same batch was counted before."),
    ])
}
