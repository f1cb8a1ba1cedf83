// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension Option where Value == String? {
  /// The option of a setting. ``Settings`` parses its text by the rule for all origins.
  init<Parsed>(_ setting: KeyPath<SettingList, Setting<Parsed>>) {
    let setting = SettingList.all[keyPath: setting].description
    self.init(name: .customLong(setting.name), help: setting.help)
  }
}

extension Option where Value == [String] {
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

extension Settings {
  /// The settings with the options of a command. A property of the command, or of its option groups, that sets a setting
  /// has the name of this setting in ``SettingList``.
  /// - Throws: ``CommandFailure`` if the settings file cannot be read or has an unknown key.
  init(of command: some ParsableArguments) throws { try self.init(Self.given(in: command)) }

  /// The texts of the given options, by the names of their settings.
  static func given(in command: any ParsableArguments) -> [String: String] {
    Mirror(reflecting: command).children.reduce(into: [:]) { given, child in
      if let group = child.value as? any SettingGroup { given.merge(Self.given(in: group.wrappedValue)) { $1 } }
      guard let option = child.value as? any SettingOption, let text = option.text else { return }
      // The label of a wrapped property begins with an underscore.
      if let name = SettingList.names[String(child.label?.dropFirst() ?? "")] { given[name] = text }
    }
  }
}

/// An option group that may have options of settings.
private protocol SettingGroup<Value> {
  associatedtype Value: ParsableArguments
  var wrappedValue: Value { get }
}

extension OptionGroup: SettingGroup {}

/// An option that may be one of a setting.
private protocol SettingOption {
  var text: String? { get }
}

extension Option: SettingOption {
  fileprivate var text: String? {
    switch wrappedValue {
    case let text as String: text
    case let texts as [String]: texts.isEmpty ? nil : texts.joined(separator: " ")
    default: nil
    }
  }
}

extension Flag: SettingOption {
  fileprivate var text: String? { (wrappedValue as? Bool)?.description }
}
