//! Sources of other tools, made to studies by `new --from`.

use crate::studies::{REGISTRY, archived};
use convert::{Choices, Kind, NoFolder, Refused};

/// Whatever comes of a source: a study that the language takes, with files that stay below its folder; or a sentence.
fn converted(kind: Kind, data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    for choices in [Choices::default(), Choices { changing: true, hosts: vec!["*".to_owned()], assets: true }] {
        let made = match convert::convert(kind, "source", &source, &choices, &NoFolder) {
            Ok(made) => made,
            Err(refused @ (Refused::Unreadable { .. } | Refused::Nothing { .. })) => {
                assert!(!refused.to_string().is_empty());
                continue;
            }
        };
        assert!(made.carried <= made.seen);
        let folder = tempfile::tempdir().unwrap();
        for file in &made.files {
            let is_below = file.path.split('/').all(|part| !part.is_empty() && part != "..");
            assert!(is_below && !file.path.starts_with('/'), "{}", file.path);
            let path = folder.path().join(&file.path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, &file.bytes).unwrap();
        }
        let text = String::from_utf8(made.files[0].bytes.clone()).unwrap();
        if let Err(rejected) = study::load_text("study.yaml", &text, folder.path(), &REGISTRY, &archived()) {
            panic!("the study that was made is refused:\n{rejected}\n{text}");
        }
    }
}

pub(super) fn har(data: &[u8]) {
    converted(Kind::Har, data);
}

pub(super) fn openapi(data: &[u8]) {
    converted(Kind::OpenApi, data);
}

pub(super) fn postman(data: &[u8]) {
    converted(Kind::Postman, data);
}

pub(super) fn curl(data: &[u8]) {
    converted(Kind::Curl, data);
}

pub(super) fn jmeter(data: &[u8]) {
    converted(Kind::JMeter, data);
}

pub(super) fn k6(data: &[u8]) {
    converted(Kind::K6, data);
}
