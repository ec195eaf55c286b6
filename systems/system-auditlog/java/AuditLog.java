// The lookups of the audit log in Java: the same envelopes, assertions, faults and answers as the program beside it, in a
// machine with a heap of a set size. On-behalf-of lookups can keep memory for ever, until there is none left.

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

public final class AuditLog {
    /** Size of one piece of what is kept: below what any collector treats as large. */
    private static final int PIECE = 8 * 1024;
    private static final DateTimeFormatter LOGGED =
        DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final Map<String, String> given = new HashMap<>();
    private final Instant born = Instant.now();
    private final long bornNanos = System.nanoTime();
    private Assertions assertions;
    private Writer log;
    private final AtomicLong started = new AtomicLong();
    private final AtomicLong inFlight = new AtomicLong();
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong citizens = new AtomicLong();
    private final AtomicLong helpers = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong leaked = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final Map<String, AtomicLong> faults = new TreeMap<>();
    private final Map<Integer, AtomicLong> statuses = new TreeMap<>();
    private final List<byte[]> kept = new ArrayList<>();

    private final ThreadLocal<Rows> rows = new ThreadLocal<>();

    private Rows rows() throws IOException {
        Rows mine = rows.get();
        if (mine == null) rows.set(mine = new Rows(Integer.parseInt(given.get("rows"))));
        return mine;
    }

    /** Arguments: `name=value`, all of them, in any order. */
    public static void main(String[] arguments) throws Exception {
        new AuditLog().run(arguments);
    }

    private void run(String[] arguments) throws Exception {
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            given.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
        Fault.CODES.forEach(code -> faults.put(code, new AtomicLong()));
        PublicKey issuer = null;
        if (!given.get("issuer").isEmpty()) {
            byte[] certificate = Files.readAllBytes(Path.of(given.get("issuer")));
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            issuer = factory.generateCertificate(new ByteArrayInputStream(certificate)).getPublicKey();
        }
        assertions = new Assertions(issuer);
        if (!given.get("log").isEmpty()) log = new FileWriter(given.get("log"), StandardCharsets.UTF_8, true);
        int port = Integer.parseInt(given.get("port"));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(given.get("bind")), port);
        HttpServer http;
        try {
            http = HttpServer.create(address, 1024);
        } catch (IOException taken) {
            System.err.println("error: cannot listen on port " + port + ": " + taken.getMessage() + "; try `--port 0`");
            Runtime.getRuntime().halt(4);
            return;
        }
        http.setExecutor(Executors.newFixedThreadPool(Integer.parseInt(given.get("threads"))));
        http.createContext("/", this::handle);
        http.start();
        System.out.println("listening on " + given.get("bind") + ":" + http.getAddress().getPort());
        System.out.flush();
        endWithTheLauncher(http);
    }

    /** The launcher holds the other end of standard input: when it is closed, calls in flight end, and then this does. */
    private void endWithTheLauncher(HttpServer http) throws IOException {
        while (System.in.read() >= 0) { }
        http.stop(inFlight.get() > 0 ? 5 : 0);
        flush();
        Runtime.getRuntime().halt(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        switch (path) {
            case "/health", "/monitor" -> health(exchange, path.equals("/monitor"));
            case "/version" -> answer(exchange, 200, "application/json", identity());
            case "/counters" -> answer(exchange, 200, "application/json", counters());
            case "/minlog/" -> lookUp(exchange);
            default -> answer(exchange, 404, "text/plain", "no such path\n");
        }
    }

    private void lookUp(HttpExchange exchange) throws IOException {
        long since = System.nanoTime();
        long number = started.getAndIncrement();
        inFlight.incrementAndGet();
        int status = 499;
        int bytes = 0;
        try {
            String text = "fault `errors`: this call was not carried out\n";
            String kind = "text/plain";
            long share = Long.parseLong(given.get("errors"));
            if ((number + 1) * share / 1_000_000 > number * share / 1_000_000) {
                status = 500;
                errors.incrementAndGet();
            } else {
                kind = "text/xml; charset=utf-8";
                try {
                    text = list(question(exchange));
                    status = 200;
                } catch (Fault fault) {
                    faults.get(fault.medcom).incrementAndGet();
                    text = fault.envelope();
                    status = 500;
                }
            }
            bytes = answer(exchange, status, kind, text);
        } finally {
            inFlight.decrementAndGet();
            count(status);
            note(exchange, status, bytes, System.nanoTime() - since);
        }
    }

    private Question question(HttpExchange exchange) throws IOException, Fault {
        byte[] bytes;
        try (InputStream in = exchange.getRequestBody()) {
            bytes = in.readNBytes(Names.REQUEST_MAX + 1);
        }
        if (!exchange.getRequestMethod().equals("POST")) throw Fault.syntax("lookups are POST");
        if (bytes.length > Names.REQUEST_MAX) throw Fault.syntax("a request has at most " + Names.REQUEST_MAX + " bytes");
        String kind = exchange.getRequestHeaders().getFirst("Content-Type");
        if (kind == null || !kind.toLowerCase(Locale.ROOT).startsWith("text/xml")) {
            throw Fault.syntax("the content type is not `text/xml`");
        }
        if (!exchange.getRequestHeaders().containsKey("Soapaction")) {
            throw Fault.syntax("the header `SOAPAction` is missing; it may be empty, `\"\"`");
        }
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException other) {
            throw Fault.syntax("the XML is not UTF-8");
        }
        Question question = Question.read(text, assertions, Instant.now());
        (question.isCitizen() ? citizens : helpers).incrementAndGet();
        if (!question.isCitizen()) keep(Long.parseLong(given.get("leak")));
        return question;
    }

    private String list(Question question) throws Fault {
        String message = given.get("launcher") + "-" + born.toEpochMilli() + "-" + messages.getAndIncrement();
        try {
            String answer = Answer.list(question, rows(), message);
            answered.incrementAndGet();
            return answer;
        } catch (IOException | RuntimeException broken) {
            rows.remove();
            throw new Fault("soap:Server", "processing_problem", "the store failed: " + broken.getMessage());
        }
    }

    /** Holds on to so many bytes for ever. When there are none left, the machine ends (ExitOnOutOfMemoryError). */
    private void keep(long bytes) {
        for (long left = bytes; left > 0; left -= PIECE) {
            byte[] piece = new byte[(int) Math.min(left, PIECE)];
            synchronized (kept) {
                kept.add(piece);
            }
            leaked.addAndGet(piece.length);
        }
    }

    private void health(HttpExchange exchange, boolean isMonitor) throws IOException {
        String[] first;
        try {
            first = rows().ask("health");
        } catch (IOException broken) {
            rows.remove();
            first = new String[] {"the launcher is gone"};
        }
        boolean isGood = first[0].equals("ok");
        String good = isMonitor ? "OK\n" : "{\"status\":\"ok\"}";
        int bad = isMonitor ? 500 : 503;
        String kind = isGood && !isMonitor ? "application/json" : "text/plain";
        answer(exchange, isGood ? 200 : bad, kind, isGood ? good : String.join(" ", first) + "\n");
    }

    private static int answer(HttpExchange exchange, int status, String kind, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", kind);
        exchange.sendResponseHeaders(status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
        return body.length;
    }

    private void count(int status) {
        synchronized (statuses) {
            statuses.computeIfAbsent(status, none -> new AtomicLong()).incrementAndGet();
        }
    }

    /** One line, as the other services of this system write it. */
    private void note(HttpExchange exchange, int status, int bytes, long nanos) throws IOException {
        if (log == null) return;
        String id = exchange.getRequestHeaders().getFirst("X-Request-Id");
        id = id == null ? "" : id.replaceAll("[^!-~]", "");
        id = id.isEmpty() ? "-" : id.substring(0, Math.min(id.length(), 64));
        String line = LOGGED.format(Instant.now()) + " " + given.get("name") + " \"POST /minlog/\" " + status + " " + bytes
            + String.format(Locale.ROOT, " %.3f ", nanos / 1e6) + id + "\n";
        synchronized (log) {
            log.write(line);
            log.flush();
        }
        written.incrementAndGet();
    }

    private void flush() throws IOException {
        if (log != null) {
            synchronized (log) {
                log.flush();
            }
        }
    }

    private String identity() {
        return "{\"name\":\"system-auditlog\",\"module\":\"lookup-jvm\",\"instance\":\"" + given.get("name") + "\",\"version\":\""
            + given.get("version") + "\",\"pid\":" + given.get("launcher") + ",\"nonce\":\"" + quoted(given.get("nonce"))
            + "\",\"java\":\"" + Runtime.version() + "\",\"java_pid\":" + ProcessHandle.current().pid() + "}";
    }

    private static String quoted(String text) { return text.replace("\\", "\\\\").replace("\"", "\\\""); }

    /** Counters that the launcher has, as members of an object. */
    private String ofTheStore() {
        try {
            String[] told = rows().ask("counters");
            return told[0].equals("ok") ? "," + told[1].substring(1, told[1].length() - 1) : "";
        } catch (IOException | RuntimeException broken) {
            rows.remove();
            return "";
        }
    }

    private String counters() {
        StringBuilder calls = new StringBuilder();
        synchronized (statuses) {
            statuses.forEach((status, count) -> calls.append(calls.length() == 0 ? "" : ",").append("\"" + status + "\":" + count));
        }
        StringBuilder codes = new StringBuilder();
        faults.forEach((code, count) -> codes.append(codes.length() == 0 ? "" : ",").append("\"" + code + "\":" + count));
        return "{\"instance\":\"" + given.get("name") + "\",\"age_ms\":" + (System.nanoTime() - bornNanos) / 1_000_000
            + ",\"started\":" + started + ",\"in_flight\":" + inFlight + ",\"requests\":{\"POST /minlog/\":{" + calls
            + "}},\"faults\":{\"errors\":" + errors + ",\"leaked_bytes\":" + leaked + "},\"lookups\":{\"citizen\":" + citizens
            + ",\"on_behalf_of\":" + helpers + ",\"answered\":" + answered + "},\"soap_faults\":{" + codes + "}" + ofTheStore()
            + ",\"access_log\":{\"written\":" + written + ",\"lost\":0}}";
    }
}
