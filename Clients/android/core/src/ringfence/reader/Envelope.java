// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A payload with signatures (Publication.md, section 4). */
final class Envelope {
  final byte[] payload;
  private final byte[] signed;
  private final Map<String, byte[]> signatures = new HashMap<String, byte[]>();
  private final String text;
  private int at;

  Envelope(byte[] file, String type) throws FormatException {
    require(file.length <= 1_406_293, "the envelope has more than 1406293 bytes");
    for (byte part : file) require(part >= 0, "the envelope has other characters");
    text = new String(file, Json.UTF8);
    take("{\"payload\":\"");
    payload = Fields.base64(upToQuote());
    take("\",\"payloadType\":\"" + type + "\",\"signatures\":[");
    do {
      take(signatures.isEmpty() ? "{\"keyid\":\"" : ",{\"keyid\":\"");
      String id = Fields.hex(upToQuote());
      require(id.length() == 16, "the id of a key has another form");
      take("\",\"sig\":\"");
      byte[] signature = Fields.base64(upToQuote());
      take("\"}");
      require(signature.length > 0, "a signature is empty");
      require(signatures.put(id, signature) == null, "a key signs twice");
    } while (signatures.size() < 16 && text.startsWith(",", at));
    take("]}\n");
    require(at == text.length(), "bytes follow the envelope");
    byte[] head = ("DSSEv1 " + type.length() + " " + type + " " + payload.length + " ").getBytes(Json.UTF8);
    signed = ByteBuffer.allocate(head.length + payload.length).put(head).put(payload).array();
  }

  private void take(String expected) throws FormatException {
    require(text.startsWith(expected, at), "this is not an envelope of the expected type");
    at += expected.length();
  }

  private String upToQuote() throws FormatException {
    int end = text.indexOf('"', at);
    require(end >= 0, "the envelope ends early");
    String part = text.substring(at, end);
    at = end;
    return part;
  }

  static String keyID(byte[] key) { return Digests.hex(Digests.sha256(key)).substring(0, 16); }
  boolean isSigned(byte[] key) { return signatures.containsKey(keyID(key)); }

  /** Checks that enough trusted keys have signed, and that each signature of a trusted key is right. */
  void check(List<byte[]> keys, int threshold) throws FormatException {
    int known = 0;
    for (byte[] key : keys) {
      byte[] signature = signatures.get(keyID(key));
      if (signature == null) continue;
      require(Ed25519.verify(key, signed, signature), "the signature of the key " + keyID(key) + " is wrong");
      known++;
    }
    require(known >= threshold, known + " trusted keys have signed, fewer than " + threshold);
  }
}
