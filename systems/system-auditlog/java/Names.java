// Namespaces, and bounds of what strangers send.

import java.time.Duration;

final class Names {
    static final String SOAP = "http://schemas.xmlsoap.org/soap/envelope/";
    private static final String OASIS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-";
    static final String WSSE = OASIS + "secext-1.0.xsd";
    static final String WSU = OASIS + "utility-1.0.xsd";
    static final String MEDCOM = "http://www.medcom.dk/dgws/2006/04/dgws-1.0.xsd";
    static final String SAML = "urn:oasis:names:tc:SAML:2.0:assertion";
    static final String DS = "http://www.w3.org/2000/09/xmldsig#";
    static final String MINLOG = "http://nsi.dk/minlog/2012/05/24/";

    /** Most bytes of a request; levels and elements of its XML. */
    static final int REQUEST_MAX = 64 << 10;
    static final int LEVELS_MAX = 32;
    static final int ELEMENTS_MAX = 4096;
    /** Entries of a page, and the farthest page. */
    static final int PAGE_MAX = 30;
    static final int PAGES_MAX = 10_000;
    /** How far the clock of a sender may be off. */
    static final Duration SKEW = Duration.ofSeconds(60);

    private Names() { }
}
