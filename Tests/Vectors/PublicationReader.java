import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The checks of a reader of publications, written from Publication.md. */
final class PublicationReader {
  static final String MANIFEST = "application/vnd.ringfence.manifest+json";
  static final String ROOT = "application/vnd.ringfence.root+json";

  private static void must(boolean condition, String rule) {
    PackReader.must(condition, rule);
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  static byte[] base64(String text) {
    try {
      byte[] bytes = Base64.getDecoder().decode(text);
      must(Base64.getEncoder().encodeToString(bytes).equals(text), "Base64 is not in its canonical form");
      return bytes;
    } catch (IllegalArgumentException exception) {
      throw new PackReader.Refused("this is not Base64");
    }
  }

  /** A parser that accepts only the canonical form. */
  static final class Form {
    private final String text;
    private int at;

    private Form(String text) {
      this.text = text;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> document(byte[] bytes, String type, long version) {
      must(bytes.length <= 1 << 20, "the document is too long");
      String text;
      try {
        text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      } catch (CharacterCodingException exception) {
        throw new PackReader.Refused("the document is not UTF-8");
      }
      Form form = new Form(text);
      must(form.next() == '{', "the document is no object");
      Map<String, Object> fields = (Map<String, Object>) form.value(1);
      form.take('\n');
      must(form.at == text.length(), "bytes follow the document");
      must(type.equals(fields.get("type")), "the type is another one");
      must(Long.valueOf(version).equals(fields.get("version")), "the version is unknown");
      return fields;
    }

    private char next() {
      must(at < text.length(), "the document ends early");
      return text.charAt(at);
    }

    private void take(char c) {
      must(next() == c, "the document is not in canonical form");
      at++;
    }

    private boolean has(char c) {
      if (next() != c) return false;
      at++;
      return true;
    }

    private Object value(int level) {
      switch (next()) {
        case '{': {
          must(level <= 8, "too many levels");
          at++;
          Map<String, Object> fields = new HashMap<>();
          if (has('}')) return fields;
          byte[] before = null;
          do {
            String key = string();
            byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
            must(before == null || Arrays.compareUnsigned(before, bytes) < 0, "keys do not ascend");
            before = bytes;
            take(':');
            fields.put(key, value(level + 1));
          } while (has(','));
          take('}');
          return fields;
        }
        case '[': {
          must(level <= 8, "too many levels");
          at++;
          List<Object> list = new ArrayList<>();
          if (has(']')) return list;
          do list.add(value(level + 1));
          while (has(','));
          take(']');
          return list;
        }
        case '"':
          return string();
        case 't':
        case 'f': {
          String word = next() == 't' ? "true" : "false";
          must(text.startsWith(word, at), "this is not JSON");
          at += word.length();
          return word.equals("true");
        }
        default: {
          Matcher number = Pattern.compile("0|-?[1-9][0-9]{0,17}").matcher(text).region(at, text.length());
          must(number.lookingAt(), "this is not an integer");
          at = number.end();
          return Long.parseLong(number.group());
        }
      }
    }

    private String string() {
      take('"');
      StringBuilder out = new StringBuilder();
      while (!has('"')) {
        char c = next();
        must(c >= 0x20 && c != 0x7F, "a string has a control character");
        at++;
        if (c == '\\') {
          c = next();
          must(c == '"' || c == '\\', "a string has another escape");
          at++;
        }
        out.append(c);
      }
      return out.toString();
    }
  }

  static long integer(Map<String, Object> fields, String name) {
    must(fields.get(name) instanceof Long, name + " is no integer");
    return (Long) fields.get(name);
  }

  static String string(Map<String, Object> fields, String name) {
    must(fields.get(name) instanceof String, name + " is no text");
    return (String) fields.get(name);
  }

  static List<?> list(Map<String, Object> fields, String name) {
    must(fields.get(name) instanceof List, name + " is no list");
    return (List<?>) fields.get(name);
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    must(value instanceof Map, "this is no object");
    return (Map<String, Object>) value;
  }

  static String digest(Object value) {
    must(value instanceof String text && text.matches("[0-9a-f]{64}"), "a digest has another form");
    return (String) value;
  }

  static long time(Map<String, Object> fields, String name) {
    String text = string(fields, name);
    must(text.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"), "a time has another form");
    try {
      Instant instant = OffsetDateTime.parse(text).toInstant();
      must(instant.truncatedTo(ChronoUnit.SECONDS).toString().equals(text), "there is no such time");
      return instant.getEpochSecond();
    } catch (DateTimeException exception) {
      throw new PackReader.Refused("there is no such time");
    }
  }

  static String keyID(byte[] key) {
    return hex(PackReader.sha256(key)).substring(0, 16);
  }

  static final class Envelope {
    final byte[] payload;
    private final byte[] signed;
    private final Map<String, byte[]> signatures = new TreeMap<>();

    Envelope(byte[] file, String type) {
      must(file.length <= 1_406_293, "the envelope is too long");
      String text = new String(file, StandardCharsets.ISO_8859_1);
      String one = "\\{\"keyid\":\"([0-9a-f]{16})\",\"sig\":\"([A-Za-z0-9+/=]+)\"\\}";
      Matcher start = Pattern.compile("\\{\"payload\":\"([A-Za-z0-9+/=]*+)\",\"payloadType\":\"([^\"\\\\]*+)\",\"signatures\":\\[").matcher(text);
      must(start.lookingAt() && start.group(2).equals(type), "this is not an envelope of this type");
      payload = base64(start.group(1));
      Matcher signature = Pattern.compile(one).matcher(text);
      int at = start.end();
      do {
        must(signatures.isEmpty() || text.charAt(at++) == ',', "the signatures have another form");
        must(signature.region(at, text.length()).lookingAt(), "a signature has another form");
        must(signatures.put(signature.group(1), base64(signature.group(2))) == null, "a key signs twice");
        at = signature.end();
      } while (signatures.size() <= 16 && at < text.length() && text.charAt(at) == ',');
      must(signatures.size() <= 16 && text.substring(at).equals("]}\n"), "the end has another form");
      byte[] head = ("DSSEv1 " + type.length() + " " + type + " " + payload.length + " ").getBytes(StandardCharsets.US_ASCII);
      signed = Arrays.copyOf(head, head.length + payload.length);
      System.arraycopy(payload, 0, signed, head.length, payload.length);
    }

    void check(List<byte[]> keys, long threshold) {
      int known = 0;
      for (byte[] key : keys) {
        byte[] signature = signatures.get(keyID(key));
        if (signature == null) continue;
        must(isRight(key, signature), "a signature is wrong");
        known++;
      }
      must(known >= threshold, "too few trusted keys have signed");
    }

    private boolean isRight(byte[] key, byte[] signature) {
      try {
        byte[] encoded = Arrays.copyOf(HexFormat.of().parseHex("302a300506032b6570032100"), 44);
        System.arraycopy(key, 0, encoded, 12, 32);
        PublicKey publicKey = KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
        Signature verifier = Signature.getInstance("Ed25519");
        verifier.initVerify(publicKey);
        verifier.update(signed);
        return signature.length == 64 && verifier.verify(signature);
      } catch (GeneralSecurityException exception) {
        return false;
      }
    }
  }

  static final class Root {
    final Envelope envelope;
    final long serial, expires, threshold;
    final List<byte[]> keys = new ArrayList<>();

    Root(byte[] file) {
      envelope = new Envelope(file, ROOT);
      Map<String, Object> fields = Form.document(envelope.payload, "root", 1);
      serial = integer(fields, "serial");
      expires = time(fields, "expires");
      threshold = integer(fields, "threshold");
      var ids = new HashSet<String>();
      for (Object item : list(fields, "keys")) {
        Map<String, Object> key = object(item);
        must("ed25519".equals(key.get("algorithm")), "a key has another algorithm");
        byte[] bytes = base64(string(key, "public"));
        must(bytes.length == 32 && keyID(bytes).equals(key.get("keyid")), "a key has another id");
        must(ids.add(keyID(bytes)), "a key is there twice");
        keys.add(bytes);
      }
      must(serial >= 1 && time(fields, "issued") < expires, "the serial or the times are wrong");
      must(keys.size() >= 1 && keys.size() <= 16 && threshold >= 1 && threshold <= keys.size(), "the keys or the threshold are wrong");
    }
  }

  private List<byte[]> keys;
  private long threshold = 1;
  private Root root;

  PublicationReader(byte[] key) {
    keys = List.of(key);
  }

  static PublicationReader ofRoot(byte[] file) {
    Root root = new Root(file);
    root.envelope.check(root.keys, root.threshold);
    PublicationReader reader = new PublicationReader(new byte[32]);
    reader.trust(root);
    return reader;
  }

  private void trust(Root next) {
    root = next;
    keys = next.keys;
    threshold = next.threshold;
  }

  void follow(byte[] file) {
    Root next = new Root(file);
    must(root == null || next.serial == root.serial + 1, "this is not the next root");
    next.envelope.check(keys, threshold);
    next.envelope.check(next.keys, next.threshold);
    trust(next);
  }

  record Seen(long serial, String sha256) {}

  Map<String, Object> verify(byte[] file, long now, Seen seen) {
    must(root == null || now < root.expires, "the root has expired");
    Envelope envelope = new Envelope(file, MANIFEST);
    envelope.check(keys, threshold);
    Map<String, Object> head = Form.document(envelope.payload, "manifest", 3);
    long serial = integer(head, "serial"), issued = time(head, "issued"), expires = time(head, "expires");
    must(serial >= 1 && time(head, "as_of") <= issued && issued < expires, "the serial or the times are wrong");
    Seen previous = null;
    if (head.containsKey("previous")) {
      Map<String, Object> link = object(head.get("previous"));
      previous = new Seen(integer(link, "serial"), digest(link.get("sha256")));
      must(previous.serial >= 1 && previous.serial < serial, "previous is not before");
    }
    List<?> bins = list(head, "bins");
    must(bins.size() <= 4_096 && Integer.bitCount(bins.size()) == 1, "the number of bins is no power of two");
    bins.forEach(PublicationReader::digest);
    Seen own = new Seen(serial, hex(PackReader.sha256(envelope.payload)));
    if (seen != null && !seen.equals(own)) {
      must(serial > seen.serial && previous != null && previous.serial >= seen.serial, "this does not continue");
      must(previous.serial > seen.serial || previous.equals(seen), "this continues another one");
    }
    must(now < expires, "the manifest has expired");
    return head;
  }

  private static boolean isName(Object name) {
    return name instanceof String text && text.matches("[a-z0-9][a-z0-9_.-]{0,63}") && !text.contains("..");
  }

  static Map<String, Object> bin(byte[] file, int index, int count) {
    Map<String, Object> packs = object(Form.document(file, "bin", 1).get("packs"));
    packs.forEach((name, sha256) -> {
      must(isName(name), "a name has another form");
      long start = ByteBuffer.wrap(PackReader.sha256(name.getBytes(StandardCharsets.UTF_8))).getInt() & 0xFFFFFFFFL;
      must(start >> 32 - Integer.numberOfTrailingZeros(count) == index, "a pack is in the bin of another name");
      digest(sha256);
    });
    return packs;
  }

  private static void file(Map<String, Object> fields) {
    String name = "[a-z0-9][a-z0-9_.-]*", path = string(fields, "path");
    must(path.length() <= 200 && path.matches(name + "(/" + name + "){0,2}"), "a path has another form");
    must(integer(fields, "bytes") >= 0 && integer(fields, "bytes") <= 0xFFFFFFFFL, "bytes are out of range");
    digest(fields.get("sha256"));
  }

  static Map<String, Object> description(byte[] file, String name, long newest) {
    Map<String, Object> pack = Form.document(file, "pack", 1);
    must(name.equals(pack.get("name")), "the description is of another pack");
    must(List.of("blocking", "identification", "both").contains(string(pack, "kind")), "the kind is unknown");
    must(pack.getOrDefault("region", "") instanceof String, "the region is no text");
    long serial = integer(pack, "serial"), entries = integer(pack, "entries");
    must(serial >= 1 && serial <= newest && entries >= 0 && entries <= 16_777_216, "the serial or entries are out of range");
    must(!pack.containsKey("shard") || integer(pack, "shard") >= 1, "the shard is out of range");
    must(pack.containsKey("first") == entries > 0 && pack.containsKey("last") == entries > 0, "first and last do not fit");
    if (entries > 0) {
      long first = integer(pack, "first"), last = integer(pack, "last");
      must(first >= 1 && first <= last && last <= PackReader.MOST_NUMBER, "first and last are out of range");
    }
    file(pack);
    digest(pack.get("content_sha256"));
    for (Object item : list(pack, "deltas")) {
      Map<String, Object> delta = object(item);
      file(delta);
      digest(delta.get("from_sha256"));
      must(integer(delta, "from_serial") >= 1 && integer(delta, "from_serial") < serial, "from_serial is out of range");
    }
    for (Object item : list(pack, "formats")) {
      Map<String, Object> format = object(item);
      file(format);
      must(isName(format.get("format")), "a format's name has another form");
    }
    return pack;
  }

  static void check(Map<String, Object> pack, byte[] file) {
    must(file.length == integer(pack, "bytes"), "the file has another length");
    must(hex(PackReader.sha256(file)).equals(pack.get("sha256")), "the file has another content");
    PackReader.Pack found = PackReader.read(file);
    List<PackReader.Entry> entries = found.entries();
    must(List.of("blocking", "identification", "both").get(found.header().kind - 1).equals(pack.get("kind")), "another kind");
    must(found.header().serial == integer(pack, "serial") && entries.size() == integer(pack, "entries"), "another serial or count");
    must(found.header().region.equals(pack.getOrDefault("region", "")), "another region");
    if (!entries.isEmpty()) {
      must(entries.get(0).number() == integer(pack, "first"), "another first number");
      must(entries.get(entries.size() - 1).number() == integer(pack, "last"), "another last number");
    }
    must(hex(PackReader.contentDigest(entries)).equals(pack.get("content_sha256")), "other entries");
  }
}
