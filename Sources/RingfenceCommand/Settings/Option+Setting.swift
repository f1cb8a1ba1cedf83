// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension Option where Value == String? {
  /// The option of a setting. ``Settings`` parses its text like that of the other sources.
  init<Parsed>(_ setting: KeyPath<SettingList, Setting<Parsed>>) {
    let setting = SettingList.all[keyPath: setting].description
    self.init(name: .customLong(setting.name), help: setting.help)
  }
}

extension Option where Value == [String] {
  /// The option of a setting that has several values.
  init<Parsed>(wrappedValue: [String], _ setting: KeyPath<SettingList, Setting<[Parsed]?>>) {
    let setting = SettingList.all[keyPath: setting].description
    self.init(wrappedValue: wrappedValue, name: .customLong(setting.name), help: setting.help)
  }
}

extension Flag where Value == Bool? {
  /// The flag of a setting, and its negation.
  init(_ setting: KeyPath<SettingList, Setting<Bool>>) {
    let setting = SettingList.all[keyPath: setting].description
    self.init(name: .customLong(setting.name), inversion: .prefixedNo, help: setting.help)
  }
}

extension SettingDescription {
  fileprivate var help: ArgumentHelp {
    let isObvious = [SettingRule<Bool>.boolean.text, SettingRule<String>.text.text].contains(rule)
    return .value(value, "\(meaning) (\(isObvious ? "" : "\(rule); ")default: \(standard))")
  }
}

extension ArgumentHelp {
  /// The help of an option whose value has this name, such as its unit.
  static func value(_ name: String, _ text: String) -> ArgumentHelp { ArgumentHelp("\(text)", valueName: name) }
}
