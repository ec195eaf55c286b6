// Who is asking: whether an assertion is the issuer's, unchanged, and valid now.

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

final class Assertions {
    private static final String CANONICAL = "http://www.w3.org/2001/10/xml-exc-c14n#";
    /** Those of a signature in the order in which they are written, the only ones that are taken. */
    private static final List<String> ALGORITHMS = List.of(CANONICAL, "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
        Names.DS + "enveloped-signature", CANONICAL, "http://www.w3.org/2001/04/xmlenc#sha256");

    /** Who signs; `null` where nobody looks. */
    private final PublicKey issuer;

    Assertions(PublicKey issuer) { this.issuer = issuer; }

    /** The one assertion in the header; its claims are read from the very bytes that the signature is over. */
    void check(String document, Element security, Instant now) throws Fault {
        List<Element> all = security.all(Names.SAML, "Assertion");
        if (all.isEmpty()) throw Fault.missing("there is no `saml:Assertion` in `wsse:Security`");
        if (all.size() > 1) throw Fault.token("there is more than one `saml:Assertion`");
        Element assertion = all.get(0);
        if (issuer != null) assertion = verified(document, assertion);
        if (!"2.0".equals(assertion.attributes.get("Version"))) throw Fault.token("the assertion is not one of Names.SAML 2.0");
        Element conditions = assertion.child(Names.SAML, "Conditions");
        Instant[] bounds = new Instant[2];
        String[] names = {"NotBefore", "NotOnOrAfter"};
        for (int place = 0; place < 2; place++) {
            String text = conditions == null ? "" : conditions.attributes.getOrDefault(names[place], "");
            bounds[place] = Element.moment(text);
            if (bounds[place] == null) throw Fault.token("`" + names[place] + "` of the assertion is not a moment");
        }
        if (now.plus(Names.SKEW).isBefore(bounds[0])) throw Fault.expired("the assertion is not valid yet");
        if (!now.isBefore(bounds[1])) throw Fault.expired("the assertion has expired");
    }

    /** Cuts one piece out of a text in which its ends occur once each: what a reader sees is then what is cut. */
    private static String cut(String text, String from, String to, String what) throws Fault {
        int start = text.indexOf(from);
        int end = text.indexOf(to);
        if (start < 0 || end < start || text.indexOf(from, start + 1) >= 0 || text.indexOf(to, end + 1) >= 0) {
            throw Fault.signature("the signature of the assertion is wrong: " + what);
        }
        return text.substring(start, end + to.length());
    }

    private Element verified(String document, Element assertion) throws Fault {
        if (assertion.child(Names.DS, "Signature") == null) throw Fault.signature("the assertion is not signed");
        if (!assertion.prefix.equals("saml")) throw Fault.signature("the assertion is not in canonical form");
        String whole = cut(document, "<saml:Assertion", "</saml:Assertion>", "there is more than one assertion");
        String sealed = cut(whole, "<ds:Signature xmlns", "</ds:Signature>", "it is not in canonical form");
        String info = cut(sealed, "<ds:SignedInfo>", "</ds:SignedInfo>", "it is not in canonical form");
        String signed = "<ds:SignedInfo xmlns:ds=\"" + Names.DS + "\">" + info.substring("<ds:SignedInfo>".length());
        String value = cut(sealed, "<ds:SignatureValue>", "</ds:SignatureValue>", "it is not in canonical form");
        String claims = whole.replace(sealed, "");
        try {
            Signature check = Signature.getInstance("SHA256withRSA");
            check.initVerify(issuer);
            check.update(signed.getBytes(StandardCharsets.UTF_8));
            String base64 = value.substring(value.indexOf('>') + 1, value.lastIndexOf('<'));
            if (!check.verify(Base64.getDecoder().decode(base64.trim()))) {
                throw Fault.signature("the signature of the assertion is wrong: it was made by another key, or changed");
            }
            // From here on only what was signed is read.
            Element reference = Element.read(signed).child(Names.DS, "Reference");
            Element read = Element.read(claims);
            String id = read.attributes.get("ID");
            if (id == null || !("#" + id).equals(reference.attributes.get("URI"))) {
                throw Fault.signature("the signature of the assertion is wrong: it is over something else");
            }
            List<String> algorithms = new ArrayList<>();
            for (String piece : signed.split("Algorithm=\"")) {
                algorithms.add(piece.substring(0, Math.max(piece.indexOf('"'), 0)));
            }
            if (!algorithms.subList(1, algorithms.size()).equals(ALGORITHMS)) {
                throw Fault.signature("the signature of the assertion is wrong: its algorithms are not taken here");
            }
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(claims.getBytes(StandardCharsets.UTF_8));
            if (!MessageDigest.isEqual(digest, Base64.getDecoder().decode(reference.textOf(Names.DS, "DigestValue")))) {
                throw Fault.signature("the signature of the assertion is wrong: the assertion was changed, or written anew");
            }
            return read;
        } catch (GeneralSecurityException | IllegalArgumentException broken) {
            throw Fault.signature("the signature of the assertion is wrong: it cannot be read");
        }
    }
}
