// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import static ringfence.client.Checks.same;
import static ringfence.client.Checks.that;
import static ringfence.client.Phone.PROBLEM;
import static ringfence.client.Phone.report;
import static ringfence.client.Phone.results;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import ringfence.client.Phone.Response;
import ringfence.client.Remediation.Outcome;
import ringfence.reader.Json;

/** The answers of servers, proxies and strangers, and their effect on a client. */
final class RunSending {
  public static void main(String[] arguments) throws IOException {
    Checks.run("a retry sends the same bytes", folder -> {
      Phone phone = new Phone(folder);
      phone.client().report(report(1));
      for (int i = 0; i < 3; i++) phone.script.add(request -> new Response(503, ""));
      for (int i = 0; i < 3; i++) phone.client().flush(true);
      phone.otherwise = request -> results(request, "duplicate");
      same(phone.client().flush(true).delivered, 1, "delivered");
      for (Transport.Request request : phone.requests) that(Arrays.equals(request.body, phone.requests.get(0).body), "the same body");
      same(phone.requests.size(), 4, "requests");
      same(phone.client().flush(true).nextAttempt, 0L, "the next attempt");
    });
    Checks.run("a request has at most a hundred reports", folder -> {
      Phone phone = new Phone(folder);
      RingfenceClient client = phone.client();
      for (int i = 0; i < 250; i++) client.report(report(i));
      phone.otherwise = request -> results(request, "created");
      same(client.flush(false).delivered, 250, "delivered");
      same(sizes(phone), Arrays.asList(100, 100, 50), "sizes");
    });
    Checks.run("pauses grow and an urgent flush skips them", folder -> {
      Phone phone = new Phone(folder);
      phone.client().report(report(1));
      long pause = 0;
      for (int i = 0; i < 14; i++) {
        long next = phone.client().flush(true).nextAttempt - phone.time;
        that(next > pause || next == 2_700_000, "pause of " + next + " behind " + pause);
        same(phone.requests.size(), i + 1, "requests");
        phone.client().flush(false);
        same(phone.requests.size(), i + 1, "requests in the pause");
        pause = next;
      }
    });
    for (String asked : new String[] {"7200", "Sun, 15 Nov 2026 02:53:20 GMT", "999999999999", "abc", "-5"}) {
      Checks.run("an urgent flush respects Retry-After: " + asked, folder -> {
        Phone phone = new Phone(folder);
        phone.time = 1_794_704_000_000L;
        phone.client().report(report(1));
        phone.script.add(request -> new Response(429, "", "Retry-After", asked));
        long pause = phone.client().flush(false).nextAttempt - phone.time;
        boolean isAsked = !asked.equals("abc") && !asked.equals("-5");
        phone.otherwise = request -> results(request, "created");
        // Another process asks.
        same(phone.client().flush(true).delivered, isAsked ? 0 : 1, "delivered in the pause");
        that(isAsked ? pause >= 7_000_000 && pause <= 27 * 3_600_000 : pause < 3_000, "a pause of " + pause);
        phone.time += 27 * 3_600_000;
        same(phone.client().flush(false).waiting, 0, "waiting behind the pause");
      });
    }
    Checks.run("reports that the server will never accept are dropped", folder -> {
      Phone phone = new Phone(folder);
      for (int i = 0; i < 5; i++) phone.client().report(report(i));
      phone.script.add(request -> new Response(200, "{\"results\":[{\"status\":\"conflict\"},{\"status\":\"withdrawn\"},"
          + "{\"status\":\"invalid\",\"errors\":[{\"pointer\":\"/number\",\"code\":\"not_valid\"}]},{\"status\":\"created\"},{\"status\":\"limited\"}]}"));
      RingfenceClient.FlushResult result = phone.client().flush(false);
      same(Arrays.asList(result.delivered, result.dropped, result.waiting), Arrays.asList(1, 3, 1), "delivered, dropped, waiting");
      that(phone.events.contains("DROPPED number: not_valid"), "the reason: " + phone.events);
    });
    Checks.run("a limited report waits for tomorrow", folder -> {
      Phone phone = new Phone(folder);
      RingfenceClient client = phone.client();
      client.report(report(1));
      phone.otherwise = request -> results(request, "limited");
      long next = client.flush(false).nextAttempt;
      that(next > phone.time && next < phone.time + 26 * 3_600_000, "the next attempt");
      client.flush(true);
      same(phone.requests.size(), 1, "requests of today");
      phone.time = next;
      client.flush(false);
      same(phone.requests.size(), 2, "requests of tomorrow");
    });
    for (int status : new int[] {400, 413, 422}) {
      Checks.run("the report that fails a request is found: " + status, folder -> {
        Phone phone = new Phone(folder);
        for (int i = 0; i < 50; i++) phone.client().report(report(i));
        phone.otherwise = request -> {
          boolean isBad = new String(request.body, Json.UTF8).contains("" + new UUID(7, 31));
          return isBad ? new Response(status, "", PROBLEM) : results(request, "created");
        };
        RingfenceClient.FlushResult result = phone.client().flush(false);
        same(Arrays.asList(result.delivered, result.dropped, result.waiting), Arrays.asList(49, 1, 0), "delivered, dropped, waiting");
      });
    }
    for (int status : new int[] {302, 400, 401, 403, 404, 409, 410, 413, 422, 500, 503}) {
      Checks.run("a proxy or a stranger drops no data: " + status, folder -> {
        Phone phone = new Phone(folder);
        phone.client().report(report(1));
        phone.client().withdraw(new UUID(7, 2));
        phone.client().countCall("+493023125001", null, true);
        phone.time += Codec.DAY;
        phone.otherwise = request -> new Response(status, "<html>", "Content-Type", "text/html");
        for (int i = 0; i < 5; i++) phone.client().flush(true);
        int waiting = phone.client().waiting();
        same(waiting, 2, "waiting, and the counts of yesterday");
        phone.otherwise = request -> request.url.getPath().endsWith("reports") ? results(request, "created") : new Response(204, "");
        same(phone.client().flush(true).waiting, 0, "waiting behind the proxy");
      });
    }
    for (String body : new String[] {
        "", "[]", "{}", "{\"results\":[]}", "{\"results\":[1]}", "{\"results\":null}", "{\"results\":[{}]}", "{\"results\":[{\"status\":\"created\"}",
        "{\"results\":[{\"status\":\"created\"},{\"status\":\"created\"}]}", "<html>", "{\"results\":[{\"status\":7}]}", "\u0000", "[[[[[[[[[["}) {
      Checks.run("an answer that is none keeps the report: " + body.replace('\u0000', '0'), folder -> {
        Phone phone = new Phone(folder);
        phone.client().report(report(1));
        phone.otherwise = request -> new Response(200, body);
        same(phone.client().flush(false).waiting, 1, "waiting");
      });
    }
    Checks.run("an endless answer is cut", folder -> {
      Phone phone = new Phone(folder);
      phone.client().report(report(1));
      phone.otherwise = request -> new Response(200, new byte[3 << 20]);
      same(phone.client().flush(false).waiting, 1, "waiting");
      phone.otherwise = request -> new Response(200, "{}", "Content-Encoding", "gzip");
      same(phone.client().flush(true).waiting, 1, "waiting behind a compressed answer");
    });
    Checks.run("a refused key drops no data", folder -> {
      Phone phone = new Phone(folder);
      phone.client().report(report(1));
      phone.script.add(request -> new Response(401, "", PROBLEM));
      phone.script.add(request -> new Response(403, "", PROBLEM));
      for (int i = 0; i < 2; i++) same(phone.client().flush(true).waiting, 1, "waiting");
      same(phone.events, Arrays.asList("KEY_REFUSED KEY_UNKNOWN", "KEY_REFUSED KEY_SCOPE"), "events");
    });
    Checks.run("a report is sent before its withdrawal", folder -> {
      Phone phone = new Phone(folder);
      RingfenceClient client = phone.client();
      client.report(report(1));
      client.report(report(2));
      client.withdraw(new UUID(7, 2));
      phone.script.add(request -> new Response(500, ""));
      client.flush(true);
      client.withdraw(new UUID(7, 1));
      phone.otherwise = request -> request.body == null ? new Response(404, "", PROBLEM) : results(request, "created");
      same(client.flush(true).waiting, 0, "waiting");
      same(Phone.reports(phone.requests.get(0)).size(), 1, "a report that was withdrawn before it was sent never leaves the phone");
      List<String> methods = Arrays.asList(phone.requests.get(1).method, phone.requests.get(2).method);
      same(methods, Arrays.asList("POST", "DELETE"), "the order");
      same(phone.requests.get(2).url.getPath(), "/v1/reports/" + new UUID(7, 1), "the path");
    });
    Checks.run("calls are counted in one batch a day", folder -> {
      Phone phone = new Phone(folder);
      RingfenceClient client = phone.client();
      for (int i = 0; i < 3; i++) client.countCall("030 23125000", "DE", i > 0);
      same(client.flush(false).nextAttempt, 0L, "nothing is sent today");
      same(phone.requests.size(), 0, "requests of today");
      phone.time += Codec.DAY;
      client.countCall("030 23125000", "DE", true);
      phone.script.add(request -> new Response(503, ""));
      client.flush(false);
      phone.otherwise = request -> new Response(201, "{}");
      phone.client().flush(true);
      same(phone.requests.size(), 2, "requests of tomorrow");
      that(Arrays.equals(phone.requests.get(0).body, phone.requests.get(1).body), "the same batch");
      Map<?, ?> batch = Json.object(phone.requests.get(0).body);
      same(batch.get("items").toString(), "[{day=2026-11-18, named=2, number=030 23125000, region=DE, unknown=1}]", "the batch");
      phone.time += Codec.DAY;
      phone.otherwise = request -> new Response(422, "", PROBLEM);
      same(phone.client().flush(true).dropped, 1, "a batch that the server refuses");
      same(phone.client().waiting(), 0, "waiting");
    });
    Checks.run("calls that a pack had are sent after the end of their day, and at most ten", folder -> {
      Phone phone = new Phone(folder);
      phone.otherwise = request -> remediations(request, 201);
      for (Outcome outcome : new Outcome[] {Outcome.BLOCKED, Outcome.MATCHED, Outcome.OVERRIDDEN}) {
        for (int i = 0; i < 6; i++) phone.client().countRemediation(block(), outcome);
      }
      phone.client().countRemediation(new Remediation("toxic", false, null, "A list", null, null, null), Outcome.LABELED);
      phone.client().flush(true);
      same(phone.requests.size(), 0, "requests of today");
      phone.time += Codec.DAY;
      phone.client().countRemediation(new Remediation("toxic", false, "source", null, null, null, null), Outcome.LABELED);
      for (int i = 0; i < 2; i++) same(phone.client().flush(false).nextAttempt, 0L, "the next attempt");
      same(paths(phone), "[installations, remediations]", "requests of tomorrow");
      same(phone.requests.get(1).fields.get("Ringfence-Installation"), "plain", "the token");
      same(new String(phone.requests.get(1).body, Json.UTF8),
          "{\"counts\":[{\"number_type\":\"mobile\",\"origin\":\"source\",\"pack\":\"block\",\"score\":\"high\",\"source\":\"A list\","
          + "\"treatment\":\"block\",\"matched\":10,\"blocked\":6,\"labeled\":0,\"overridden\":6}],\"day\":\"2026-11-18\"}", "the counts");
      phone.time += Codec.DAY;
      phone.client().flush(false);
      same(paths(phone), "[installations, remediations, remediations]", "the token is kept");
      same(new String(phone.requests.get(2).body, Json.UTF8), "{\"counts\":[{\"pack\":\"toxic\",\"treatment\":\"identify\",\"matched\":1,"
          + "\"blocked\":0,\"labeled\":1,\"overridden\":0}],\"day\":\"2026-11-19\"}", "a source without a name is no origin");
      that(new File(folder, "outbox").length() < 100, "nothing is left of what was sent");
    });
    Checks.run("a server without these counts delays no report and is asked for three days", folder -> {
      Phone phone = new Phone(folder);
      phone.otherwise = request -> remediations(request, 404, PROBLEM);
      phone.client().countRemediation(block(), Outcome.BLOCKED);
      for (int day = 1; day <= 5; day++) {
        phone.time += Codec.DAY;
        phone.client().report(report(day));
        RingfenceClient.FlushResult result = phone.client().flush(false);
        same(Arrays.asList(result.delivered, result.dropped, result.nextAttempt), Arrays.asList(1, 0, 0L), "day " + day);
      }
      same(paths(phone).split("remediations", -1).length - 1, 3, "attempts");
    });
    Checks.run("a refused token is replaced, and refused counts are dropped", folder -> {
      Phone phone = new Phone(folder);
      phone.client().countRemediation(block(), Outcome.BLOCKED);
      phone.time += Codec.DAY;
      phone.otherwise = request -> remediations(request, 422, PROBLEM[0], PROBLEM[1], "Ringfence-Attestation", "invalid");
      for (int i = 0; i < 2; i++) same(phone.client().flush(false).dropped, 0, "dropped with a refused token");
      same(paths(phone), "[installations, remediations, installations, remediations]", "a new token each time");
      phone.otherwise = request -> remediations(request, 422, PROBLEM);
      for (int i = 0; i < 2; i++) same(phone.client().flush(false).dropped, 1 - i, "dropped with refused counts");
    });
    Checks.run("a proxy, a stranger or a refused key drops no counts, and an attested token is sent", folder -> {
      Phone phone = new Phone(folder);
      phone.client().countRemediation(block(), Outcome.BLOCKED);
      phone.time += Codec.DAY;
      for (String token : new String[] {"", "{}", "{\"token\":7}", "{\"token\":\"\"}", "{\"token\":\"a\\nb\"}", "<html>"}) {
        phone.otherwise = request -> new Response(201, token);
        phone.client().flush(true);
        same(paths(phone).contains("remediations"), false, "counts without a token: " + token);
      }
      for (int status : new int[] {302, 400, 401, 403, 404, 409, 410, 413, 422, 500, 503}) {
        phone.otherwise = request -> remediations(request, status, "Content-Type", "text/html");
        same(phone.client().flush(false).dropped, 0, "status " + status);
      }
      RingfenceClient client = phone.client();
      client.attest(new RingfenceClient.Installation() {
        @Override
        public Map<String, String> fields() { return java.util.Collections.singletonMap("Ringfence-Installation", "attested"); }

        @Override
        public void answered(Transport.Head head) {}
      });
      phone.otherwise = request -> remediations(request, 503, "Retry-After", "7200");
      client.flush(false);
      int before = phone.requests.size();
      same(phone.requests.get(before - 1).fields.get("Ringfence-Installation"), "attested", "the token");
      client.flush(true);
      same(phone.requests.size(), before, "requests in the pause that the server asks for");
      phone.time += 3 * 3_600_000;
      phone.otherwise = request -> remediations(request, 200);
      client.flush(false);
      client.flush(false);
      same(phone.requests.size(), before + 1, "a duplicate is no failure");
    });
    Checks.run("fields that the server would refuse are refused", folder -> {
      for (String pack : new String[] {null, "", "x".repeat(65)}) {
        try {
          new Remediation(pack, true, null, null, null, null, null);
          that(false, pack + " was accepted");
        } catch (ClientException refusal) {
          same(refusal.kind, ClientException.Kind.INVALID, "the kind");
        }
      }
      Object[][] cases = {
        {"", null, "fraud", "Ada", null}, {"1".repeat(65), null, "fraud", "Ada", null}, {"1", "DEU", "fraud", "Ada", null},
        {"1", null, "Fraud", "Ada", null}, {"1", null, "fraud", "", null}, {"1", null, "fraud", "A".repeat(201), null},
        {"1", null, "fraud", "Ada", "x".repeat(501)}, {"1", null, "fraud", "Ada", "a\u0000b"}, {null, null, "fraud", "Ada", null}};
      for (Object[] fields : cases) {
        try {
          new Report((String) fields[0], (String) fields[1], (String) fields[2], (String) fields[3], (String) fields[4]);
          that(false, Arrays.toString(fields) + " was accepted");
        } catch (ClientException refusal) {
          same(refusal.kind, ClientException.Kind.INVALID, "the kind");
        }
      }
      new Report("1", "DE", "fraud", "\uD83D\uDE00".repeat(200), "\"\\\n\u2028");
      for (int status = 0; status < 3; status++) {
        String word = Report.verification(status);
        Report verified = new Report("1", "DE", "fraud", "Ada", null, Phone.START, new UUID(1, 1), word);
        same(word, new String[] {"none", "passed", "failed"}[status], "the word");
        same(Json.object(verified.json).get("verification"), word, "the field");
      }
      that(!new String(report(1).json, Json.UTF8).contains("verification"), "no field where nothing is known");
      try {
        new Report("1", "DE", "fraud", "Ada", null, Phone.START, new UUID(1, 1), "maybe");
        that(false, "another word was accepted");
      } catch (ClientException refusal) {
        same(refusal.kind, ClientException.Kind.INVALID, "the kind");
      }
      that(!report(1).toString().contains("4930"), "a description has no number");
      for (String address : new String[] {"http://ringfence.example/v1", "https://a:b@ringfence.example/v1", "https://ringfence.example/v1?key=1",
          "ftp://ringfence.example", "https:///v1", "v1"}) {
        try {
          new ClientConfiguration(address, "rf_key", folder);
          that(false, address + " was accepted");
        } catch (IllegalArgumentException refusal) {
          that(refusal.getMessage().startsWith("The address"), "the reason");
        }
      }
      new ClientConfiguration("http://127.0.0.1:8080/v1", "rf_key", folder);
    });
    Checks.run("text survives JSON", folder -> {
      for (String text : new String[] {"", "\"\\/\b\f\n\r\t", "\u0001\u001f\u007f\u2028é\uD83D\uDE00"}) {
        same(Json.text(Json.object(Json.object("a", text).getBytes(Json.UTF8)), "a"), text, "the text");
      }
      same(Json.object("{ \"a\" : [ -1.5e2 , 12 , null , true , \"\\u00e9\\/\" ] , \"b\":{}}".getBytes(Json.UTF8)).toString(),
          "{a=[-150.0, 12, null, true, é/], b={}}", "a document");
    });
    Checks.end();
  }

  private static Remediation block() throws IOException {
    return new Remediation("block", true, "source", "A list", "high", null, "mobile");
  }

  /** A server that gives a token, stores reports, and answers counts with a status. */
  private static Response remediations(Transport.Request request, int status, String... fields) throws IOException {
    if (request.url.getPath().endsWith("/installations")) return new Response(201, "{\"token\":\"plain\"}");
    return request.url.getPath().endsWith("/reports") ? results(request, "created") : new Response(status, "", fields);
  }

  private static String paths(Phone phone) {
    List<String> paths = new java.util.ArrayList<>();
    for (Transport.Request request : phone.requests) paths.add(request.url.getPath().replace("/v1/", ""));
    return paths.toString();
  }

  private static List<Integer> sizes(Phone phone) throws IOException {
    Integer[] sizes = new Integer[phone.requests.size()];
    for (int i = 0; i < sizes.length; i++) sizes[i] = Phone.reports(phone.requests.get(i)).size();
    return Arrays.asList(sizes);
  }
}
