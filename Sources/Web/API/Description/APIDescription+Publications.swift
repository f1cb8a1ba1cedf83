import HTTPTypes
import Storage

extension APIDescription {
  private static let mayBeKept: [(name: String, text: String)] = [
    ("ETag", "The content's SHA-256, for If-None-Match and If-Range."), ("Last-Modified", "When it was written."),
    ("Cache-Control", "How long it may be kept."), ("Accept-Ranges", "bytes"),
  ]

  var publications: APIGroup {
    let key = publicationsNeedKey ? " This server asks for a key with the scope fetch." : ""
    return APIGroup(
      name: "Publications",
      text: """
        The lists, as signed files. Read the manifest, check its signature, then fetch the packs or deltas that it names \
        and check their SHA-256. Files under a name never change. All of them answer conditional requests and single byte \
        ranges.\(key)
        """,
      operations: [
        document(
          "manifest", "manifest", "The newest manifest", "Of what is published now: packs, deltas, sizes, hashes."),
        document(
          "manifest.json", "manifestFile", "The newest manifest, by its file's name", "The same as /v1/manifest."),
        document(
          "root.json", "root", "The newest root",
          "The keys that manifests are signed with. The first one comes with the app."
        ),
        summary,
        files("roots", "rootFile", "An older root", "1.json", "application/json", APISchema.model("Envelope")),
        files(
          "manifests", "manifestOfSerial", "An older manifest", "1.json", "application/json",
          APISchema.model("Envelope")),
        files("packs", "pack", "A pack", "toxic-1.rfpack", "application/octet-stream", [:]),
        files(
          "deltas", "delta", "What changed between two packs", "toxic-1-2.rfdelta", "application/octet-stream", [:]),
        files("formats", "format", "A pack in another format", "toxic-1.csv.gz", "*/*", [:]),
      ])
  }

  /// The newest file under a fixed name.
  private func document(_ name: String, _ id: String, _ summary: String, _ text: String) -> APIOperation {
    APIOperation(
      method: .get, path: "/v1/\(name)", id: id, summary: summary, text: text,
      scope: publicationsNeedKey ? .fetch : nil,
      answers: [
        .init(
          status: 200, text: "The signed document.", mediaType: "application/json",
          schema: APISchema.model("Envelope"), example: Self.envelope.example, headers: Self.mayBeKept)
      ] + Self.partsOfFiles("application/json"),
      problems: [.notFound, .notAcceptable, .preconditionFailed, .range, .unavailable],
      curl: "curl --fail-with-body \"$SERVER/v1/\(name)\"\(authorization)")
  }

  private func files(
    _ folder: String, _ id: String, _ summary: String, _ example: String, _ mediaType: String, _ schema: JSONValue
  ) -> APIOperation {
    APIOperation(
      method: .get, path: "/v1/\(folder)/{file}", id: id, summary: summary,
      text: "Its name stands in the manifest as path. Whoever was cut off goes on with Range and If-Range.",
      scope: publicationsNeedKey ? .fetch : nil,
      parameters: [
        .init(
          name: "file", place: .path, schema: APISchema.text(matching: "^[a-z0-9][a-z0-9_.-]{0,119}$"),
          text: "As the manifest names it.", example: example)
      ],
      answers: [
        .init(status: 200, text: "The whole file.", mediaType: mediaType, schema: schema, headers: Self.mayBeKept)
      ] + Self.partsOfFiles(mediaType),
      problems: [.notFound, .preconditionFailed, .range, .unavailable],
      curl: "curl --fail-with-body -O \"$SERVER/v1/\(folder)/\(example)\"\(authorization)")
  }

  private var authorization: String { publicationsNeedKey ? " -H \"Authorization: Bearer $KEY\"" : "" }

  private static func partsOfFiles(_ mediaType: String) -> [APIOperation.Answer] {
    [
      .init(
        status: 206, text: "The part that Range names.", mediaType: mediaType,
        headers: mayBeKept + [("Content-Range", "Which bytes of how many.")]),
      .init(status: 304, text: "The same as If-None-Match or If-Modified-Since names.", headers: mayBeKept),
    ]
  }

  private var summary: APIOperation {
    APIOperation(
      method: .get, path: "/v1/summary", id: "summary", summary: "Some hundred bytes for a home screen",
      text: "How many numbers the newest publication lists and when the next one is due. Caches may share it.",
      scope: publicationsNeedKey ? .fetch : nil,
      parameters: [
        .init(
          name: "region", place: .query, schema: APISchema.text(matching: "^[A-Za-z]{2}$"),
          text: "ISO 3166-1 code of the country that region_numbers is for; otherwise Accept-Language decides.",
          example: "DE")
      ],
      answers: [
        .init(
          status: 200, text: "What is published.", mediaType: "application/json", schema: APISchema.model("Summary"),
          example: Self.summary.example,
          headers: [("ETag", "Of the content."), ("Cache-Control", "max-age=300"), ("Vary", "Accept-Language")]),
        .init(status: 304, text: "The same as If-None-Match names.", headers: [("ETag", "Of the content.")]),
      ],
      problems: [.region, .nothingPublished, .notAcceptable, .unavailable],
      curl: "curl --fail-with-body \"$SERVER/v1/summary?region=DE\"\(authorization)")
  }

  static let envelope = APIModel(
    name: "Envelope", text: "Signed bytes: DSSE version 1. Check the signature before reading the payload.",
    example: [
      "payload": "eyJ0eXBlIjoibWFuaWZlc3QifQ==", "payloadType": "application/vnd.ringfence.manifest+json",
      "signatures": [["keyid": "0123456789abcdef", "sig": "c2lnbmF0dXJl"]],
    ],
    fields: [
      .init("payload", APISchema.text, "The document's bytes in Base64."),
      .init("payloadType", APISchema.text, "What it is."),
      .init(
        "signatures", APISchema.list(["type": "object", "required": ["keyid", "sig"]], 1...16),
        "keyid: the key's name; sig: Ed25519 in Base64, over DSSEv1, type and payload."),
    ])

  static let summary = APIModel(
    name: "Summary", text: "The newest publication in a few figures.",
    example: [
      "serial": 412, "as_of": "2026-11-21T02:00:00Z", "updated_at": "2026-11-21T02:03:11Z",
      "expires_at": "2026-12-05T02:03:11Z", "numbers": ["blocking": 48_211, "identification": 1_911_004],
      "region": "DE", "region_numbers": 7_310,
    ],
    fields: [
      .init("serial", APISchema.count, "Of the publication."),
      .init("as_of", APISchema.time, "What was known then is in it."),
      .init("updated_at", APISchema.time, "When it was published."),
      .init("expires_at", APISchema.time, "After this it is to be fetched anew before it is used."),
      .init(
        "next_expected_at", APISchema.time, "When the next one is due, where the server knows.", isRequired: false),
      .init("numbers", ["type": "object"], "The longest list to block and to identify."),
      .init("region", APISchema.text, "The country that was asked for.", isRequired: false),
      .init("region_numbers", APISchema.count, "The longest list of that country.", isRequired: false),
    ])
}
