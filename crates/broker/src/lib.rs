//! Load nodes on other machines: the messages between them and whoever conducts a run, over NATS JetStream.
//!
//! # Place in the pipeline
//! Beside `run`, whose [`Link`](run::nodes::Link) it provides; `cli` puts the two together.
//!
//! # Ideas
//! A node offers itself to a group again and again ([`offer`]); a run takes as many as it needs
//! ([`Meeting::call`]) and numbers them. From then on every message is kept by the server until it has been heard: one stream for each run, one subject
//! for each node and direction, each message once by its number. So a connection that breaks and a server that is started
//! again lose nothing. What cannot be kept is whether the other side still lives: that is told once a second, and whoever
//! is silent while the server can be reached is taken for lost.
//!
//! Since the server keeps all of it until the run is over, whoever comes after a conductor that was killed hears the whole
//! conversation again ([`take_up`]).
//!
//! # Not here
//! What the messages say is `run`'s. Scheduling, membership and storage are those of the server and of whatever starts the
//! nodes.
#![forbid(unsafe_code)]

mod address;
mod connection;
mod login;
mod meeting;
mod past;
mod pieces;
mod refusal;
mod way;

pub use address::Address;
pub use connection::{Identity, Server};
pub use login::Login;
pub use meeting::{Called, Left, Lends, Meeting, Needed, Offered, offer, stream_of, take_up};
