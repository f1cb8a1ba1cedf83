import Curation
import HTTPTypes
import Storage

extension APIDescription {
  static let numbers = APIGroup(
    name: "Numbers", text: "Why a number is listed, and look-ups that keep the caller private.",
    operations: [explainNumber, lookUpByHash])

  private static let explainNumber = APIOperation(
    method: .get, path: "/v1/numbers/{number}", id: "explainNumber", summary: "Ask why a number is listed, or not",
    text:
      "An account in plain English, and the figures behind it. Every number has one, also one that nobody reported.",
    scope: .lookup,
    parameters: [
      .init(
        name: "number", place: .path, schema: APISchema.text(matching: "^\\+?[1-9][0-9]{0,14}$"),
        text: "The digits of E.164, with a plus (%2B) or without.", example: "33162000248")
    ],
    answers: [
      .init(
        status: 200, text: "What is known of the number.", mediaType: "application/json",
        schema: APISchema.model("Explanation"), example: explanation.example,
        headers: limits + [("Cache-Control", "private, max-age=60")])
    ],
    problems: [.notANumber, .notAcceptable, .unavailable],
    curl: """
      curl --fail-with-body "$SERVER/v1/numbers/33162000248" -H "Authorization: Bearer $KEY"
      """)

  private static let lookUpByHash = APIOperation(
    method: .get, path: "/v1/numbers/by-hash/{prefix}", id: "lookUpByHash",
    summary: "Look a caller up without telling who it is",
    text: """
      Hash the number as text with its plus, such as +33162000248, by SHA-256; send the first 4 to 8 hex digits; compare \
      the whole hash with the entries at home. With 4 digits the server learns one in 65,536 numbers. It answers for the \
      numbers that the newest packs hold because of complaints, rulings or approved ranges: not for what no pack has \
      room for, nor for names of a directory. Answers are padded to a multiple of 4,096 bytes and may be kept for an hour.
      """,
    scope: .lookup,
    parameters: [
      .init(
        name: "prefix", place: .path, schema: APISchema.text(matching: "^[0-9a-f]{4,8}$"),
        text: "4 to 8 hex digits in lower case.", example: "5ae2")
    ],
    answers: [
      .init(
        status: 200, text: "Every listed number whose hash begins so.", mediaType: "application/json",
        schema: APISchema.model("HashAnswer"), example: hashAnswer.example,
        headers: limits + [("ETag", "Of the content."), ("Cache-Control", "private, max-age=3600")]),
      .init(status: 304, text: "The same as If-None-Match names.", headers: limits + [("ETag", "Of the content.")]),
    ],
    problems: [.notAPrefix, .notAcceptable, .unavailable],
    curl: """
      curl --fail-with-body "$SERVER/v1/numbers/by-hash/$(printf %s +33162000248 | sha256sum | head -c 4)" \\
        -H "Authorization: Bearer $KEY"
      """)

  static let explanation = APIModel(
    name: "Explanation", text: "Why a number is listed, or not.",
    example: [
      "number": "+33162000248", "as_of": "2026-11-21T12:00:00Z", "verdict": "quiet", "country": "FR",
      "account": ["Quiet: there is not enough against it to list it.", "Nobody has reported it."],
    ],
    fields: [
      .init("number", APISchema.text, "In international form."),
      .init("as_of", APISchema.time, "When this was so."),
      .init(
        "verdict",
        APISchema.one(of: ["protected", "ruled", "held", "listed", "candidate", "watched", "quiet"]),
        "What decides: protection, a moderator's ruling, a hold, or reports."),
      .init("account", APISchema.list(APISchema.text), "Sentences for people."),
      .init("country", APISchema.text, "ISO 3166-1 code.", isRequired: false),
      .init("category", APISchema.one(of: ReportCategory.allCases.map(\.slug)), "What it is.", isRequired: false),
      .init("protected", APISchema.text, "Why it is never published.", isRequired: false),
      .init("heat", APISchema.figure, "Complaints, each of which fades by half in 14 days.", isRequired: false),
      .init("evidence", APISchema.figure, "Complaints, each of which fades by half in 125 days.", isRequired: false),
      .init("legitimate", APISchema.figure, "Votes for the number, faded likewise.", isRequired: false),
      .init("confidence", APISchema.figure, "0 to 1.", isRequired: false),
      .init("reporters", APISchema.count, "Who count for something.", isRequired: false),
      .init("networks", APISchema.count, "That they sent from.", isRequired: false),
      .init("days", APISchema.count, "On which there were complaints, of the last 64.", isRequired: false),
      .init("categories", APISchema.list(["type": "object"]), "The same by category.", isRequired: false),
      .init(
        "weights", ["type": "object"], "How many reporters count in full, in part and not at all.", isRequired: false),
      .init(
        "conditions", APISchema.list(["type": "object"]),
        "What it takes to be listed: condition, list, have, need, met.",
        isRequired: false),
      .init(
        "ruling", ["type": "object"], "What a moderator decided: decision, label, category, reason, ruled_at.",
        isRequired: false),
      .init("hold", ["type": "object"], "Why it is held for a moderator: rule, detail, held_at.", isRequired: false),
      .init(
        "listed", ["type": "object"], "As what the newest publication lists it: category, serial, since, block.",
        isRequired: false),
      .init("range", APISchema.text, "A range that calls together and holds it.", isRequired: false),
      .init("open_appeals", APISchema.count, "Appeals that wait.", isRequired: false),
      .init("spoofed", APISchema.flag, "Whether others seem to misuse the number.", isRequired: false),
    ])

  static let hashAnswer = APIModel(
    name: "HashAnswer", text: "Listed numbers under a prefix.",
    example: ["prefix": "5ae2", "entries": [hashEntry.example], "padding": "0000"],
    fields: [
      .init("prefix", APISchema.text(matching: "^[0-9a-f]{4,8}$"), "As it was asked for."),
      .init("entries", APISchema.list(APISchema.model("HashEntry")), "In ascending order of hash."),
      .init("padding", APISchema.text, "Zeros that hide how many there are from whoever watches the line."),
    ])

  static let hashEntry = APIModel(
    name: "HashEntry", text: "A listed number.",
    example: [
      "hash": "5ae2f9f8d9b0d1d2a6a3d4c5b6a79880716253443526170819fafbecddcebfa0", "category": "fraud", "label": "Fraud",
      "block": true,
    ],
    fields: [
      .init("hash", APISchema.hexDigest, "SHA-256 of the number with its plus."),
      .init("category", APISchema.one(of: ReportCategory.allCases.map(\.slug)), "What it is."),
      .init("label", APISchema.text, "What a phone shows."),
      .init("block", APISchema.flag, "Whether it may be blocked; otherwise it is only to be named."),
    ])
}
