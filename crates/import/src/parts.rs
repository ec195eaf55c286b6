//! The files of an import, those in archives among them: what each is, and whose.

use crate::error::ImportError;
use crate::input::Input;
use crate::kind::{Kind, Source};
use crate::sniff::{self, Found};
use crate::tar::{Tar, TarError};
use std::cell::RefCell;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// One file, or one that lies in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Number of the source that it is, or lies in.
    pub(crate) source: usize,
    /// Its place in the archive, from 0; none of a file of its own.
    pub(crate) member: Option<usize>,
    /// Where it is: of a member, the archive's path with its own behind.
    pub(crate) path: PathBuf,
    /// Its name without folders; of a member with the archive before it.
    pub(crate) name: String,
    /// None where it is left out.
    pub(crate) kind: Option<Kind>,
    pub(crate) instance: Option<String>,
    /// Why it is not read.
    pub(crate) left_out: String,
}

/// An archive while its members are read, one after another.
pub(crate) struct Archive {
    path: PathBuf,
    tar: Rc<RefCell<Tar>>,
}

/// Hands out the bytes of the member in hand.
struct Member(Rc<RefCell<Tar>>);

impl Read for Member {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.borrow_mut().read_member(buffer)
    }
}

impl Archive {
    pub(crate) fn open(path: &Path) -> Result<Self, ImportError> {
        let input = Input::open(path)?;
        if input.start().starts_with(b"PK\x03\x04") {
            let what = "is a zip, and archives are read as tar or tar.gz; unpack it, and pack its folder: \
                        `tar -czf NAME.tar.gz FOLDER`";
            return Err(ImportError::file(path, what));
        }
        let tar = Rc::new(RefCell::new(Tar::of(input)));
        Ok(Self { path: path.to_owned(), tar })
    }

    /// Path and bytes of the next member; the inner error is why the archive cannot be read on.
    ///
    /// # Errors
    /// For an archive that nobody should unpack.
    pub(crate) fn advance(&mut self) -> Result<Result<Option<(String, Input)>, io::Error>, ImportError> {
        let found = self.tar.borrow_mut().advance();
        match found {
            Ok(None) => Ok(Ok(None)),
            Ok(Some(path)) => match Input::of(Member(self.tar.clone())) {
                Ok(input) => Ok(Ok(Some((path, input)))),
                Err(error) => self.broken(error),
            },
            Err(TarError::Refused(why)) => Err(ImportError::file(
                &self.path,
                format!("{why}, and is refused: no archive of logs does so; nothing was unpacked"),
            )),
            Err(TarError::Broken(error)) => self.broken(error),
        }
    }

    fn broken<T>(&self, error: io::Error) -> Result<Result<T, io::Error>, ImportError> {
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => Ok(Err(error)),
            _ => Err(ImportError::file(&self.path, format!("cannot be read: {error}"))),
        }
    }

    pub(crate) fn fingerprint(&self) -> (u64, String) {
        self.tar.borrow().input().fingerprint()
    }
}

/// All files, archives opened.
///
/// # Errors
/// For an archive that cannot be read, nobody should unpack, or holds nothing.
pub(crate) fn list(sources: &[Source]) -> Result<Vec<Part>, ImportError> {
    let mut parts = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        if source.kind == Kind::Archive {
            parts.extend(members(number, source)?);
        } else {
            let name = source.path.file_name().unwrap_or(source.path.as_os_str()).to_string_lossy().into_owned();
            parts.push(Part {
                source: number,
                member: None,
                path: source.path.clone(),
                name,
                kind: Some(source.kind),
                instance: source.instance.clone(),
                left_out: String::new(),
            });
        }
    }
    name_those_without(&mut parts, sources);
    leave_out_twins(&mut parts);
    Ok(parts)
}

/// Names files of samples that were given side by side without a name, as those of an archive.
fn name_those_without(parts: &mut [Part], sources: &[Source]) {
    let is_named = |part: &Part| part.member.is_some() || sources[part.source].instance.is_some();
    let (mut nameless, places): (Vec<Part>, Vec<usize>) =
        parts.iter().enumerate().filter(|(_, part)| !is_named(part)).map(|(place, part)| (part.clone(), place)).unzip();
    let paths: Vec<String> = nameless.iter().map(|part| part.path.to_string_lossy().into_owned()).collect();
    name_instances(&mut nameless, &paths);
    for (part, place) in nameless.into_iter().zip(places) {
        parts[place].instance = part.instance;
    }
}

fn members(number: usize, source: &Source) -> Result<Vec<Part>, ImportError> {
    let path = &source.path;
    let archive_name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let (mut archive, mut parts, mut paths) = (Archive::open(path)?, Vec::new(), Vec::new());
    loop {
        let (member, input) = match archive.advance()? {
            Ok(Some(found)) => found,
            Ok(None) => break,
            Err(error) if parts.is_empty() => {
                return Err(ImportError::file(
                    path,
                    format!("cannot be read: {error}\nan archive is made by `tar -czf NAME.tar.gz FOLDER`"),
                ));
            }
            Err(_) => break,
        };
        if paths.contains(&member) {
            let what = format!("holds two files at `{member}`, and which of them counts is not known; pack it anew");
            return Err(ImportError::file(path, what));
        }
        let (kind, left_out) = told(path, &member, input)?;
        parts.push(Part {
            source: number,
            member: Some(parts.len()),
            path: path.join(&member),
            name: format!("{archive_name}: {member}"),
            kind,
            instance: source.instance.clone(),
            left_out,
        });
        paths.push(member);
    }
    if parts.is_empty() {
        return Err(ImportError::file(path, "holds no file"));
    }
    if source.instance.is_none() {
        name_instances(&mut parts, &paths);
    }
    Ok(parts)
}

/// What a member is, or why it is left out.
fn told(archive: &Path, member: &str, input: Input) -> Result<(Option<Kind>, String), ImportError> {
    let mut beginning = Vec::new();
    // One that breaks off here is read up to there later, and says so.
    let read = input.take(sniff::LOOKED_AT as u64).read_to_end(&mut beginning);
    if let Err(error) = read
        && error.kind() == io::ErrorKind::Other
    {
        return Err(ImportError::file(archive, format!("cannot be read: `{member}` {error}")));
    }
    match sniff::kind(member, &beginning) {
        Found::Kind(kind) => Ok((Some(kind), String::new())),
        Found::Empty => Ok((None, "it is empty".into())),
        Found::Unknown => Ok((None, "it is of no kind that is known".into())),
        Found::Archive => Err(ImportError::file(
            archive,
            format!("holds an archive, `{member}`, and is refused; unpack it yourself, and import what is in it"),
        )),
    }
}

/// Where several files of one kind watch different machines, each is called by what its path has and the others' have not.
fn name_instances(parts: &mut [Part], paths: &[String]) {
    for place in 0..parts.len() {
        let Some(kind) = parts[place].kind.filter(|kind| !kind.has_calls()) else { continue };
        let same: Vec<usize> = (0..parts.len()).filter(|other| parts[*other].kind == Some(kind)).collect();
        if same.len() < 2 {
            continue;
        }
        let folder = |place: &usize| paths[*place].rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let mut folders: Vec<String> = same.iter().map(folder).collect();
        folders.sort_unstable();
        folders.dedup();
        let is_told_by_folder = folders.len() == same.len();
        let name = if is_told_by_folder { folder(&place) } else { paths[place].clone() };
        let name = name.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default().to_owned();
        parts[place].instance = (!name.is_empty()).then_some(name);
    }
}

/// In an archive, an access log beside the calls of a tool is the other side of the same calls.
fn leave_out_twins(parts: &mut [Part]) {
    let has_tool = parts.iter().any(|part| part.kind.is_some_and(|kind| kind.has_calls() && kind != Kind::AccessLog));
    let is_twin = |part: &&mut Part| part.member.is_some() && part.kind == Some(Kind::AccessLog) && has_tool;
    for part in parts.iter_mut().filter(is_twin) {
        part.kind = None;
        part.left_out =
            "it has the same calls as the server saw them; import it as a run of its own: `access-log=FILE`".into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instances(sources: &[(Kind, &str, &str)]) -> Vec<Option<String>> {
        let source = |(kind, name, path): &(Kind, &str, &str)| Source {
            kind: *kind,
            instance: (!name.is_empty()).then(|| (*name).to_owned()),
            path: path.into(),
        };
        let sources: Vec<Source> = sources.iter().map(source).collect();
        list(&sources).unwrap().into_iter().map(|part| part.instance).collect()
    }

    /// Counters of two machines under one name would seem to start again with every row.
    #[test]
    fn files_of_one_kind_side_by_side_are_of_several_instances() {
        let named = |name: &str| Some(name.to_owned());
        let (a, b) = ((Kind::Jstat, "", "logs/a.log"), (Kind::Jstat, "", "logs/b.log"));
        assert_eq!(instances(&[(Kind::Jtl, "", "x.jtl"), a, b]), [None, named("a"), named("b")]);
        assert_eq!(instances(&[(Kind::Jtl, "", "x.jtl"), (Kind::Jtl, "", "y.jtl"), a]), [None, None, None]);
        assert_eq!(instances(&[(Kind::Jstat, "web", "a.log"), b]), [named("web"), None]);
        let folders = [(Kind::Vmstat, "", "web1/vmstat.log"), (Kind::Vmstat, "", "db1/vmstat.log")];
        assert_eq!(instances(&folders), [named("web1"), named("db1")]);
        // A log that was rotated is of one machine.
        assert_eq!(instances(&[(Kind::Gc, "", "gc.log.0"), (Kind::Gc, "", "gc.log.1")]), [named("gc"), named("gc")]);
    }
}
