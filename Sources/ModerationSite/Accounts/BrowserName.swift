// SPDX-License-Identifier: Apache-2.0

/// Names the browser and system of a `User-Agent` field: `Firefox, Linux`.
enum BrowserName {
  private static let browsers = [
    ("Edg/", "Edge"), ("OPR/", "Opera"), ("YaBrowser/", "Yandex Browser"), ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
  ]
  private static let systems = [
    ("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iOS"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
  ]

  static func of(_ agent: String?) -> String {
    let agent = (agent ?? "").prefix(512)
    let names = [browsers, systems].compactMap { list in list.first { agent.contains($0.0) }?.1 }
    return names.joined(separator: ", ")
  }
}
