// What is asked: an envelope with its headers, and in it a citizen or a helper, a span of time, and a page.

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** `from` and `until` are moments as the store has them; `flow` and `message` are ids of the header. */
record Question(
    boolean isCitizen, String id, String from, String until, int page, int limit, String flow, String message) {
    private static final DateTimeFormatter STORED = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

    static Question read(String document, Assertions assertions, Instant now) throws Fault {
        Element root = Element.read(document);
        if (!root.name.equals("Envelope")) throw Fault.syntax("this is not a SOAP envelope");
        if (!root.namespace.equals(Names.SOAP)) {
            throw new Fault("soap:VersionMismatch", "syntax_error", "the envelope is not one of SOAP 1.1");
        }
        Element header = root.child(Names.SOAP, "Header");
        List<Element> headers = header == null ? List.of() : header.children;
        for (Element one : headers) {
            boolean isKnown = one.is(Names.WSSE, "Security") || one.is(Names.MEDCOM, "Header");
            if (!isKnown && "1".equals(one.attributes.get("{" + Names.SOAP + "}mustUnderstand"))) {
                throw new Fault("soap:MustUnderstand", "syntax_error", "a header that must be understood is not");
            }
        }
        List<Element> securities = header == null ? List.of() : header.all(Names.WSSE, "Security");
        if (securities.size() != 1) throw Fault.missing("the header `wsse:Security` is not there exactly once");
        assertions.check(document, securities.get(0), now);
        checkAge(securities.get(0), now);
        Element medcom = header.child(Names.MEDCOM, "Header");
        if (medcom == null) throw Fault.missing("the header `medcom:Header` is missing");
        Element linking = medcom.child(Names.MEDCOM, "Linking");
        String[] ids = new String[2];
        String[] names = {"FlowID", "MessageID"};
        for (int place = 0; place < 2; place++) {
            ids[place] = linking == null ? "" : linking.textOf(Names.MEDCOM, names[place]);
            if (!ids[place].matches("[!-~]{1,128}")) {
                throw Fault.missing("`medcom:" + names[place] + "` must have 1 to 128 visible characters");
            }
        }
        Element body = root.child(Names.SOAP, "Body");
        if (body == null || body.children.size() != 1) throw Fault.syntax("the body does not hold exactly one element");
        return asked(body.children.get(0), ids);
    }

    private static void checkAge(Element security, Instant now) throws Fault {
        Element stamp = security.child(Names.WSU, "Timestamp");
        if (stamp == null) throw Fault.missing("`wsu:Timestamp` is missing in `wsse:Security`");
        Instant created = Element.moment(stamp.textOf(Names.WSU, "Created"));
        Instant expires = Element.moment(stamp.textOf(Names.WSU, "Expires"));
        if (created == null || expires == null) throw Fault.syntax("`wsu:Timestamp` does not have two moments with their zone");
        if (created.isAfter(now.plus(Names.SKEW))) throw Fault.old("the message was created in the future");
        if (!now.isBefore(expires.plus(Names.SKEW))) throw Fault.old("the message has expired");
    }

    private static Question asked(Element element, String[] ids) throws Fault {
        boolean isCitizen = element.is(Names.MINLOG, "ListLogStatementsRequest");
        if (!isCitizen && !element.is(Names.MINLOG, "ListLogStatementsOnBehalfOfRequest")) {
            throw Fault.syntax("there is no such operation; possible are `ListLogStatementsRequest` and "
                + "`ListLogStatementsOnBehalfOfRequest` of `" + Names.MINLOG + "`");
        }
        String name = isCitizen ? "cprNR" : "medhjaelperID";
        Set<String> expected = new HashSet<>(List.of(name, "fraDato", "tilDato", "side", "antalPrSide"));
        for (Element child : element.children) {
            if (!child.namespace.equals(Names.MINLOG) || !expected.remove(child.name)) {
                throw Fault.syntax("an element is not expected here");
            }
        }
        String id = element.textOf(Names.MINLOG, name);
        if (!id.matches("(0[1-9]|[12][0-9]|3[01])(0[1-9]|1[0-2])[0-9]{6}")) {
            throw Fault.syntax("`" + name + "` is not ten digits that begin with a day and a month");
        }
        String from = stored(element, "fraDato", 0, "1000-01-01 00:00:00");
        String until = stored(element, "tilDato", 1, "9999-01-01 00:00:00");
        int page = number(element, "side", 1, Names.PAGES_MAX);
        int limit = number(element, "antalPrSide", Names.PAGE_MAX, Names.PAGE_MAX);
        return new Question(isCitizen, id, from, until, page, limit, ids[0], ids[1]);
    }

    private static String stored(Element element, String name, int days, String without) throws Fault {
        if (element.child(Names.MINLOG, name) == null) return without;
        String text = element.textOf(Names.MINLOG, name);
        Instant moment = Element.moment(text);
        if (moment != null) return STORED.format(moment.atOffset(ZoneOffset.UTC));
        try {
            return STORED.format(LocalDate.parse(text).plusDays(days).atStartOfDay());
        } catch (RuntimeException none) {
            throw Fault.syntax("`" + name + "` is neither a date nor a moment with its zone");
        }
    }

    private static int number(Element element, String name, int without, int most) throws Fault {
        if (element.child(Names.MINLOG, name) == null) return without;
        String text = element.textOf(Names.MINLOG, name);
        int number = text.matches("[0-9]{1,6}") ? Integer.parseInt(text) : 0;
        if (number < 1 || number > most) throw Fault.syntax("`" + name + "` is not a whole number from 1 to " + most);
        return number;
    }
}
