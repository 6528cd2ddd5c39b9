#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value of the configuration file, before anything is known of what it should be.
enum ConfigurationValue: Sendable, Equatable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([ConfigurationValue])
  case object([String: ConfigurationValue])

  /// What the value is, for people.
  var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "true or false"
    case .integer, .number: "a number"
    case .string: "text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

extension ConfigurationValue: Decodable {
  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: MemberName.self) {
      var object: [String: ConfigurationValue] = [:]
      for name in members.allKeys {
        object[name.stringValue] = try members.decode(ConfigurationValue.self, forKey: name)
      }
      self = .object(object)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [ConfigurationValue] = []
      while !elements.isAtEnd { array.append(try elements.decode(ConfigurationValue.self)) }
      self = .array(array)
    } else {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let boolean = try? value.decode(Bool.self) {
        self = .boolean(boolean)
      } else if let integer = try? value.decode(Int64.self) {
        self = .integer(integer)
      } else if let number = try? value.decode(Double.self) {
        self = .number(number)
      } else {
        self = .string(try value.decode(String.self))
      }
    }
  }

  private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Reads JSON5.
  ///
  /// - Throws: `ConfigurationError` with the line and column of the first fault, or with every key
  ///   that is given twice.
  static func parse(_ text: String, file: String) throws(ConfigurationError) -> ConfigurationValue {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    let value: ConfigurationValue
    do {
      value = try decoder.decode(ConfigurationValue.self, from: Data(text.utf8))
    } catch {
      // The decoder does not say where.
      throw ConfigurationError(file: file, "not JSON5: " + JSON5Fault(in: text).description)
    }
    let repetitions = JSON5Fault.repetitions(in: text, file: file)
    guard repetitions.isEmpty else { throw ConfigurationError(repetitions) }
    return value
  }
}
