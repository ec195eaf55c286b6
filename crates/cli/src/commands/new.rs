//! `loadproof new`: a small study to start from, or one that is made of what another tool has written.

use crate::exit::{Exit, Failed};
use crate::options::{NewOptions, SchemaOptions};
use crate::output::say;
use convert::{Choices, Converted, Folder, Kind, NoFolder};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Files beside a source: a table of JMeter, a body of curl.
const BESIDE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Losses that are shown; `CONVERSION.md` has all.
const SHOWN_MAX: usize = 40;
/// Losses of one reason that are shown.
const GROUP_MAX: usize = 5;

/// The schema beside a study, and the comment by which editors find it.
const SCHEMA: &str = "study.schema.json";
const EDITOR_LINE: &str = "# yaml-language-server: $schema=./study.schema.json\n";
const STUDY: &str = "study.yaml";

/// Writes `study.yaml` into the folder; never overwrites an existing one. The schema is ours and always written anew.
pub(crate) fn new(options: &NewOptions) -> Result<Exit, Failed> {
    if let Some(source) = &options.from {
        return from(source, options);
    }
    let path = options.folder.join(STUDY);
    write_study(&path, study::new_study().as_bytes(), options)?;
    say!("wrote {}", path.display());
    say!("next: loadproof check {0}, then loadproof run {0}", path.display());
    Ok(Exit::Met)
}

/// Writes the study, and for editors its schema.
fn write_study(path: &Path, bytes: &[u8], options: &NewOptions) -> Result<(), Failed> {
    if !options.editor {
        return write(path, bytes);
    }
    write(path, &[EDITOR_LINE.as_bytes(), bytes].concat())?;
    super::schema(&SchemaOptions { out: Some(options.folder.join(SCHEMA)) }).map(|_| ())
}

/// Writes a file that does not exist yet, and the folders above it.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    let cannot = |error: std::io::Error| Failed::because(format!("`{}` cannot be written: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(cannot)?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = file.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failed::because(format!("`{}` already exists; name another folder: `loadproof new DIR`", path.display()))
        }
        _ => cannot(error),
    })?;
    file.write_all(bytes).map_err(cannot)
}

/// Makes a study of a file.
fn from(source: &Path, options: &NewOptions) -> Result<Exit, Failed> {
    let is_input = source == Path::new("-");
    let text = if is_input { text_of(std::io::stdin().lock(), "standard input")? } else { text_at(source)? };
    let name =
        if is_input { "standard input".into() } else { source.file_name().unwrap_or_default().to_string_lossy() };
    let wanted = options.kind.as_deref();
    let given = wanted.and_then(|word| Kind::ALL.iter().find(|(_, known)| *known == word)).map(|(kind, _)| *kind);
    let kind = given.or_else(|| Kind::of(&name, &text)).ok_or_else(|| {
        Failed::because(format!(
            "`{name}` does not look like a HAR file, an OpenAPI document, a Postman collection, curl commands, a JMeter \
             plan or a k6 script; say what it is: `--kind har`, openapi, postman, curl, jmeter or k6"
        ))
    })?;
    // What is in the way is told before any work, and before anything is written.
    let study = options.folder.join(STUDY);
    if study.exists() {
        return Err(Failed::because(format!(
            "`{}` already exists; name another folder: `loadproof new DIR --from {}`",
            study.display(),
            source.display()
        )));
    }
    let choices = Choices { changing: options.changing, hosts: options.hosts.clone(), assets: options.assets };
    if let Some(why) = choices.useless(kind) {
        return Err(Failed::because(why));
    }
    let beside =
        Beside(source.parent().map(|it| if it.as_os_str().is_empty() { PathBuf::from(".") } else { it.to_owned() }));
    let folder: &dyn Folder = if is_input { &NoFolder } else { &beside };
    let made = convert::convert(kind, &name, &text, &choices, folder).map_err(Failed::wrong)?;
    for file in &made.files {
        let path = options.folder.join(&file.path);
        if path == study {
            write_study(&path, &file.bytes, options)?;
        } else {
            write(&path, &file.bytes)?;
        }
    }
    show(kind, &made, &options.folder);
    Ok(Exit::Met)
}

fn text_at(path: &Path) -> Result<String, Failed> {
    let cannot = |error: std::io::Error| Failed::because(format!("`{}` cannot be read: {error}", path.display()));
    let info = fs::metadata(path).map_err(cannot)?;
    if !info.is_file() {
        return Err(Failed::because(format!("`{}` is not a regular file", path.display())));
    }
    text_of(File::open(path).map_err(cannot)?, &path.display().to_string())
}

fn text_of(source: impl Read, name: &str) -> Result<String, Failed> {
    let mut bytes = Vec::new();
    let read = source.take(convert::SOURCE_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failed::because(format!("`{name}` cannot be read: {error}")))?;
    if bytes.len() as u64 > convert::SOURCE_BYTES_MAX {
        return Err(Failed::because(format!("`{name}` has more than {} MiB", convert::SOURCE_BYTES_MAX >> 20)));
    }
    let wide = |bytes: &[u8], of: fn([u8; 2]) -> u16| {
        let pairs: Vec<u16> = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&pairs)
    };
    Ok(match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        _ => String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    })
}

/// The folder of the source; nothing outside of it is read.
struct Beside(Option<PathBuf>);

impl Folder for Beside {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let folder = self.0.as_ref().and_then(|folder| folder.canonicalize().ok()).ok_or("the source has no folder")?;
        let full = folder.join(path).canonicalize().map_err(|_| "it is not beside the source".to_owned())?;
        if !full.starts_with(&folder) {
            return Err("it lies outside of the source's folder, where nothing is read".to_owned());
        }
        let info = fs::metadata(&full).map_err(|error| format!("it cannot be read: {error}"))?;
        if !info.is_file() || info.len() > BESIDE_BYTES_MAX {
            return Err(format!("it is not a regular file of at most {} MiB", BESIDE_BYTES_MAX >> 20));
        }
        fs::read(&full).map_err(|error| format!("it cannot be read: {error}"))
    }
}

fn show(kind: Kind, made: &Converted, folder: &Path) {
    say!(
        "{}: {} of {} requests carried over, as {}",
        kind.title(),
        made.carried,
        made.seen,
        count(made.exchanges, "exchange")
    );
    for load in &made.loads {
        say!("load {load}");
    }
    say!("hosts: {}", made.hosts.join(", "));
    say!("wrote {} and {} beside it", folder.join("study.yaml").display(), count(made.files.len() - 1, "file"));
    if !made.secrets.is_empty() {
        say!("credentials are not taken over; write them into:");
        for (name, about) in &made.secrets {
            say!("  {}: {about}", folder.join("secrets").join(name).display());
        }
    }
    if made.lost.is_empty() {
        say!("nothing was lost");
    } else {
        say!("not carried over ({}; all of it in {}):", made.lost.len(), folder.join("CONVERSION.md").display());
    }
    let mut shown = 0;
    for (why, hint, members) in convert::grouped(&made.lost) {
        if shown >= SHOWN_MAX {
            say!("  … and more");
            break;
        }
        let arrow = if hint.is_empty() { "" } else { " → " };
        say!("  {why}{arrow}{hint}");
        for lost in members.iter().take(GROUP_MAX) {
            let place = if lost.place.is_empty() { String::new() } else { format!(" ({})", lost.place) };
            say!("    {}{place}", lost.what);
            shown += 1;
        }
        if members.len() > GROUP_MAX {
            say!("    … and {} more", members.len() - GROUP_MAX);
        }
    }
    say!("next: loadproof check {0}, then loadproof check {0} --once", folder.join("study.yaml").display());
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
