import Localization
import HTTPTypes

extension ProblemKind {
  /// Kinds that the request brings about; nil for others.
  package var accountOfRequest: Account? {
    switch self {
    case .malformed:
      Account(
        status: .badRequest, title: "Not the JSON we expect",
        detail: "Correct the fields listed in `errors` and send the request again.",
        cause: "The body is not JSON in UTF-8, or a field is missing or of another type.",
        remedy: "Each entry of errors points at a field by a JSON pointer and names the rule in code.")
    case .cutShort:
      Account(
        status: .badRequest, title: "The body ended early", detail: "Nothing was taken. Send it again.",
        cause: "The connection broke, or Content-Length promised more bytes than came.",
        remedy: "Send the same request again; with the same ids nothing is counted twice.")
    case .region:
      Account(
        status: .badRequest, title: "Not a region",
        detail: "Give region as the two letters that ISO 3166 has for a country, such as DE, or leave it out.",
        cause: "The query parameter region is not two letters.",
        remedy: "Send a country's code, or leave it out: then Accept-Language decides.")
    case .request:
      Account(
        status: .badRequest, title: "Not a request we can serve", detail: "The request cannot be served.",
        cause: "Something about the request breaks the rules of HTTP, or of this address.",
        remedy: "Compare it with the example in the documentation.")
    case .noHost:
      Account(
        status: .badRequest, title: "No host", detail: "Send exactly one Host header with the name of this server.",
        cause: "A request of HTTP/1.1 has no Host header, several, or one that its absolute address does not name.",
        remedy: "Libraries send it by themselves; a proxy must pass one on.")
    case .anotherSite:
      Account(
        status: .forbidden, title: "Sent by another site",
        detail: "This form can only be sent from a page of this server. Open the page here and try again.",
        cause: "A browser said in Sec-Fetch-Site or in Origin that a page of another site sends the request.",
        remedy: "Open the page on this server. Apps that are no browsers do not send these headers.")
    case .methodNotAllowed:
      Account(
        status: .methodNotAllowed, title: "Not with this method", detail: "Use one of: GET, HEAD.",
        cause: "The address exists, but not for this method.", remedy: "Use one of the methods in the header Allow.")
    case .notAcceptable:
      Account(
        status: .notAcceptable, title: "Not in a form you accept",
        detail: "The answer is application/json. Say so in Accept, or leave the header out.",
        cause: "The header Accept leaves out the only form in which there is an answer.",
        remedy: "Send Accept: application/json or */*, or none.")
    case .tooSlow:
      Account(
        status: .requestTimeout, title: "The body did not arrive in time",
        detail: "Send it again when the connection is better.",
        cause: "The body came more slowly than the server waits for.",
        remedy: "Send the same request again; with the same ids nothing is counted twice. Smaller batches get through.")
    case .tooLarge:
      Account(
        status: .contentTooLarge, title: "Body too large", detail: "The body may have 16384 bytes at most.",
        cause: "One report has at most 16 KiB, a batch 1 MiB.", remedy: "Divide the batch.")
    case .unsupportedMediaType:
      Account(
        status: .unsupportedMediaType, title: "Not JSON",
        detail: "Send the body as Content-Type: application/json, or many reports as application/x-ndjson.",
        cause: "Content-Type is missing or names another form.", remedy: "Set Content-Type.")
    case .unsupportedEncoding:
      Account(
        status: .unsupportedMediaType, title: "Not in this encoding",
        detail: "Send the body as it is, without Content-Encoding.",
        cause: "The body is compressed, as Content-Encoding says.", remedy: "Send it uncompressed.")
    case .range:
      Account(
        status: .rangeNotSatisfiable, title: "Beyond the end",
        detail: "The file has 2048 bytes. Ask for some of them, or for the whole.",
        cause: "Range begins behind the file's last byte.",
        remedy: "Content-Range says how long the file is. A partial download that is whole already needs no request.")
    case .tooMany:
      Account(
        status: .unprocessableContent, title: "Too many in one request", detail: "Send 1 to 1000 at a time.",
        cause: "A batch is empty or has over 1,000 items.", remedy: "Divide it.")
    case .limited:
      Account(
        status: .tooManyRequests, title: "Too many requests",
        detail: "The limit of this network is reached. Send it again in 4 seconds.",
        cause:
          "The app, the network or the reporter has sent as much as it may; RateLimit-Policy tells how much that is.",
        remedy: "Wait the seconds that Retry-After names. RateLimit tells beforehand what is left.", retryAfter: 0)
    default: accountOfContent
    }
  }

  /// Kinds that have to do with what is asked for or sent; nil for others.
  private var accountOfContent: Account? {
    switch self {
    case .unauthorized:
      Account(
        status: .unauthorized, title: "No valid API key",
        detail: "Send the header Authorization: Bearer with your app's key.",
        cause: "The key is missing, unknown, revoked or expired.",
        remedy: "Ask the operator for a key; keep the one you have until the new one works.")
    case .scope:
      Account(
        status: .forbidden, title: "The key may not do this", detail: "This needs a key with the scope lookup.",
        cause: "The key is valid, but lacks the scope that the operation needs.",
        remedy: "Use another key, or ask the operator to widen this one.")
    case .notFound:
      Account(
        status: .notFound, title: "Nothing here", detail: "There is nothing at this address.",
        cause: "The address is wrong, the file was removed after a newer publication, or your app has no such report.",
        remedy: "Check the address; for files, read the manifest anew.")
    case .nothingPublished:
      Account(
        status: .notFound, title: "Nothing is published yet",
        detail: "There is no publication yet. Ask again after the first one.",
        cause: "The server is new.", remedy: "Ask again after the first publication.")
    case .notANumber:
      Account(
        status: .notFound, title: "Not a number in international form",
        detail: "Write the digits of E.164, such as +33162000248, with the plus as %2B or left out.",
        cause: "The last part of the path is not 1 to 15 digits.",
        remedy: "Bring the number into international form first.")
    case .notAPrefix:
      Account(
        status: .notFound, title: "Not the beginning of a hash",
        detail: "Send the first 4 to 8 hex digits, in lower case, of the SHA-256 of the number with its plus.",
        cause: "The last part of the path is not 4 to 8 of the characters 0 to 9 and a to f.",
        remedy: "Hash the number as text, such as +33162000248, and send the beginning.")
    case .conflict:
      Account(
        status: .conflict, title: "The id is taken",
        detail: "Your app has used this id for another content. Send the new content under an id of its own.",
        cause: "A report_id or batch_id was used before, with another content.",
        remedy: "Make a new UUID for each report and batch, and keep it for retries only.")
    case .withdrawn:
      Account(
        status: .gone, title: "The report was withdrawn",
        detail: "A withdrawn report does not come back. Send a new one under an id of its own.",
        cause: "A report came again that was taken back, by your app or by the operator.",
        remedy: "Drop it, or send a new report under a new id.")
    case .preconditionFailed:
      Account(
        status: .preconditionFailed, title: "Another file by now",
        detail: "The file is not the one that your condition names. Fetch it without the condition.",
        cause: "If-Match or If-Unmodified-Since does not hold.", remedy: "Fetch the file without the condition.")
    case .invalidReport:
      Account(
        status: .unprocessableContent, title: "The report breaks a rule",
        detail: "Correct the fields listed in `errors` and send the request again.",
        cause: "The JSON is right, but a value is not: a number nobody can have, a time in the future.",
        remedy: "Each entry of errors points at a field, names the rule in code and says what to send instead.")
    case .invalidBatch:
      Account(
        status: .unprocessableContent, title: "The batch breaks a rule",
        detail: "Correct the fields listed in `errors` and send the request again.",
        cause: "An item of the batch breaks a rule; none of it was counted.",
        remedy: "Leave the items out that errors points at, and send the rest under the same batch_id.")
    default: nil
    }
  }
}
