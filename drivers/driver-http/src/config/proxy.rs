//! `proxy: http://host:port`.

use contract::{BuildContext, Keys, Mistake, Mistakes, Settings};
use http_wire::{ProxySettings, Url};

/// By way of which proxy an exchange goes; `None` for none.
pub(super) fn read(keys: &mut Keys<'_>, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<ProxySettings> {
    ProxySettings::read(keys.take("proxy"), context, mistakes)
}

/// A proxy of HTTP takes plain requests with their whole address in the line, which HTTP/2 has none of.
pub(super) fn check(
    proxy: Option<&ProxySettings>,
    streams: Option<u32>,
    url: &Url,
    settings: &Settings,
    mistakes: &mut Mistakes,
) {
    if streams.is_some() && !url.is_tls && proxy.is_some_and(ProxySettings::takes_addresses) {
        let place = settings.node.get("proxy").map_or(settings.node.place, |node| node.place);
        let what = "HTTP/2 without TLS cannot go by way of a proxy of HTTP";
        mistakes.push(
            Mistake::at(place, "http::bad-proxy", what)
                .label("write `socks5://host:port`, `https://` or `version: 1.1`"),
        );
    }
}
