// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension ProblemKind {
  /// Kinds caused by the request; nil for others.
  var requestDocumentation: Documentation? {
    switch self {
    case .malformed:
      Documentation(
        status: .badRequest, title: "Invalid JSON",
        detail: "Correct the fields listed in `errors` and send the request again.",
        cause: "The body is not JSON in UTF-8, or a field is missing or has the wrong type.",
        remedy: "Each entry of `errors` has the JSON pointer of a field and a code for the rule.")
    case .cutShort:
      Documentation(
        status: .badRequest, title: "Incomplete body", detail: "Nothing was stored. Send the request again.",
        cause: "The connection closed early, or Content-Length was larger than the body.",
        remedy: "Send the same request again. With the same IDs, nothing is counted twice.")
    case .region:
      Documentation(
        status: .badRequest, title: "Invalid region",
        detail: "Send `region` as two letters (ISO 3166), such as DE, or leave it out.",
        cause: "The query parameter region is not the code of a country with telephone numbers.",
        remedy: "Send a country code, or leave it out. Then Accept-Language decides.")
    case .request:
      Documentation(
        status: .badRequest, title: "Bad request", detail: "The server cannot process the request.",
        cause: "The request breaks a rule of HTTP or of this address.",
        remedy: "Compare it with the example in the documentation.")
    case .noHost:
      Documentation(
        status: .badRequest, title: "Invalid Host header",
        detail: "Send exactly one Host header with the name of this server.",
        cause: "An HTTP/1.1 request has no Host header, several, one that is not a name with "
          + "an optional port, or one that differs from its absolute address.",
        remedy: "HTTP libraries send this header. A proxy must pass it on.")
    case .anotherSite:
      Documentation(
        status: .forbidden, title: "Request from another site",
        detail: "This form can only be sent from a page of this server. Open the page on this server and try again.",
        cause: "Sec-Fetch-Site or Origin names a page of another site.",
        remedy: "Open the page on this server. Apps do not send these headers.")
    case .methodNotAllowed:
      Documentation(
        status: .methodNotAllowed, title: "Method not allowed", detail: "Use one of: GET, HEAD.",
        cause: "The address exists, but does not support this method.",
        remedy: "Use one of the methods in the header Allow.")
    case .notAcceptable:
      Documentation(
        status: .notAcceptable, title: "Not acceptable",
        detail: "The answer is application/json. Accept it in the header Accept, or leave the header out.",
        cause: "The header Accept excludes the media type of the answer.",
        remedy: "Send Accept: application/json or */*, or no Accept header.")
    case .tooSlow:
      Documentation(
        status: .requestTimeout, title: "Request timeout",
        detail: "The body did not arrive in time. Send the request again.",
        cause: "The body arrived too slowly.",
        remedy: "Send the same request again, or smaller batches. With the same IDs, nothing is counted twice.")
    case .tooLarge:
      Documentation(
        status: .contentTooLarge, title: "Body too large",
        detail: "The body can have at most \(BodyReader.objectLimit) bytes.",
        cause: "The limit is \(BodyReader.objectLimit >> 10) KiB for one report, \(BodyReader.batchLimit >> 20) MiB "
          + "for a batch and \(BodyReader.fileLimit >> 20) MiB for a file of decisions.",
        remedy: "Divide the batch or the file.")
    case .unsupportedMediaType:
      Documentation(
        status: .unsupportedMediaType, title: "Unsupported media type",
        detail: "Send the body as Content-Type: application/json, or many reports as application/x-ndjson.",
        cause: "Content-Type is missing or has another value.", remedy: "Set Content-Type.")
    case .unsupportedEncoding:
      Documentation(
        status: .unsupportedMediaType, title: "Unsupported encoding",
        detail: "Send the body uncompressed, without Content-Encoding.",
        cause: "The body has a Content-Encoding.", remedy: "Send it uncompressed.")
    case .range:
      Documentation(
        status: .rangeNotSatisfiable, title: "Range not satisfiable",
        detail: "The file has 2048 bytes. Request a range within it, or the complete file.",
        cause: "Range begins after the last byte of the file.",
        remedy: "Content-Range has the length of the file. If your download has that length, it is complete.")
    case .tooMany:
      Documentation(
        status: .unprocessableContent, title: "Too many items", detail: "Send 1 to \(Batch.limit) at a time.",
        cause: "A batch is empty or has more than 1,000 items.", remedy: "Divide the batch.")
    case .headersTooLarge:
      Documentation(
        status: .requestHeaderFieldsTooLarge, title: "Headers too large",
        detail:
          "The address and each header can have at most \(LimitedHTTPChannel.fieldBytes) bytes, and all headers "
          + "\(LimitedHTTPChannel.headBytes) bytes and \(LimitedHTTPChannel.fields) fields.",
        cause:
          "The address or a header is too long, or there are too many headers. Often a browser sends many cookies.",
        remedy: "Send fewer and shorter headers. Delete the cookies of this host if it serves other programs, too.")
    case .limited:
      Documentation(
        status: .tooManyRequests, title: "Too many requests",
        detail: "The rate limit of this network is reached. Send the request again in 4 seconds.",
        cause:
          "The app, network or reporter has reached its rate limit, which RateLimit-Policy shows.",
        remedy: "Wait for the seconds in Retry-After. RateLimit shows the remaining requests.", retryAfter: 0)
    default: contentDocumentation
    }
  }

  /// Kinds about the requested or sent content; nil for others.
  private var contentDocumentation: Documentation? {
    switch self {
    case .unauthorized:
      Documentation(
        status: .unauthorized, title: "No valid API key",
        detail: "Send the header Authorization: Bearer with your app's key.",
        cause: "The key is missing, unknown, revoked or expired.",
        remedy: "Ask the operator for a new key.")
    case .scope:
      Documentation(
        status: .forbidden, title: "Missing scope", detail: "This requires a key with the scope lookup.",
        cause: "The key is valid, but does not have the required scope.",
        remedy: "Use another key, or ask the operator to add the scope.")
    case .notFound:
      Documentation(
        status: .notFound, title: "Not found", detail: "There is no resource at this address. Check the address.",
        cause: "The address is wrong, the file was removed after a newer publication, or your app has no such report.",
        remedy: "Check the address. For files, fetch the manifest again.")
    case .nothingPublished:
      Documentation(
        status: .notFound, title: "No publication yet",
        detail: "There is no publication yet. Send the request again after the first publication.",
        cause: "The server is new.", remedy: "Send the request again after the first publication.")
    case .notANumber:
      Documentation(
        status: .notFound, title: "Invalid number",
        detail: "Send an E.164 number, such as 33199000248. A plus must be encoded as %2B.",
        cause: "The last part of the path is not 1 to 15 digits.",
        remedy: "Convert the number to international form.")
    case .notAPrefix:
      Documentation(
        status: .notFound, title: "Invalid hash prefix",
        detail: "Send the first 4 to 8 hex digits, in lower case, of the SHA-256 of the number with its plus.",
        cause: "The last part of the path is not 4 to 8 of the characters 0 to 9 and a to f.",
        remedy: "Hash the number as text, such as +33199000248, and send the first digits.")
    case .conflict:
      Documentation(
        status: .conflict, title: "ID already used",
        detail: "Your app has used this ID with other content. Send the content with a new ID.",
        cause: "A report_id, a batch_id or an Idempotency-Key was used before with other content.",
        remedy: "Create a new UUID for each report and batch. Use it again only for retries.")
    case .attestationRefused:
      Documentation(
        status: .unprocessableContent, title: "Attestation refused",
        detail: "The phone has not proved that a genuine app asks for the token.",
        cause: "A check of the attestation, or of the signature that renews a token, failed. The error names it.",
        remedy: "Do what try_again says. Send reports without a token meanwhile: they are accepted.")
    case .withdrawn:
      Documentation(
        status: .gone, title: "Report withdrawn",
        detail: "A withdrawn report cannot be restored. Send a new report with a new ID.",
        cause: "The report was withdrawn by your app or by the operator.",
        remedy: "Discard it, or send a new report with a new ID.")
    case .preconditionFailed:
      Documentation(
        status: .preconditionFailed, title: "Precondition failed",
        detail: "The file has changed. Fetch it without the condition.",
        cause: "If-Match or If-Unmodified-Since does not match the file.",
        remedy: "Fetch the file without the condition.")
    case .invalidReport:
      Documentation(
        status: .unprocessableContent, title: "Invalid report",
        detail: "Correct the fields listed in `errors` and send the request again.",
        cause: "The JSON is valid, but a value is not, such as a time in the future.",
        remedy: "Each entry of `errors` has the JSON pointer of a field, a code for the rule and the correction.")
    case .invalidBatch:
      Documentation(
        status: .unprocessableContent, title: "Invalid batch",
        detail: "Correct the fields listed in `errors` and send the request again.",
        cause: "An item of the batch is invalid. No item was counted.",
        remedy: "Correct or remove the items in `errors`, and send the batch with the same batch_id.")
    case .invalidDecision:
      Documentation(
        status: .unprocessableContent, title: "Invalid decision",
        detail: "Correct the fields listed in `errors` and send the request again.",
        cause: "A value breaks a rule of decisions, or rows of a file do. Nothing was decided.",
        remedy: "Each entry of `errors` has the JSON pointer of a field, in a file of its line and column, and a code.")
    case .badProof:
      Documentation(
        status: .forbidden, title: "Proof refused",
        detail:
          "Sign the path, a line feed and the body with the key, within 5 minutes of requested_at, and use a signature once.",
        cause: "The header Ringfence-Signature is missing or wrong, the request is too old, or it was sent before.",
        remedy: "Make the request again with the present time, and sign it as the documentation shows.")
    case .caseClaimed:
      Documentation(
        status: .conflict, title: "Case claimed",
        detail: "Another account has the case open. Nothing was decided. Try again when its claim has ended.",
        cause: "A moderator works on the case. A claim ends after ten minutes without renewal.",
        remedy: "Decide another case, or propose the decision with needs_person.")
    case .caseDecided:
      Documentation(
        status: .conflict, title: "Case decided",
        detail: "Another decision is in force than `replaces` names. Nothing was decided. Read the case again.",
        cause: "Somebody else has decided about the number meanwhile.",
        remedy: "Read the case. To replace its decision, send decision_in_force as `replaces`.")
    default: nil
    }
  }
}
