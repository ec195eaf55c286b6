//! Size and margins of pages, upright and turned, and which header and footer run along them.

use crate::xml::Xml;

/// Ends the pages that stand alike. The first page of the document has no header. The ids are those under which the
/// package has its headers and footers.
pub(crate) fn pages(xml: &mut Xml, is_turned: bool, has_title: bool) {
    let (header, footer) = if is_turned { ("rIdHeaderTurned", "rIdFooterTurned") } else { ("rIdHeader", "rIdFooter") };
    xml.element("w:sectPr", &[], |xml| {
        xml.empty("w:headerReference", &[("w:type", "default"), ("r:id", header)]);
        xml.empty("w:footerReference", &[("w:type", "default"), ("r:id", footer)]);
        xml.empty("w:type", &[("w:val", "nextPage")]);
        if is_turned {
            xml.empty("w:pgSz", &[("w:w", "16838"), ("w:h", "11906"), ("w:orient", "landscape")]);
        } else {
            xml.empty("w:pgSz", &[("w:w", "11906"), ("w:h", "16838")]);
        }
        let margins = [
            ("w:top", "1417"),
            ("w:right", "1134"),
            ("w:bottom", "1304"),
            ("w:left", "1134"),
            ("w:header", "680"),
            ("w:footer", "567"),
            ("w:gutter", "0"),
        ];
        xml.empty("w:pgMar", &margins);
        if has_title {
            xml.empty("w:titlePg", &[]);
        }
    });
}
