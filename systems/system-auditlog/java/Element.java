// XML as a tree: bounded, without document types, nothing expanded.

import java.io.StringReader;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** An element of XML; names of attributes are local ones, those with a namespace have it in braces before. */
final class Element {
    String namespace;
    String name;
    String prefix;
    final Map<String, String> attributes = new HashMap<>();
    final List<Element> children = new ArrayList<>();
    final StringBuilder text = new StringBuilder();

    boolean is(String namespace, String name) { return this.namespace.equals(namespace) && this.name.equals(name); }

    List<Element> all(String namespace, String name) {
        List<Element> found = new ArrayList<>();
        children.forEach(child -> { if (child.is(namespace, name)) found.add(child); });
        return found;
    }

    Element child(String namespace, String name) {
        return children.stream().filter(child -> child.is(namespace, name)).findFirst().orElse(null);
    }

    String textOf(String namespace, String name) {
        Element child = child(namespace, name);
        return child == null ? "" : child.text.toString().trim();
    }

    private static final XMLInputFactory FACTORY = XMLInputFactory.newInstance();
    static {
        FACTORY.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        FACTORY.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        FACTORY.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    }

    /** XML as a tree: bounded, without document types, nothing expanded. */
    static Element read(String text) throws Fault {
        try {
            XMLStreamReader reader = FACTORY.createXMLStreamReader(new StringReader(text));
            List<Element> open = new ArrayList<>();
            Element root = null;
            int elements = 0;
            while (reader.hasNext()) {
                Element inner = open.isEmpty() ? null : open.get(open.size() - 1);
                switch (reader.next()) {
                    case XMLStreamConstants.START_ELEMENT -> {
                        if (++elements > Names.ELEMENTS_MAX || open.size() >= Names.LEVELS_MAX) {
                            throw Fault.syntax(
                                "the XML has more than " + Names.ELEMENTS_MAX + " elements or " + Names.LEVELS_MAX + " levels");
                        }
                        Element element = element(reader);
                        if (inner == null) root = element; else inner.children.add(element);
                        open.add(element);
                    }
                    case XMLStreamConstants.END_ELEMENT -> open.remove(open.size() - 1);
                    case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE -> {
                        if (inner != null) inner.text.append(reader.getText());
                    }
                    case XMLStreamConstants.DTD ->
                        throw Fault.syntax("the XML has a document type declaration, which is refused");
                    case XMLStreamConstants.ENTITY_REFERENCE ->
                        throw Fault.syntax("the XML refers to an entity that is not predefined; entities are never expanded");
                    default -> { }
                }
            }
            return root;
        } catch (XMLStreamException | RuntimeException broken) {
            throw Fault.syntax("the XML is not well-formed");
        }
    }

    private static Element element(XMLStreamReader reader) {
        Element element = new Element();
        element.namespace = reader.getNamespaceURI() == null ? "" : reader.getNamespaceURI();
        element.name = reader.getLocalName();
        element.prefix = reader.getPrefix() == null ? "" : reader.getPrefix();
        for (int place = 0; place < reader.getAttributeCount(); place++) {
            String namespace = reader.getAttributeNamespace(place);
            String before = namespace == null || namespace.isEmpty() ? "" : "{" + namespace + "}";
            element.attributes.put(before + reader.getAttributeLocalName(place), reader.getAttributeValue(place));
        }
        return element;
    }

    /** A moment with its zone; `null` for anything else. */
    static Instant moment(String text) {
        try {
            return text.length() > 40 ? null : OffsetDateTime.parse(text).toInstant();
        } catch (RuntimeException none) {
            return null;
        }
    }
}
