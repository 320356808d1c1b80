//! A folder on disk, read and written without ever following a link out of it.

mod folder;

pub use folder::{Folder, changed, folder_names, io, is_packed};
