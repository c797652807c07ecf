//! What lies outside: the files of the user. Whoever reads or writes one asks a [`World`], which is part of the options of a
//! session; nothing else below `repl` and `cli` knows that there is a disk. [`Disk`] is the world of the command line; a
//! program that drives a session may have another.
//!
//! Errors are values without the numbers of the operating system, so what is said about them is the same everywhere.

use crate::budget::Budget;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Why a file could not be read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// There is nothing of this name.
    pub missing: bool,
    /// The reason in words.
    pub reason: String,
}

impl Trouble {
    /// A reason of our own.
    pub fn because(reason: impl Into<String>) -> Trouble {
        Trouble { missing: false, reason: reason.into() }
    }
}

/// No file that is read has more bytes: a program or a table that anybody wrote is far smaller.
pub const MAX_BYTES: u64 = 256 << 20;

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble { missing: error.kind() == ErrorKind::NotFound, reason: reason(&error) }
    }
}

/// The error of the system in words, without its number.
pub fn reason(error: &io::Error) -> String {
    let words = error.to_string();
    words.split(" (os error").next().unwrap_or(&words).to_lowercase()
}

/// Files, and what is typed or piped in.
pub trait World: Debug {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Trouble>;

    /// Everything that comes through standard input.
    fn standard_input(&self) -> Result<Vec<u8>, Trouble>;

    /// The path without links, if it leads to something.
    fn canonical(&self, path: &Path) -> Option<PathBuf>;

    /// The names in a folder, sorted; none if it cannot be read.
    fn names(&self, folder: &Path) -> Vec<String>;

    /// Makes a folder and those around it.
    fn make_folder(&self, folder: &Path) -> Result<(), Trouble>;

    /// Writes a whole file or leaves what was there: a reader sees the old bytes or the new ones, whatever happens.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Trouble>;

    /// Why no file of this name could be written, as far as that can be seen without writing one.
    fn can_write(&self, _: &Path) -> Result<(), Trouble> {
        Ok(())
    }

    fn exists(&self, path: &Path) -> bool {
        self.canonical(path).is_some()
    }

    /// How many bytes a file has; nothing if there is none.
    fn size(&self, path: &Path) -> Option<u64> {
        self.read(path).ok().map(|bytes| bytes.len() as u64)
    }

    /// At most `length` bytes of a file, however large it is.
    fn read_part(&self, path: &Path, from: u64, length: usize) -> Result<Vec<u8>, Trouble> {
        let bytes = self.read(path)?;
        let from = (from as usize).min(bytes.len());
        Ok(bytes[from..].iter().take(length).copied().collect())
    }

    /// Cuts a file off after `at` bytes and goes on writing there: for tables that grow. There is a file afterwards.
    fn append(&self, path: &Path, at: u64, bytes: &[u8]) -> Result<(), Trouble> {
        let mut all = if at == 0 { vec![] } else { self.read(path)? };
        all.truncate(at as usize);
        all.extend_from_slice(bytes);
        self.write(path, &all)
    }

    /// Keeps a file, which is there afterwards, for this process alone until the claim is dropped; nothing if another process has
    /// it. A process that ends, however that is, has no claims.
    fn claim(&self, _: &Path) -> Result<Option<Claim>, Trouble> {
        Ok(Some(Claim(None)))
    }

    /// Lets some time pass, before one asks for a claim again.
    fn pause(&self) {}

    /// Gives a file another name in the same folder, in place of what had that name.
    fn rename(&self, from: &Path, to: &Path) -> Result<(), Trouble> {
        let bytes = self.read(from)?;
        self.write(to, &bytes)?;
        self.remove(from)
    }

    fn remove(&self, path: &Path) -> Result<(), Trouble>;

    /// Has the C compiler of the system make a library, and shows where it is to somebody who loads it. The file is gone
    /// afterwards. An error when there is no compiler, when it refuses the text, or when somebody calls a stop before it is done.
    fn compile_c(
        &self,
        _cx: &Budget,
        _source: &str,
        _flags: &[&str],
        _load: &mut dyn FnMut(&Path),
    ) -> Result<(), Trouble> {
        Err(Trouble::because("there is no C compiler here"))
    }
}

/// Between two looks at what another process does.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

/// A file that no other process writes to as long as this value is there.
#[derive(Debug)]
pub struct Claim(#[allow(dead_code, reason = "the lock is that of the open file")] Option<File>);

/// A world without a disk: files by their paths.
#[derive(Debug, Default)]
pub struct Memory(RefCell<BTreeMap<PathBuf, Vec<u8>>>);

impl World for Memory {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Trouble> {
        let nothing = || Trouble { missing: true, reason: "no such file".to_string() };
        self.0.borrow().get(path).cloned().ok_or_else(nothing)
    }

    fn standard_input(&self) -> Result<Vec<u8>, Trouble> {
        Ok(vec![])
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        self.0.borrow().contains_key(path).then(|| path.to_path_buf())
    }

    fn names(&self, _: &Path) -> Vec<String> {
        self.0.borrow().keys().map(|path| path.display().to_string()).collect()
    }

    fn make_folder(&self, _: &Path) -> Result<(), Trouble> {
        Ok(())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Trouble> {
        self.0.borrow_mut().insert(path.to_path_buf(), bytes.to_vec());
        Ok(())
    }

    fn size(&self, path: &Path) -> Option<u64> {
        self.0.borrow().get(path).map(|bytes| bytes.len() as u64)
    }

    fn append(&self, path: &Path, at: u64, bytes: &[u8]) -> Result<(), Trouble> {
        let mut files = self.0.borrow_mut();
        let file = files.entry(path.to_path_buf()).or_default();
        file.truncate(at as usize);
        file.extend_from_slice(bytes);
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<(), Trouble> {
        self.0.borrow_mut().remove(path);
        Ok(())
    }
}

/// The files of this machine as they are, and what is written kept apart from them.
#[derive(Debug, Default)]
pub struct Apart(Memory);

impl Apart {
    /// What was written, by path.
    pub fn written(&self) -> Vec<(PathBuf, Vec<u8>)> {
        self.0.0.borrow().iter().map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
    }
}

impl World for Apart {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Trouble> {
        self.0.read(path).or_else(|_| Disk.read(path))
    }

    fn standard_input(&self) -> Result<Vec<u8>, Trouble> {
        Disk.standard_input()
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        self.0.canonical(path).or_else(|| Disk.canonical(path))
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        Disk.names(folder)
    }

    fn make_folder(&self, _: &Path) -> Result<(), Trouble> {
        Ok(())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Trouble> {
        self.0.write(path, bytes)
    }

    fn size(&self, path: &Path) -> Option<u64> {
        self.0.size(path).or_else(|| Disk.size(path))
    }

    fn append(&self, path: &Path, at: u64, bytes: &[u8]) -> Result<(), Trouble> {
        self.0.append(path, at, bytes)
    }

    fn remove(&self, path: &Path) -> Result<(), Trouble> {
        self.0.remove(path)
    }
}

/// The files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

/// A folder that nobody else has, for what is gone in a moment.
fn fresh_folder() -> io::Result<PathBuf> {
    let mut last = io::Error::from(ErrorKind::AlreadyExists);
    for number in 0..1000 {
        let folder = std::env::temp_dir().join(format!("lepage-{}-{number}", std::process::id()));
        let mut private = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut private, 0o700);
        match private.create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// How another program ended; `None` when somebody called a stop, and it was ended here.
fn ended(cx: &Budget, mut child: std::process::Child) -> io::Result<Option<std::process::ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if cx.listen().is_err() {
            // It may have ended by itself meanwhile.
            let _ = child.kill();
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

impl World for Disk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Trouble> {
        // Looked at before it is opened: opening a pipe waits for somebody to write.
        let known = fs::metadata(path)?;
        if !known.is_file() && !known.is_dir() {
            return Err(Trouble::because("this is a device or a pipe and no file; `-` is standard input"));
        }
        let mut bytes = Vec::with_capacity(known.len().min(MAX_BYTES) as usize);
        read_bounded(File::open(path)?, &mut bytes)?;
        Ok(bytes)
    }

    fn standard_input(&self) -> Result<Vec<u8>, Trouble> {
        let mut bytes = vec![];
        read_bounded(io::stdin().lock(), &mut bytes)?;
        Ok(bytes)
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten();
        let mut names: Vec<String> = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    fn make_folder(&self, folder: &Path) -> Result<(), Trouble> {
        Ok(fs::create_dir_all(folder)?)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Trouble> {
        // A link stays one: what it leads to is replaced.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let known = fs::metadata(&target).ok();
        if known.as_ref().is_some_and(is_no_place) {
            return Err(Trouble::because("this is a device or a pipe and no file"));
        }
        // A terminal or `/dev/null` is written to and not replaced, and a file that may not be written stays.
        if known.is_some() {
            let mut there = OpenOptions::new().write(true).open(&target)?;
            if !known.as_ref().is_some_and(fs::Metadata::is_file) {
                return Ok(there.write_all(bytes)?);
            }
        }
        let (beside, mut file) = match new_file_beside(&target) {
            Ok(new) => new,
            // A file that may be written, in a folder that may not.
            Err(error) if error.kind() == ErrorKind::PermissionDenied && known.is_some() => {
                return Ok(fs::write(&target, bytes)?);
            }
            Err(error) => return Err(error.into()),
        };
        let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| {
            known.map_or(Ok(()), |known| file.set_permissions(known.permissions()))?;
            drop(file);
            fs::rename(&beside, &target)
        });
        if written.is_err() {
            // What is half written helps nobody; the reason for the failure is the one to tell.
            let _ = fs::remove_file(&beside);
        }
        Ok(written?)
    }

    fn can_write(&self, path: &Path) -> Result<(), Trouble> {
        match fs::metadata(path) {
            Ok(known) if known.is_dir() => return Err(Trouble::because("there is a folder of this name")),
            Ok(known) if is_no_place(&known) => {
                return Err(Trouble::because("this is a device or a pipe and no file"));
            }
            // Opened and left as it is.
            Ok(_) => return Ok(OpenOptions::new().write(true).open(path).map(drop)?),
            Err(_) => {}
        }
        // The nearest folder that is there; those between are made.
        let folders = path.ancestors().skip(1).map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p });
        let Some((folder, known)) = folders.filter_map(|p| Some((p, fs::metadata(p).ok()?))).next() else {
            return Ok(());
        };
        match known.is_dir() {
            true => may_hold(folder),
            false => Err(Trouble::because(format!("`{}` is no folder", folder.display()))),
        }
    }

    fn size(&self, path: &Path) -> Option<u64> {
        fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|known| known.len())
    }

    fn read_part(&self, path: &Path, from: u64, length: usize) -> Result<Vec<u8>, Trouble> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = vec![];
        file.take(length as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn append(&self, path: &Path, at: u64, bytes: &[u8]) -> Result<(), Trouble> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        file.set_len(at)?;
        file.seek(SeekFrom::Start(at))?;
        Ok(file.write_all(bytes)?)
    }

    /// By a lock of the system. Where the file system has none, every claim is granted.
    #[cfg(unix)]
    fn claim(&self, path: &Path) -> Result<Option<Claim>, Trouble> {
        use std::os::unix::fs::MetadataExt;
        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(fs::TryLockError::WouldBlock) => return Ok(None),
                Err(fs::TryLockError::Error(_)) => return Ok(Some(Claim(None))),
            }
            // Whoever had it may have given it another name between the two.
            let known = file.metadata()?;
            if fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == (known.dev(), known.ino())) {
                return Ok(Some(Claim(Some(file))));
            }
        }
    }

    fn pause(&self) {
        std::thread::sleep(PAUSE);
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), Trouble> {
        File::open(from)?.sync_all()?;
        Ok(fs::rename(from, to)?)
    }

    fn remove(&self, path: &Path) -> Result<(), Trouble> {
        Ok(fs::remove_file(path)?)
    }

    fn compile_c(&self, cx: &Budget, source: &str, flags: &[&str], load: &mut dyn FnMut(&Path)) -> Result<(), Trouble> {
        let compiler = std::env::var_os("CC").filter(|cc| !cc.is_empty()).unwrap_or_else(|| "cc".into());
        let name = compiler.to_string_lossy().into_owned();
        let folder = fresh_folder()?;
        let (text, library) = (folder.join("steps.c"), folder.join("steps.so"));
        let made = fs::write(&text, source).and_then(|()| {
            let mut command = std::process::Command::new(&compiler);
            let nothing = std::process::Stdio::null;
            command.args(flags).arg("-o").arg(&library).arg(&text);
            ended(cx, command.stdin(nothing()).stdout(nothing()).stderr(nothing()).spawn()?)
        });
        let outcome = match made {
            Ok(None) => Err(Trouble::because(format!("the C compiler `{name}` was stopped"))),
            Ok(Some(status)) if status.success() => {
                load(&library);
                Ok(())
            }
            Ok(Some(_)) => Err(Trouble::because(format!("the C compiler `{name}` refuses its text"))),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(Trouble::because(format!("there is no C compiler `{name}`")))
            }
            Err(error) => Err(error.into()),
        };
        // What cannot be removed is in nobody's way.
        let _ = fs::remove_dir_all(&folder);
        outcome
    }
}

/// Reads to the end, or to the most that is read.
fn read_bounded(from: impl Read, bytes: &mut Vec<u8>) -> Result<(), Trouble> {
    from.take(MAX_BYTES + 1).read_to_end(bytes)?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(Trouble::because(format!("it is larger than {} MiB", MAX_BYTES >> 20))),
        false => Ok(()),
    }
}

/// Whether a file may be made in a folder.
#[cfg(unix)]
fn may_hold(folder: &Path) -> Result<(), Trouble> {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| Trouble::from(io::Error::from(error)))
}

#[cfg(not(unix))]
fn may_hold(_: &Path) -> Result<(), Trouble> {
    Ok(())
}

/// Whether writing to it could wait for ever, or would not make a file: pipes, sockets and disks.
#[cfg(unix)]
fn is_no_place(known: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = known.file_type();
    kind.is_fifo() || kind.is_socket() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_no_place(_: &fs::Metadata) -> bool {
    false
}

/// An empty file of a name that nobody has, in the folder of the target: only there is a rename one step.
fn new_file_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let process = std::process::id();
    for number in 0u32.. {
        let beside = target.with_file_name(format!(".lepage-{process}-{number}"));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (beside, file)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// A folder of its own, gone in the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("lepage-world-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).expect("a temporary folder");
            Folder(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// A lock belongs to the file that was opened, so a process can see its own.
    #[test]
    fn a_file_is_claimed_once() {
        let folder = Folder::new("claim");
        let (path, other) = (folder.0.join("table.csv.partial"), folder.0.join("table.csv"));
        let claim = Disk.claim(&path).expect("a folder that can be written");
        assert!(claim.is_some() && Disk.claim(&path).expect("the same").is_none());
        // What is claimed is written to by whoever has it, and goes on under another name.
        Disk.append(&path, 0, b"row\n").expect("it is ours");
        Disk.rename(&path, &other).expect("it is ours");
        assert!(Disk.claim(&other).expect("the same").is_none());
        assert!(Disk.claim(&path).expect("another file").is_some());
        drop(claim);
        assert!(Disk.claim(&other).expect("the same").is_some());
    }

    #[test]
    fn a_file_is_replaced_whole_and_keeps_its_rights_and_links() {
        let folder = Folder::new("replace");
        let (file, link) = (folder.0.join("table.csv"), folder.0.join("link.csv"));
        fs::write(&file, "old").expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("rights");
        symlink(&file, &link).expect("a link");
        // Who opened the old file goes on to read it: nothing was written over.
        let mut old = File::open(&file).expect("the file");
        Disk.write(&link, b"new").expect("it can be written");
        let mut text = String::new();
        old.read_to_string(&mut text).expect("text");
        assert_eq!((text.as_str(), fs::read(&file).expect("the file")), ("old", b"new".to_vec()));
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        assert_eq!(fs::metadata(&file).expect("the file").permissions().mode() & 0o777, 0o640);
        assert_eq!(Disk.names(&folder.0), ["link.csv", "table.csv"], "nothing is left beside it");
    }

    #[test]
    fn what_cannot_be_replaced_is_left_alone() {
        let folder = Folder::new("refuse");
        let inner = folder.0.join("table.csv");
        fs::create_dir(&inner).expect("a folder");
        assert!(Disk.write(&inner, b"new").is_err());
        assert!(Disk.write(&folder.0.join("no/such/table.csv"), b"new").expect_err("no folder").missing);
        assert_eq!(Disk.names(&folder.0), ["table.csv"]);
        assert!(Disk.write(Path::new("/dev/null"), b"new").is_ok() && Disk.exists(Path::new("/dev/null")));
    }

    #[test]
    fn a_file_grows_and_is_cut_off() {
        let folder = Folder::new("append");
        let (file, other) = (folder.0.join("table.csv.partial"), folder.0.join("table.csv"));
        assert_eq!(Disk.size(&file), None);
        Disk.append(&file, 0, b"one\ntwo\nthr").expect("it can be written");
        Disk.append(&file, 8, b"three\n").expect("it can be written");
        assert_eq!(Disk.read_part(&file, 4, 6).expect("it can be read"), b"two\nth");
        fs::write(&other, "old").expect("a file");
        Disk.rename(&file, &other).expect("it can be renamed");
        assert_eq!((Disk.size(&other), Disk.exists(&file)), (Some(14), false));
    }

    #[test]
    fn devices_and_pipes_are_no_files() {
        let folder = Folder::new("special");
        let pipe = folder.0.join("pipe.mech");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
        assert!(made.success());
        for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
            let Trouble { missing, reason: words } = Disk.read(path).expect_err("it is not read");
            assert!(!missing && words.ends_with("standard input"), "{words}");
        }
        assert!(Disk.write(&pipe, b"new").is_err());
    }

    #[test]
    fn what_is_read_has_an_end() {
        let mut bytes = vec![];
        let Trouble { reason: words, .. } = read_bounded(io::repeat(0), &mut bytes).expect_err("it has no end");
        assert!(words.contains("256 MiB") && bytes.len() as u64 == MAX_BYTES + 1, "{words}");
    }
}
