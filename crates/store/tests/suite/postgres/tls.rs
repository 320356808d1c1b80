//! Encrypted connections: the server's certificate and its name are checked, and what is wrong with them is told at once.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use idetic_store::Log;

use super::cluster::{Cluster, server_user};
use super::{check_all_in, log_in};
use crate::suite::given::{self, batch, note};

/// A server that takes nothing but TLS, with a certificate of an authority of its own. It is for 127.0.0.1, not for localhost.
fn encrypted() -> (Cluster, PathBuf) {
    let mut place = PathBuf::new();
    let cluster = Cluster::start_as(|folder| {
        folder.clone_into(&mut place);
        authority(folder, "ca");
        authority(folder, "other");
        fs::write(folder.join("names"), "subjectAltName = IP:127.0.0.1\n").expect("written");
        openssl(
            folder,
            "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=db -keyout server.key -out server.csr",
        );
        openssl(
            folder,
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
        );
        let key = folder.join("server.key");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("permissions");
        if let Some((user, group)) = server_user() {
            chown(&key, Some(user), Some(group)).expect("the server's own");
        }
        let data = folder.join("data");
        let settings = fs::read_to_string(data.join("postgresql.conf")).expect("settings");
        let files = format!("ssl_cert_file = '{0}/server.pem'\nssl_key_file = '{0}/server.key'\n", folder.display());
        fs::write(data.join("postgresql.conf"), format!("{settings}\nssl = on\n{files}")).expect("written");
        fs::write(data.join("pg_hba.conf"), "hostssl all all 127.0.0.1/32 trust\n").expect("written");
    });
    (cluster, place)
}

fn authority(folder: &Path, name: &str) {
    openssl(
        folder,
        &format!(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN={name} -keyout {name}.key -out {name}.pem"
        ),
    );
}

/// Debian's postgresql brings it.
fn openssl(folder: &Path, arguments: &str) {
    let made = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output().expect("openssl starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn an_encrypted_log_keeps_every_guarantee() {
    let (cluster, place) = encrypted();
    let url = format!("{}?sslmode=require&sslrootcert={}/ca.pem", cluster.url(), place.display());
    let folder = given::folder();
    let log = log_in(&url, "local/default", folder.path(), given::env());
    log.append(batch(&[note("encrypted")])).expect("appended");
    let sessions = cluster.sql(
        "SELECT count(*), bool_and(s.ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) \
         WHERE a.application_name = 'idetic'",
    );
    assert_eq!(sessions, "1|t");
    check_all_in(&url, 1);
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_server_that_is_not_who_it_says_is_refused_at_once() {
    let (cluster, place) = encrypted();
    let (plain, folder) = (cluster.url(), place.display());
    let by_name = plain.replace("127.0.0.1", "localhost");
    let by_name = format!("{by_name}?hostaddr=127.0.0.1&sslmode=require&sslrootcert={folder}/ca.pem");
    for (url, why) in [
        // Without TLS the server takes nobody.
        (plain.clone(), "no encryption"),
        // An authority that nobody knows, and another one.
        (format!("{plain}?sslmode=require"), "sslrootcert=FILE"),
        (format!("{plain}?sslmode=verify-full&sslrootcert={folder}/other.pem"), "sslrootcert=FILE"),
        // The right one vouches for another name.
        (by_name, "not valid for name"),
    ] {
        let database = idetic_store::Database::new(&url).expect("an address");
        let begun = Instant::now();
        let refused = database.migrate().expect_err(&url).to_string();
        assert!(refused.contains(why), "{url}: {refused}");
        assert!(begun.elapsed() < Duration::from_secs(5), "it is not tried again and again");
    }
    // One that speaks no TLS.
    let unencrypted = Cluster::start();
    let url = format!("{}?sslmode=require", unencrypted.url());
    let refused = idetic_store::Database::new(&url).expect("an address").migrate().expect_err("refused").to_string();
    assert!(refused.contains("does not support TLS"), "{refused}");
}
