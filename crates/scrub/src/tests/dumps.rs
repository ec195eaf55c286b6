//! What `xxd`, `hexdump` and `od` of Linux wrote of one secret, and what stays of it.

use super::super::*;
use super::secret;

const SECRET: &str = "kEy-9f8e7d/6c5b4a+32=1|Zq7 wVx81Jt0Ln~p";

const DUMPS: &str = r#"== xxd
00000000: 6b45 792d 3966 3865 3764 2f36 6335 6234  kEy-9f8e7d/6c5b4
00000010: 612b 3332 3d31 7c5a 7137 2077 5678 3831  a+32=1|Zq7 wVx81
00000020: 4a74 304c 6e7e 700a                      Jt0Ln~p.
== xxd -g4
00000000: 6b45792d 39663865 37642f36 63356234  kEy-9f8e7d/6c5b4
00000010: 612b3332 3d317c5a 71372077 56783831  a+32=1|Zq7 wVx81
00000020: 4a74304c 6e7e700a                    Jt0Ln~p.
== xxd -b
00000000: 01101011 01000101 01111001 00101101 00111001 01100110  kEy-9f
00000006: 00111000 01100101 00110111 01100100 00101111 00110110  8e7d/6
0000000c: 01100011 00110101 01100010 00110100 01100001 00101011  c5b4a+
00000012: 00110011 00110010 00111101 00110001 01111100 01011010  32=1|Z
00000018: 01110001 00110111 00100000 01110111 01010110 01111000  q7 wVx
0000001e: 00111000 00110001 01001010 01110100 00110000 01001100  81Jt0L
00000024: 01101110 01111110 01110000 00001010                    n~p.
== xxd -e
00000000: 2d79456b 65386639 362f6437 34623563  kEy-9f8e7d/6c5b4
00000010: 32332b61 5a7c313d 77203771 31387856  a+32=1|Zq7 wVx81
00000020: 4c30744a 0a707e6e                    Jt0Ln~p.
== hexdump -C
00000000  6b 45 79 2d 39 66 38 65  37 64 2f 36 63 35 62 34  |kEy-9f8e7d/6c5b4|
00000010  61 2b 33 32 3d 31 7c 5a  71 37 20 77 56 78 38 31  |a+32=1|Zq7 wVx81|
00000020  4a 74 30 4c 6e 7e 70 0a                           |Jt0Ln~p.|
00000028
== hexdump
0000000 456b 2d79 6639 6538 6437 362f 3563 3462
0000010 2b61 3233 313d 5a7c 3771 7720 7856 3138
0000020 744a 4c30 7e6e 0a70
0000028
== hexdump -c
0000000   k   E   y   -   9   f   8   e   7   d   /   6   c   5   b   4
0000010   a   +   3   2   =   1   |   Z   q   7       w   V   x   8   1
0000020   J   t   0   L   n   ~   p  \n
0000028
== od
0000000 042553 026571 063071 062470 062067 033057 032543 032142
0000020 025541 031063 030475 055174 033561 073440 074126 030470
0000040 072112 046060 077156 005160
0000050
== od -tx1
0000000 6b 45 79 2d 39 66 38 65 37 64 2f 36 63 35 62 34
0000020 61 2b 33 32 3d 31 7c 5a 71 37 20 77 56 78 38 31
0000040 4a 74 30 4c 6e 7e 70 0a
0000050
== od -tx1z
0000000 6b 45 79 2d 39 66 38 65 37 64 2f 36 63 35 62 34  >kEy-9f8e7d/6c5b4<
0000020 61 2b 33 32 3d 31 7c 5a 71 37 20 77 56 78 38 31  >a+32=1|Zq7 wVx81<
0000040 4a 74 30 4c 6e 7e 70 0a                          >Jt0Ln~p.<
0000050
== od -An -tx1
 6b 45 79 2d 39 66 38 65 37 64 2f 36 63 35 62 34
 61 2b 33 32 3d 31 7c 5a 71 37 20 77 56 78 38 31
 4a 74 30 4c 6e 7e 70 0a
== od -c
0000000   k   E   y   -   9   f   8   e   7   d   /   6   c   5   b   4
0000020   a   +   3   2   =   1   |   Z   q   7       w   V   x   8   1
0000040   J   t   0   L   n   ~   p  \n
0000050
== od -An -c
   k   E   y   -   9   f   8   e   7   d   /   6   c   5   b   4
   a   +   3   2   =   1   |   Z   q   7       w   V   x   8   1
   J   t   0   L   n   ~   p  \n
== od -a
0000000   k   E   y   -   9   f   8   e   7   d   /   6   c   5   b   4
0000020   a   +   3   2   =   1   |   Z   q   7  sp   w   V   x   8   1
0000040   J   t   0   L   n   ~   p  nl
0000050
== od -b
0000000 153 105 171 055 071 146 070 145 067 144 057 066 143 065 142 064
0000020 141 053 063 062 075 061 174 132 161 067 040 167 126 170 070 061
0000040 112 164 060 114 156 176 160 012
0000050
== od -td1
0000000  107   69  121   45   57  102   56  101   55  100   47   54   99   53   98   52
0000020   97   43   51   50   61   49  124   90  113   55   32  119   86  120   56   49
0000040   74  116   48   76  110  126  112   10
0000050
== od -tx8
0000000 653866392d79456b 34623563362f6437
0000020 5a7c313d32332b61 3138785677203771
0000040 0a707e6e4c30744a
0000050
"#;

fn dumps() -> impl Iterator<Item = (&'static str, &'static str)> {
    DUMPS.split("== ").filter_map(|part| part.split_once('\n'))
}

#[test]
fn of_a_dump_of_a_secret_nothing_stays_but_its_last_offset() {
    assert_eq!(dumps().count(), 17);
    for (tool, dump) in dumps() {
        let cut = secret(&[SECRET]).cut(dump).into_owned();
        let end = dump.lines().last().filter(|line| !line.trim().contains(' ')).unwrap_or_default();
        let rest = cut.strip_prefix(MARK).map(str::trim_end);
        assert!(rest.is_some_and(|rest| end.starts_with(rest.trim_start())), "{tool}: {cut}");
    }
}

#[test]
fn a_dump_within_a_log_goes_with_its_lines_and_no_other() {
    for (tool, dump) in dumps().filter(|(tool, _)| !tool.contains("-An")) {
        let lines: String = dump.lines().map(|line| format!("2026-11-22T10:00:00Z DEBUG {line}\n")).collect();
        let cut = secret(&[SECRET]).cut(&format!("before\n{lines}after\n")).into_owned();
        assert!(cut.starts_with(&format!("before\n{MARK}")) && cut.ends_with("after\n"), "{tool}: {cut}");
        assert!(cut.lines().count() <= 4, "{tool}: {cut}");
        let json = serde_json_like(dump);
        let cut = secret(&[SECRET]).cut(&json).into_owned();
        assert!(cut.len() < 60, "{tool}: {cut}");
        let crlf = dump.replace('\n', "\r\n");
        assert!(secret(&[SECRET]).cut(&crlf).len() < 40, "{tool}");
    }
    let netty = "|00000000| 6b 45 79 2d 39 66 38 65 37 64 2f 36 63 35 62 34 |kEy-9f8e7d/6c5b4|\n\
                 |00000010| 61 2b 33 32 3d 31 7c 5a 71 37 20 77 56 78 38 31 |a+32=1|Zq7 wVx81|\n\
                 |00000020| 4a 74 30 4c 6e 7e 70                            |Jt0Ln~p         |\n";
    assert_eq!(secret(&[SECRET]).cut(netty), format!("{MARK}\n"));
    let gdb = "0x7ffd10:\t0x6b\t0x45\t0x79\t0x2d\t0x39\t0x66\t0x38\t0x65\n\
               0x7ffd18:\t0x37\t0x64\t0x2f\t0x36\t0x63\t0x35\t0x62\t0x34\n";
    assert_eq!(secret(&[&SECRET[..16]]).cut(gdb), format!("{MARK}\n"));
}

/// As JSON has a text.
fn serde_json_like(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[test]
fn dumps_of_what_is_no_secret_stay() {
    for (_, dump) in dumps() {
        assert_eq!(secret(&["quite-another-1234"]).cut(dump), dump);
    }
    let table = "1 2 3 4 5 6\n0 a b c d\n2026 12 11 10 9\n";
    assert_eq!(secret(&[SECRET]).cut(table), table);
}

#[test]
fn a_long_secret_goes_from_a_dump_that_comes_in_pieces() {
    let long: String = (0..400).map(|n: u32| char::from(b'!' + (n * n % 94) as u8)).collect();
    let dump: String = long
        .as_bytes()
        .chunks(16)
        .enumerate()
        .map(|(row, bytes)| {
            let digits: String = bytes.iter().map(|byte| format!(" {byte:02x}")).collect();
            format!("{:08x} {digits}  |{}|\n", row * 16, String::from_utf8_lossy(bytes))
        })
        .collect();
    let text = format!("{}{dump}{}", "a line before\n".repeat(1000), "a line after\n".repeat(3000));
    for piece in [7, 1000, 4096] {
        let (mut stream, mut out) = (Stream::new(secret(&[&long])), Vec::new());
        text.as_bytes().chunks(piece).for_each(|bytes| stream.push(bytes, &mut out));
        stream.finish(&mut out);
        let out = String::from_utf8(out).unwrap();
        assert!(!out.contains('|') && out.contains(MARK), "{piece}");
        assert_eq!(out.matches("a line before\n").count() + out.matches("a line after\n").count(), 4000);
    }
}

#[test]
fn hostile_lines_end_soon() {
    for unit in ["1234 ", "00 ", "a ", "0000 00 \n", "|", "\n", "000 000\n000000 1\n", "0x0000: "] {
        let text = unit.repeat(64 * 1024 / unit.len());
        assert!(secret(&[SECRET]).cut(&text).len() <= 2 * text.len() + 100);
    }
}
