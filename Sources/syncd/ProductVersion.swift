/// The version of this program.
enum ProductVersion {
  static let current = "0.1.0"
}
