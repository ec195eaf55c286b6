// An HTTP server whose memory behaves as it is told: garbage of a set size for each request, a leak of a set size, and
// live data from the start. What it says of its own heap at /memory comes from the platform's own beans.

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

public final class HeapServer {
    /** Size of one piece of garbage, bytes: below what any collector treats as large. */
    private static final int PIECE = 8 * 1024;

    private static final AtomicLong requests = new AtomicLong();
    private static final AtomicLong answered = new AtomicLong();
    private static final AtomicLong control = new AtomicLong();
    private static final AtomicLong outOfMemory = new AtomicLong();
    private static final AtomicLong leaked = new AtomicLong();
    private static final List<byte[]> kept = new ArrayList<>();
    /** Keeps a compiler from leaving allocations out. */
    private static volatile int sink;
    /** Given up when the heap is full, so that there is room to say so; from then on nothing more is kept. */
    private static volatile byte[] reserve;
    private static volatile boolean isFull;

    private final long garbage;
    private final long leak;
    private final String nonce;
    private final String version;
    private final long launcher;
    private final long born = System.nanoTime();

    private HeapServer(String[] given) {
        garbage = Long.parseLong(given[1]);
        leak = Long.parseLong(given[2]);
        version = given[5];
        launcher = Long.parseLong(given[6]);
        nonce = given[7];
    }

    /** Arguments: port, garbage, leak, live, threads, version, process that started this, nonce. */
    public static void main(String[] given) throws Exception {
        HeapServer server = new HeapServer(given);
        reserve = new byte[(int) Math.min(Runtime.getRuntime().maxMemory() / 16, 16 << 20)];
        keep(Long.parseLong(given[3]));
        endWithTheLauncher();
        int threads = Integer.parseInt(given[4]);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), Integer.parseInt(given[0]));
        HttpServer http;
        try {
            http = HttpServer.create(address, 1024);
        } catch (IOException taken) {
            System.err.println("error: cannot listen on port " + given[0] + ": " + taken.getMessage() + "; try `--port 0`");
            System.exit(4);
            return;
        }
        http.setExecutor(Executors.newFixedThreadPool(threads));
        http.createContext("/", server::handle);
        http.start();
        System.out.println("listening on 127.0.0.1:" + http.getAddress().getPort());
        System.out.flush();
    }

    /** The launcher holds the other end of standard input: when it is gone, however that came, this ends too. */
    private static void endWithTheLauncher() {
        Thread thread = new Thread(() -> {
            try {
                while (System.in.read() >= 0) { }
            } catch (IOException closed) {
                // The same as its end.
            }
            Runtime.getRuntime().halt(0);
        }, "launcher");
        thread.setDaemon(true);
        thread.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        switch (exchange.getRequestURI().getPath()) {
            case "/health": answerControl(exchange, "{\"status\":\"ok\"}\n"); return;
            case "/version": answerControl(exchange, identity()); return;
            case "/counters": answerControl(exchange, counters()); return;
            case "/memory": answerControl(exchange, memory()); return;
            case "/collect": System.gc(); answerControl(exchange, memory()); return;
            default: load(exchange);
        }
    }

    private void load(HttpExchange exchange) throws IOException {
        long number = requests.getAndIncrement();
        try {
            waste(garbage);
            if (isFull && leak > 0) {
                throw new OutOfMemoryError("full before");
            }
            keep(leak);
        } catch (OutOfMemoryError full) {
            isFull = true;
            reserve = null;
            outOfMemory.incrementAndGet();
            answer(exchange, 500, "{\"error\":\"out of memory\"}\n");
            return;
        }
        exchange.getResponseHeaders().set("Request-Number", Long.toString(number));
        answer(exchange, 200, "{\"ok\":true}\n");
        answered.incrementAndGet();
    }

    private static void waste(long bytes) {
        int sum = 0;
        for (long left = bytes; left > 0; left -= PIECE) {
            byte[] piece = new byte[(int) Math.min(left, PIECE)];
            piece[piece.length - 1] = (byte) left;
            sum += piece[piece.length - 1];
        }
        sink = sum;
    }

    /** Holds on to so many bytes for ever. */
    private static void keep(long bytes) {
        for (long left = bytes; left > 0; left -= PIECE) {
            byte[] piece = new byte[(int) Math.min(left, PIECE)];
            synchronized (kept) {
                kept.add(piece);
            }
            leaked.addAndGet(piece.length);
        }
    }

    private void answerControl(HttpExchange exchange, String text) throws IOException {
        control.incrementAndGet();
        answer(exchange, 200, text);
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    private String identity() {
        return "{\"name\":\"target-jvm\",\"version\":\"" + version + "\",\"pid\":" + launcher
            + ",\"nonce\":\"" + escaped(nonce) + "\",\"java_pid\":" + ProcessHandle.current().pid() + "}\n";
    }

    private String counters() {
        return "{\"name\":\"target-jvm\",\"requests\":" + requests + ",\"answered\":" + answered
            + ",\"control\":" + control + ",\"out_of_memory\":" + outOfMemory + ",\"kept_bytes\":" + leaked
            + ",\"now_ns\":" + (System.nanoTime() - born) + "}\n";
    }

    /** What the platform's own beans say. */
    private static String memory() {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        StringBuilder text = new StringBuilder("{\"heap_used\":" + heap.getUsed()
            + ",\"heap_committed\":" + heap.getCommitted() + ",\"heap_max\":" + heap.getMax());
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            String name = pool.getName();
            String kind = name.contains("Eden") ? "eden" : name.contains("Survivor") ? "survivor"
                : name.contains("Old") || name.contains("Tenured") ? "old" : name.equals("Metaspace") ? "metaspace" : null;
            if (kind != null) {
                text.append(",\"" + kind + "_used\":" + pool.getUsage().getUsed());
                text.append(",\"" + kind + "_committed\":" + pool.getUsage().getCommitted());
            }
        }
        long young = 0, full = 0, youngMs = 0, fullMs = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            boolean isFull = collector.getName().contains("Old") || collector.getName().contains("MarkSweep");
            if (isFull) {
                full += collector.getCollectionCount();
                fullMs += collector.getCollectionTime();
            } else {
                young += collector.getCollectionCount();
                youngMs += collector.getCollectionTime();
            }
        }
        text.append(",\"gc_young\":" + young + ",\"gc_full\":" + full);
        text.append(",\"gc_young_ms\":" + youngMs + ",\"gc_full_ms\":" + fullMs);
        text.append(",\"threads\":" + ManagementFactory.getThreadMXBean().getThreadCount());
        text.append(",\"classes\":" + ManagementFactory.getClassLoadingMXBean().getLoadedClassCount());
        return text.append("}\n").toString();
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                escaped.append('\\').append(c);
            } else if (c < ' ') {
                escaped.append(String.format("\\u%04x", (int) c));
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }
}
