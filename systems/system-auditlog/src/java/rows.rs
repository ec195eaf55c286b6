//! Rows for the Java machine: it has no driver of any database, so it asks here, on a socket for each of its threads.
//!
//! A question is one line with tabs, `citizen|helper ID FROM UNTIL LIMIT OFFSET`; the answer a line `ok TOTAL NUMBER` and a
//! line for each entry, or one line that says why not. `health` is answered with `ok` or why not,
//! `counters` with `ok` and those of the store as JSON.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::lookup::Opened;
use crate::store::{By, Found, Query};

/// Longest question; one has some 80 bytes.
const LINE_MAX: u64 = 512;
/// Most entries of a page.
const LIMIT_MAX: u32 = 30;

/// Answers on every connection until the process ends.
pub(super) async fn serve(listener: TcpListener, opened: Arc<Opened>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let opened = Arc::clone(&opened);
                // The machine notices a connection that ended, and opens another one.
                tokio::spawn(async move { _ = answer_all(stream, &opened).await });
            }
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
        }
    }
}

async fn answer_all(stream: TcpStream, opened: &Opened) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let mut line = String::new();
    loop {
        line.clear();
        let length = (&mut read).take(LINE_MAX).read_line(&mut line).await?;
        if length == 0 {
            return Ok(());
        }
        let answer = answer(line.trim_end_matches('\n'), opened).await;
        write.write_all(answer.as_bytes()).await?;
    }
}

async fn answer(line: &str, opened: &Opened) -> String {
    if line == "health" {
        return opened.health().await.map_or_else(|why| one_line(&why), |()| "ok\n".to_owned());
    }
    if line == "counters" {
        return format!("ok\t{}\n", serde_json::Value::Object(opened.counters()));
    }
    let Some(query) = read(line) else { return "this is not a question\n".to_owned() };
    match opened.find(query).await {
        Ok(found) => written(&found),
        Err(error) => one_line(&error.to_string()),
    }
}

fn read(line: &str) -> Option<Query> {
    let mut words = line.split('\t');
    let by = match words.next()? {
        "citizen" => By::Citizen,
        "helper" => By::Helper,
        _ => return None,
    };
    let query = Query {
        by,
        id: words.next()?.to_owned(),
        from: words.next()?.to_owned(),
        until: words.next()?.to_owned(),
        limit: words.next()?.parse().ok().filter(|limit| *limit <= LIMIT_MAX)?,
        offset: words.next()?.parse().ok()?,
    };
    words.next().is_none().then_some(query)
}

fn written(found: &Found) -> String {
    let mut out = format!("ok\t{}\t{}\n", found.total, found.entries.len());
    for entry in &found.entries {
        for (place, column) in entry.iter().enumerate() {
            if place > 0 {
                out.push('\t');
            }
            out.extend(column.chars().map(|character| if character.is_control() { ' ' } else { character }));
        }
        out.push('\n');
    }
    out
}

fn one_line(why: &str) -> String {
    let mut line: String = why.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_whole_or_not_at_all() {
        let line = "helper\t0101000001\t1000-01-01 00:00:00\t9999-01-01 00:00:00\t30\t60";
        let query = read(line).unwrap();
        assert_eq!((query.by, query.limit, query.offset), (By::Helper, 30, 60));
        for wrong in [
            "",
            "x",
            &line[..20],
            &line.replace("\t30\t", "\t31\t"),
            &format!("{line}\tmore"),
            &line.replace('\t', " "),
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_entry_is_one_line_whatever_is_in_it() {
        let entry = ["a\tb", "c\nd", "", "", "", "", "", "", "æ"].map(str::to_owned);
        let text = written(&Found { total: 7, entries: vec![entry] });
        assert_eq!(text, "ok\t7\t1\na b\tc d\t\t\t\t\t\t\tæ\n");
    }
}
