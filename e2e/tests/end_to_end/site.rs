//! A site of the tests' own: what it answers is a function of what it is asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// What a site was asked.
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) target: String,
    /// As they came: name in lower case, value.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    /// The first header of that name; empty without one.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

/// A status with its reason, header lines with their ends, and a body.
pub(crate) type Answered = (&'static str, String, String);

/// Serves until the test ends; its port.
pub(crate) fn serve(answer: impl Fn(&Asked) -> Answered + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let (port, answer) = (listener.local_addr().expect("an address").port(), Arc::new(answer));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || {
                let _ = stream.set_nodelay(true);
                let mut reader = BufReader::new(&stream);
                while read(&mut reader).is_some_and(|asked| write(&stream, answer(&asked)).is_some()) {}
            });
        }
    });
    port
}

/// None at the end of the connection.
fn read(reader: &mut BufReader<&TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let (method, rest) = line.split_once(' ')?;
    let target = rest.split(' ').next()?.to_owned();
    let mut asked = Asked { method: method.to_owned(), target, headers: Vec::new(), body: Vec::new() };
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        asked.headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    asked.body = vec![0; asked.header("content-length").parse().unwrap_or(0)];
    reader.read_exact(&mut asked.body).ok()?;
    Some(asked)
}

fn write(mut stream: &TcpStream, (status, headers, body): Answered) -> Option<()> {
    let answer = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(answer.as_bytes()).ok()
}
