// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BenchmarkCommand

@Suite struct MixedBenchmarkTests {
  private static let page = """
    <a href="/moderation/queue?cause=held&amp;page=2">More</a> <a href="/moderation/numbers/4930123?queue=1">+49 30 123</a>
    <form method="get" action="/search"><input name="q"></form>
    <form id="decision" method="post" action="/moderation/numbers/4930123/decision">
    <input type="hidden" name="csrf" value="a&amp;b"><label><input type="radio" name="decision" value="block" required></label>
    <input type="radio" name="decision" value="allow"><input name="reason" value="">
    <select name="category"><option value="">As it is</option><option value="fraud">Fraud</option></select>
    <textarea name="note"></textarea><button class="primary">Save</button></form>
    """

  @Test func `parses forms and links of a page like a browser`() throws {
    let forms = HTMLForm.all(in: Self.page)
    let form = try #require(forms.first)
    #expect(forms.count == 1 && form.action == "/moderation/numbers/4930123/decision")
    #expect(form.fields.map(\.name) == ["csrf", "reason", "note"])
    #expect(form.offers.map(\.value) == ["block", "allow", "", "fraud"])
    #expect(form.body == "csrf=a%26b&reason=&note=")
    #expect(HTMLForm.links(in: Self.page).first == "/moderation/queue?cause=held&page=2")
  }

  @Test func `a simulated moderator signs in, opens a case and decides`() throws {
    let target = try #require(LoadTarget(url: "http://127.0.0.1:8080"))
    var moderator = SimulatedModerator(target: target, token: "t", seed: 1)
    func text() -> String { String(decoding: moderator.request().bytes, as: UTF8.self) }
    #expect(moderator.request().kind == .signIn && text().hasSuffix("\r\n\r\ntoken=t"))
    moderator.take(status: 303, head: "HTTP/1.1 303 See Other\r\nSet-Cookie: session=abc; Path=/\r\n\r\n", body: "")
    #expect(moderator.request().kind == .queue && text().contains("Cookie: session=abc\r\n"))
    moderator.take(status: 200, head: "", body: Self.page)
    #expect(moderator.request().kind == .numberCase)
    #expect(text().hasPrefix("GET /moderation/numbers/4930123?queue=1 HTTP/1.1\r\n"))
    moderator.take(status: 200, head: "", body: Self.page)
    #expect(
      moderator.request().kind == .postDecision
        && text().hasPrefix("POST /moderation/numbers/4930123/decision HTTP/1.1\r\n"))
    #expect(text().contains("csrf=a%26b&reason=Decided%20in"))
    moderator.take(status: 303, head: "", body: "")
    #expect(moderator.request().kind == .queue)
  }

  @Test func `parses the head before the body has arrived`() throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n"
    let answer = try Array((head + "abc").utf8).withUnsafeBytes { try HTTPResponse.head($0) }
    #expect(answer?.body == head.utf8.count..<head.utf8.count + 5_000_000)
  }
}
