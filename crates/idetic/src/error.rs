//! What can go wrong.

use std::fmt;

use idetic_memory::Kind;

/// The result of a call.
///
/// ```
/// fn keep(ann: &idetic::Space) -> idetic::Result<()> {
///     ann.remember("Tea at five")?;
///     Ok(())
/// }
/// # let _ = keep;
/// ```
pub type Result<T> = std::result::Result<T, Error>;

/// A call that was not carried out: nothing of it was written.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
/// let error = ann.get("no such event").expect_err("there is none");
/// assert_eq!(error.kind(), idetic::ErrorKind::NotFound);
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Clone)]
pub struct Error(idetic_memory::Error);

/// What kind of error.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let memory = idetic::Memory::open(folder.path())?;
/// match memory.space("../ann") {
///     Err(error) if error.kind() == idetic::ErrorKind::Invalid => {}
///     _ => unreachable!("no such name is taken"),
/// }
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A check failed: something on disk is not what was written.
    CheckFailed,
    /// The input is wrong.
    Invalid,
    /// There is no such thing.
    NotFound,
    /// Another writer was first, or the id is taken.
    Conflict,
    /// A file, a lock or the disk is not available.
    Unavailable,
}

impl Error {
    /// What to do about it; may be empty.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// let error = ann.get("no such event").expect_err("there is none");
    /// println!("{error}: {}", error.hint());
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn hint(&self) -> &str {
        &self.0.hint
    }

    /// What kind it is.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// let error = ann.get("no such event").expect_err("there is none");
    /// assert_eq!(error.kind(), idetic::ErrorKind::NotFound);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn kind(&self) -> ErrorKind {
        match self.0.kind {
            Kind::CheckFailed => ErrorKind::CheckFailed,
            Kind::Invalid => ErrorKind::Invalid,
            Kind::NotFound => ErrorKind::NotFound,
            Kind::Conflict => ErrorKind::Conflict,
            Kind::Unavailable => ErrorKind::Unavailable,
        }
    }
}

/// What a program shows whose `main` gives the error back.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.hint.as_str() {
            "" => write!(f, "{}", self.0),
            hint => write!(f, "{}\n  try: {hint}", self.0),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

impl From<idetic_memory::Error> for Error {
    fn from(error: idetic_memory::Error) -> Self {
        Self(error)
    }
}

impl From<idetic_memory::core::Invalid> for Error {
    fn from(invalid: idetic_memory::core::Invalid) -> Self {
        Self(invalid.into())
    }
}
