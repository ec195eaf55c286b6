// Why a call is not answered, and how that is told.

import java.util.List;

/** A fault to answer with: its code, that of Den Gode Webservice, and words. */
final class Fault extends Exception {
    private static final long serialVersionUID = 1;

    /** All codes of Den Gode Webservice that are used here. */
    static final List<String> CODES = List.of("syntax_error", "missing_required_header", "invalid_idcard",
        "invalid_signature", "expired_idcard", "processing_problem");

    final String code;
    final String medcom;

    Fault(String code, String medcom, String text) {
        super(text, null, false, false);
        this.code = code;
        this.medcom = medcom;
    }

    static Fault syntax(String text) { return new Fault("soap:Client", "syntax_error", text); }
    static Fault missing(String text) {
        return new Fault("wsse:InvalidSecurity", "missing_required_header", text);
    }
    static Fault token(String text) { return new Fault("wsse:InvalidSecurityToken", "invalid_idcard", text); }
    static Fault signature(String text) { return new Fault("wsse:FailedCheck", "invalid_signature", text); }
    static Fault expired(String text) {
        return new Fault("wsse:FailedAuthentication", "expired_idcard", text);
    }
    static Fault old(String text) { return new Fault("wsu:MessageExpired", "syntax_error", text); }

    /** The whole envelope. */
    String envelope() {
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"" + Names.SOAP + "\" xmlns:wsse=\""
            + Names.WSSE + "\" xmlns:wsu=\"" + Names.WSU + "\"><soap:Body><soap:Fault><faultcode>" + code
            + "</faultcode><faultstring>" + Answer.escaped(getMessage()) + "</faultstring><detail><medcom:FaultCode xmlns:medcom=\""
            + Names.MEDCOM + "\">" + medcom + "</medcom:FaultCode></detail></soap:Fault></soap:Body></soap:Envelope>\n";
    }
}
