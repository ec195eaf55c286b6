// Rows come from the launcher, which has the connections to the store: a line with the question, a line with the counts, a
// line for each entry.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection to the launcher, which has the store; one for each thread. */
final class Rows {
    final BufferedReader in;
    final OutputStream out;

    Rows(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
        socket.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        out = socket.getOutputStream();
    }

    /** The first line of an answer, `ok` and counts, or why not. */
    String[] ask(String line) throws IOException {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        String first = in.readLine();
        if (first == null) throw new IOException("the launcher is gone");
        return first.split("\t", -1);
    }
}
