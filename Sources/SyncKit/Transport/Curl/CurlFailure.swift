internal import CCurl

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension TransportError.Code {
  /// What a code of libcurl means.
  ///
  /// - Parameters:
  ///   - isSending: the connection stood and the request had begun to go out.
  ///   - hasHead: the head of the response had come.
  ///   - text: libcurl's own words, which tell a refused certificate from a lost connection.
  init(_ code: CURLcode, isSending: Bool, hasHead: Bool, text: String) {
    self =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
        .nameNotResolved
      case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED:
        .cannotConnect
      case CURLE_OPERATION_TIMEDOUT:
        .timedOut
      case CURLE_PARTIAL_FILE:
        .truncatedBody
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
        CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT, CURLE_SSL_CIPHER,
        CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED:
        .untrusted
      case CURLE_SSL_CONNECT_ERROR, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
        CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND:
        if text.contains("chunked-encoding") || Self.isNoTLS(text) {
          .malformedResponse
        } else if Self.isCertificateAlert(text) {
          .untrusted
        } else if hasHead {
          .truncatedBody
        } else {
          isSending ? .connectionLost : .cannotConnect
        }
      case CURLE_SSL_CACERT_BADFILE, CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT,
        CURLE_NOT_BUILT_IN:
        .invalidRequest
      case CURLE_UNSUPPORTED_PROTOCOL:
        isSending ? .malformedResponse : .invalidRequest
      case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_FILESIZE_EXCEEDED,
        CURLE_OUT_OF_MEMORY:
        .malformedResponse
      default:
        isSending ? .connectionLost : .cannotConnect
      }
  }

  /// Whether what answered does not speak TLS; OpenSSL takes `HTTP/1.1` for a version of TLS.
  static func isNoTLS(_ text: String) -> Bool {
    text.contains("wrong version number") || text.contains("packet length too long")
  }

  /// Whether the server broke off because of our certificate: `tlsv13 alert certificate required`.
  private static func isCertificateAlert(_ text: String) -> Bool {
    text.contains(" alert ") && (text.contains("certificate") || text.contains("unknown ca"))
  }
}

extension CurlHandle {
  /// What happened, for people: libcurl's own words, and what they leave out.
  func words(_ code: CURLcode, _ own: String) -> String {
    let text = "\(own) (curl \(code.rawValue))"
    if let socketPath, code == CURLE_COULDNT_CONNECT {
      // libcurl names the host of the URL, which is none.
      let reason = Int32(clamping: long(CURLINFO_OS_ERRNO))
      let words = reason == 0 ? text : String(cString: strerror(reason))
      return "no connection to the socket \(socketPath): \(words)"
    }
    if TransportError.Code.isNoTLS(own) {
      return text
        + "; the port does not speak TLS; if it is plain http, the URL begins with http://"
    }
    let isPlain = target?.url.hasPrefix("http:") == true && socketPath == nil
    if isPlain, isSending, code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_GOT_NOTHING {
      return text + "; if the port speaks TLS, the URL begins with https://"
    }
    return text
  }
}
