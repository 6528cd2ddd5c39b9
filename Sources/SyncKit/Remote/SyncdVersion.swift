/// The version of syncd and SyncKit: what `syncd version` prints and every request's `User-Agent`
/// carries.
public let syncdVersion = "0.1.0"
