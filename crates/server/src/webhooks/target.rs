//! Where deliveries may go: no redirects, no proxy of the environment, and no address inside a network, whatever a name resolves to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error};

/// How long a receiver may take for one event, from the name of its host to its answer.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(15);

/// A client for one receiver.
pub fn agent(private_network: bool) -> Agent {
    let config = Agent::config_builder()
        .timeout_global(Some(DELIVERY_TIMEOUT))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .https_only(!private_network)
        .user_agent("idetic")
        .build();
    match private_network {
        true => config.into(),
        false => Agent::with_parts(config, DefaultConnector::default(), PublicOnly::default()),
    }
}

/// Looks names up, and connects to public addresses alone: it is decided on the address that is connected to.
#[derive(Debug, Default)]
struct PublicOnly(DefaultResolver);

impl Resolver for PublicOnly {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.0.resolve(uri, config, timeout)?;
        match found.iter().all(|address| is_public(address.ip())) {
            true => Ok(found),
            false => Err(Error::Other("the address is not public; private_network = true allows it".into())),
        }
    }
}

/// Whether an address is one of the internet at large.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast();
    // This network, carriers' own, protocol assignments, benchmarks, and what is reserved.
    let is_reserved = a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && (18..20).contains(&b))
        || a >= 240;
    !is_special && !is_reserved
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // Only global unicast, and of it nothing that leads to an address of the older kind or to nobody.
    let [first, second, ..] = address.segments();
    let is_global = first & 0xe000 == 0x2000;
    let is_special = first == 0x2002 || (first == 0x2001 && (second < 0x0200 || second == 0x0db8));
    is_global && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_internet_are_public() {
        for public in ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::200e"] {
            assert!(is_public(public.parse().expect("an address")), "{public}");
        }
        for inside in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "192.0.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
        ] {
            assert!(!is_public(inside.parse().expect("an address")), "{inside}");
        }
    }

    #[test]
    fn a_name_that_leads_to_this_machine_is_not_connected_to() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("it listens");
        let port = listener.local_addr().expect("an address").port();
        for host in ["127.0.0.1", "localhost"] {
            let error = agent(false).post(format!("https://{host}:{port}/")).send("x").expect_err("it is refused");
            assert!(error.to_string().contains("not public"), "{host}: {error}");
        }
        listener.set_nonblocking(true).expect("it can be asked");
        assert!(listener.accept().is_err(), "nobody came");
    }
}
