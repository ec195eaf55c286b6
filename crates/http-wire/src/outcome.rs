//! How an exchange ended, from what broke it.

use crate::Trouble;
use rustix::io::Errno;
use terms::Outcome;

/// What an error means, by whether the connection was made and whether a byte of the answer had come.
pub fn outcome_of(trouble: &Trouble, is_open: bool, has_begun: bool) -> Outcome {
    let error = match trouble {
        Trouble::Io(error) => error,
        Trouble::Tls(_) => return Outcome::Fault,
        Trouble::Proxy(_) => return Outcome::Refused,
    };
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    match errno {
        // Without a connection, EAGAIN is `connect` out of local ports.
        Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM | Errno::ADDRNOTAVAIL | Errno::ADDRINUSE) => {
            Outcome::NoResource
        }
        Some(Errno::AGAIN) if !is_open => Outcome::NoResource,
        _ if has_begun => Outcome::Partial,
        _ if is_open => Outcome::Reset,
        // The connection was made and broken before the first byte could be sent on it.
        Some(Errno::CONNRESET | Errno::PIPE) => Outcome::Reset,
        _ => Outcome::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(errno: Errno, is_open: bool, has_begun: bool) -> Outcome {
        outcome_of(&Trouble::Io(errno.into()), is_open, has_begun)
    }

    #[test]
    fn an_error_means_what_it_interrupted() {
        for errno in [Errno::CONNREFUSED, Errno::HOSTUNREACH, Errno::NETUNREACH, Errno::TIMEDOUT, Errno::ACCESS] {
            assert_eq!(outcome(errno, false, false), Outcome::Refused, "{errno:?}");
        }
        for errno in [Errno::CONNRESET, Errno::PIPE, Errno::TIMEDOUT] {
            assert_eq!(outcome(errno, true, false), Outcome::Reset, "{errno:?}");
            assert_eq!(outcome(errno, true, true), Outcome::Partial, "{errno:?}");
        }
        assert_eq!(outcome(Errno::CONNRESET, false, false), Outcome::Reset, "made and broken at once");
        for errno in [Errno::MFILE, Errno::NFILE, Errno::ADDRNOTAVAIL, Errno::NOBUFS, Errno::NOMEM, Errno::AGAIN] {
            assert_eq!(outcome(errno, false, false), Outcome::NoResource, "{errno:?}");
        }
        let tls = Trouble::Tls(rustls::Error::DecryptError);
        assert_eq!(outcome_of(&tls, true, false), Outcome::Fault);
    }
}
