//! `Web`: where an archive may be had from: over `https`, and from a host that the whole world may ask.
//!
//! A list of plugins is foreign, so it must not send anybody to a server of their own machine or network.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Fault, redacted};

/// Names that mean this machine or its network; so do those below them, and those without any dot.
const NEAR: &[&str] = &["localhost", "localdomain", "local", "internal", "home.arpa"];

/// An `https` address without a user, whose host every program reads the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Web(String);

impl Web {
    /// The address that a list names.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        // What stands behind a `?` is as often as not a key.
        if redacted(text) != text {
            return Err(refused(text, "it holds credentials, or a `?`, behind which some may be"));
        }
        Web::reached(text)
    }

    /// The address that a server leads on to: what stands behind a `?` there is the server's own affair.
    pub fn reached(text: &str) -> Result<Self, Fault> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(refused(text, "it does not begin with `https://`"));
        };
        if !scheme.eq_ignore_ascii_case("https") {
            return Err(refused(text, "it does not begin with `https://`"));
        }
        let is_odd = |c: char| c.is_control() || c.is_whitespace() || "\\\"<>`".contains(c);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = Host::parse(authority).filter(|_| !text.contains(is_odd));
        if authority.contains('@') {
            return Err(refused(text, "it holds credentials"));
        }
        match host {
            None => Err(refused(text, "it is not written as addresses are")),
            Some(host) if host.is_near() => {
                Err(Fault::absent("source/host-barred").with("url", text).with("host", host))
            }
            Some(_) => Ok(Web(format!("https://{rest}"))),
        }
    }

    /// How it is written; it may be told to none but the host.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redacted(&self.0))
    }
}

fn refused(text: &str, why: &str) -> Fault {
    Fault::absent("source/address-refused").with("url", text).with("detail", why)
}

/// Who is asked.
enum Host {
    /// A name in small letters, without a dot at its end.
    Name(String),
    Address(IpAddr),
    /// An address in a spelling that some programs take for another one.
    Odd(String),
}

impl Host {
    /// The host in front of a port, if it is written so plainly that no two programs differ about it.
    fn parse(authority: &str) -> Option<Self> {
        let end = authority.find(']').map(|end| end + 1).or_else(|| authority.find(':'));
        let (host, port) = authority.split_at(end.unwrap_or(authority.len()));
        let is_number = |port: &str| port.parse::<u16>().is_ok() && !port.starts_with('+');
        if !port.is_empty() && !port.strip_prefix(':').is_some_and(is_number) {
            return None;
        }
        if let Some(inner) = host.strip_prefix('[') {
            let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
            return Some(Host::Address(IpAddr::V6(address)));
        }
        let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        // Other letters and `%` are made into plain ones by some programs, and by others not.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if !name.split('.').all(|part| !part.is_empty() && part.chars().all(is_plain)) {
            return None;
        }
        Some(match name.parse::<Ipv4Addr>() {
            Ok(address) => Host::Address(IpAddr::V4(address)),
            Err(_) if is_numeric(&name) => Host::Odd(name),
            Err(_) => Host::Name(name),
        })
    }

    /// Does it lead, or may it lead, to this machine or its network?
    fn is_near(&self) -> bool {
        match self {
            Host::Name(name) => {
                let is_below = |near: &&str| {
                    name.strip_suffix(*near)
                        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
                };
                !name.contains('.') || NEAR.iter().any(is_below)
            }
            Host::Address(IpAddr::V4(address)) => is_near(*address),
            Host::Address(IpAddr::V6(address)) => !is_far(*address),
            Host::Odd(_) => true,
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(text) | Host::Odd(text) => f.write_str(text),
            Host::Address(address) => address.fmt(f),
        }
    }
}

/// Is the last part of a name a number? That of no name on the web is: it is an address then.
fn is_numeric(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()))
}

/// Everything that is not routed on the web, also where clouds keep what their machines may know.
fn is_near(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || first == 0
        || first >= 240
        || first == 100 && second & 0xC0 == 64
        || (first, second, third) == (192, 0, 0)
        || first == 198 && second & 0xFE == 18
}

/// Only what is routed on the web, without the ranges that hold an IPv4 address within.
fn is_far(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    first & 0xE000 == 0x2000 && first != 0x2002 && (first, second) != (0x2001, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        Web::parse(text).map_or_else(|fault| fault.code.to_string(), |web| web.as_str().to_owned())
    }

    #[test]
    fn addresses_are_those_that_all_read_the_same() {
        for good in [
            "https://plugins.example/p.zip",
            "https://plugins.example:8443/a/b.zip",
            "https://plugins.example./p.zip",
            "https://8.8.8.8/p.zip",
            "https://[2606:4700::1111]:443/p.zip",
            "https://plugins.example/größe[1-9]{a,b}@c.zip",
            "https://172.32.0.1/p.zip",
            "https://notlocalhost.example/p.zip",
        ] {
            assert_eq!(code(good), good);
        }
        assert_eq!(code("HTTPS://Plugins.example/P.zip"), "https://Plugins.example/P.zip");
        for bad in [
            "http://plugins.example/p.zip",
            "file:///etc/passwd",
            "ftp://plugins.example/p.zip",
            "plugins.example/p.zip",
            "https:/plugins.example/p.zip",
            "-o/etc/passwd",
            "--output=x https://plugins.example/p.zip",
            "https://",
            "https:///p.zip",
            "https://plugins.example /p.zip",
            "https://plugins.example/p.zip\n--output=x",
            "https://plugins.example\\@127.0.0.1/p.zip",
            "https://me:s3cret@plugins.example/p.zip",
            "https://s3cret@plugins.example/p.zip",
            "https://plugins.example/p.zip?token=s3cret",
            "https://plugins..example/p.zip",
            "https://plugins.example:/p.zip",
            "https://plugins.example:x/p.zip",
            "https://plugins.example:+80/p.zip",
            "https://%31%32%37.0.0.1/p.zip",
            "https://１２７.0.0.1/p.zip",
            "https://127。0。0。1/p.zip",
            "https://plugins[1-9].example/p.zip",
            "https://[fe80::1%25eth0]/p.zip",
            "https://[::1/p.zip",
        ] {
            assert_eq!(code(bad), "source/address-refused", "{bad}");
            let fault = Web::parse(bad).unwrap_err();
            assert!(!format!("{fault:?}").contains("s3cret"), "{fault:?}");
        }
    }

    #[test]
    fn nobody_is_sent_to_their_own_network() {
        for near in [
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "localhost.localdomain",
            "printer.local",
            "metadata.google.internal",
            "metadata",
            "router.home.arpa",
            "127.0.0.1",
            "127.0.0.1.",
            "127.8.8.8",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "192.0.0.192",
            "169.254.169.254",
            "100.100.100.200",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "127.1",
            "0177.0.0.1",
            "8.8.2056",
            "1.2.3.4.5",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::ffff:8.8.8.8]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "[2001:0:1::]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "[ff02::1]",
        ] {
            for port in ["", ":443"] {
                let address = format!("https://{near}{port}/p.zip");
                assert_eq!(code(&address), "source/host-barred", "{address}");
            }
        }
    }

    #[test]
    fn what_a_server_leads_on_to_may_hold_a_key_that_is_not_shown() {
        let signed = "https://files.example/p.zip?signature=s3cret#x";
        let web = Web::reached(signed).unwrap();
        assert_eq!(web.as_str(), signed);
        assert_eq!(web.to_string(), "https://files.example/p.zip?***");
        for bad in ["https://me@files.example/", "https://127.0.0.1?a=b", "https://localhost#a/"] {
            assert!(Web::reached(bad).is_err(), "{bad}");
        }
    }
}
