import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Requests an address several times with the JDK's default client, which asks for HTTP/2 over plain HTTP each time. */
class Upgrade {
  public static void main(String[] arguments) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 0; i < 5; i++) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0])).timeout(Duration.ofSeconds(5)).build();
      System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
    }
    HttpRequest post = HttpRequest.newBuilder(URI.create(arguments[1])).timeout(Duration.ofSeconds(5))
        .POST(HttpRequest.BodyPublishers.ofString("{}")).build();
    System.out.println(client.send(post, HttpResponse.BodyHandlers.ofString()).statusCode());
  }
}
