// What is answered to a question.

import java.io.IOException;

final class Answer {
    private Answer() { }

    /** The whole envelope; `message` is its own id.
     *  @throws IOException the launcher broke off */
    static String list(Question question, Rows mine, String message) throws Fault, IOException {
        String kind = question.isCitizen() ? "citizen" : "helper";
        String[] first = mine.ask(String.join("\t", kind, question.id(), question.from(), question.until(),
            Integer.toString(question.limit()), Integer.toString((question.page() - 1) * question.limit())));
        if (!first[0].equals("ok")) throw new Fault("soap:Server", "processing_problem", String.join(" ", first));
        StringBuilder out = new StringBuilder(1024 + 640 * Names.PAGE_MAX);
        out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"").append(Names.SOAP)
            .append("\"><soap:Header><medcom:Header xmlns:medcom=\"").append(Names.MEDCOM).append("\"><medcom:Linking>");
        element(out, "medcom:FlowID", question.flow());
        element(out, "medcom:MessageID", message);
        element(out, "medcom:InResponseToMessageID", question.message());
        out.append("</medcom:Linking>");
        element(out, "medcom:FlowStatus", "flow_finalized_succesfully");
        out.append("</medcom:Header></soap:Header><soap:Body>");
        String name = question.isCitizen() ? "ListLogStatementsResponse" : "ListLogStatementsOnBehalfOfResponse";
        out.append('<').append(name).append(" xmlns=\"").append(Names.MINLOG).append("\" ")
            .append(question.isCitizen() ? "cprNrBorger" : "medhjaelperID").append("=\"").append(question.id())
            .append("\" antal=\"").append(first[1]).append("\" side=\"").append(question.page()).append("\">");
        for (int left = Integer.parseInt(first[2]); left > 0; left--) {
            entry(out, mine.in.readLine().split("\t", -1));
        }
        return out.append("</").append(name).append("></soap:Body></soap:Envelope>\n").toString();
    }

    private static void entry(StringBuilder out, String[] row) {
        out.append("<LogEntry>");
        String[] names = {"regKode", "cprNrBorger", "bruger", "ansvarlig"};
        for (int place = 0; place < names.length; place++) element(out, names[place], row[place]);
        int colon = row[4].indexOf(':');
        out.append("<brugerOrganisation NameFormat=\"medcom:").append(escaped(row[4].substring(0, Math.max(colon, 0))))
            .append("\">").append(escaped(row[4].substring(colon + 1))).append("</brugerOrganisation>");
        element(out, "system", row[5]);
        element(out, "handling", row[6]);
        element(out, "sessionsId", row[7]);
        element(out, "tidspunkt", row[8].replace(' ', 'T') + "Z");
        out.append("</LogEntry>");
    }

    private static void element(StringBuilder out, String name, String text) {
        out.append('<').append(name).append('>').append(escaped(text)).append("</").append(name).append('>');
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
