//! A bucket of S3, or of what speaks like it, as a place for snapshots.

use std::fmt;
use std::time::Duration;

use futures_util::TryStreamExt;
use idetic_core::Invalid;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};
use object_store::path::Path;
use object_store::{ClientOptions, Error, ObjectStore, ObjectStoreExt, RetryConfig};
use tokio::runtime::{Builder, Runtime};
use ureq::http::Request;
use ureq::{Agent, Timeout};

use super::sealed::PART_BYTES;

/// How long one request may take: a part is sent at less than a megabit a second then.
const REQUEST: Duration = Duration::from_secs(120);
/// How long it may take to reach the server, and how often and long a request is made again.
const CONNECT: Duration = Duration::from_secs(5);
const RETRIES: usize = 3;
const PATIENCE: Duration = Duration::from_secs(10);
/// What may come along with a part in an answer.
const ANSWER_MAX_BYTES: u64 = PART_BYTES as u64 + (1 << 20);
/// What can be set in an address, and what it is called there.
const SETTINGS: [(&str, AmazonS3ConfigKey); 2] =
    [("endpoint", AmazonS3ConfigKey::Endpoint), ("region", AmazonS3ConfigKey::Region)];

type Result<T> = std::result::Result<T, String>;

/// The bucket.
pub struct Bucket {
    store: AmazonS3,
    prefix: Path,
    /// Taken when it is let go.
    runtime: Option<Runtime>,
}

impl Bucket {
    /// The bucket of an address, without `s3://`.
    pub fn at(address: &str, variables: &[(String, String)]) -> std::result::Result<Self, Invalid> {
        let (path, settings) = address.split_once('?').unwrap_or((address, ""));
        let (bucket, prefix) = path.split_once('/').unwrap_or((path, ""));
        let wrong = |why: String| Invalid::new(format!("s3://{address}: {why}"));
        if bucket.is_empty() {
            return Err(wrong("it names no bucket".to_owned()));
        }
        let retry = RetryConfig { max_retries: RETRIES, retry_timeout: PATIENCE, ..RetryConfig::default() };
        let mut builder = AmazonS3Builder::new().with_http_connector(Connector).with_retry(retry);
        for (name, value) in variables {
            // Those that say nothing to a client of S3 are for other programs.
            if let Ok(key) = name.to_lowercase().parse::<AmazonS3ConfigKey>() {
                builder = builder.with_config(key, value);
            }
        }
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            let known = SETTINGS.iter().find(|(known, _)| *known == name);
            let (_, key) = known.ok_or_else(|| wrong(format!("'{name}' cannot be set: endpoint and region can")))?;
            builder = builder.with_config(*key, value);
        }
        let store = builder.with_bucket_name(bucket).build().map_err(|error| wrong(error.to_string()))?;
        let prefix = Path::parse(prefix).map_err(|error| wrong(error.to_string()))?;
        let runtime = Builder::new_current_thread().enable_time().build().map_err(|error| wrong(error.to_string()))?;
        Ok(Self { store, prefix, runtime: Some(runtime) })
    }

    pub fn put(&self, path: &str, bytes: Vec<u8>) -> Result<()> {
        self.run(self.store.put(&self.path(path), bytes.into())).map(drop).map_err(|error| error.to_string())
    }

    pub fn get(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let path = self.path(path);
        match self.run(async { self.store.get(&path).await?.bytes().await }) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    pub fn list(&self, path: &str) -> Result<Vec<String>> {
        let folder = self.path(path);
        let found: Vec<_> =
            self.run(self.store.list(Some(&folder)).try_collect()).map_err(|error| error.to_string())?;
        let below = format!("{folder}/");
        Ok(found.iter().filter_map(|object| object.location.as_ref().strip_prefix(&below).map(str::to_owned)).collect())
    }

    pub fn remove(&self, paths: &[String]) -> Result<()> {
        for path in paths {
            match self.run(self.store.delete(&self.path(path))) {
                Err(error) if !matches!(error, Error::NotFound { .. }) => return Err(error.to_string()),
                _ => {}
            }
        }
        Ok(())
    }

    fn path(&self, path: &str) -> Path {
        path.split('/').fold(self.prefix.clone(), |whole, part| whole.join(part))
    }

    fn run<T>(&self, request: impl Future<Output = object_store::Result<T>>) -> object_store::Result<T> {
        self.runtime.as_ref().expect("it is there until the bucket is let go").block_on(request)
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        // Also where the thread that lets it go belongs to a server that may not wait.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Sends requests with the HTTP client that the rest of the program uses, one after the other.
#[derive(Debug)]
struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let config = Agent::config_builder()
            .timeout_global(Some(REQUEST))
            .timeout_connect(Some(CONNECT))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A library reads no environment.
            .proxy(None)
            .build();
        Ok(HttpClient::new(Sender(config.into())))
    }
}

struct Sender(Agent);

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender")
    }
}

#[async_trait::async_trait]
impl HttpService for Sender {
    async fn call(&self, request: HttpRequest) -> std::result::Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let has_body = !body.is_empty();
        let body = HttpResponseBody::new(body).bytes().await?;
        let sent = match has_body {
            true => self.0.run(Request::from_parts(parts, &body[..])),
            false => self.0.run(Request::from_parts(parts, ())),
        };
        let (parts, mut body) = sent.map_err(failed)?.into_parts();
        let bytes = body.with_config().limit(ANSWER_MAX_BYTES).read_to_vec().map_err(failed)?;
        Ok(HttpResponse::from_parts(parts, bytes.into()))
    }
}

/// Which kind of error it is: by that it is decided whether the request is made again.
fn failed(error: ureq::Error) -> HttpError {
    let kind = match &error {
        ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) | ureq::Error::ConnectionFailed => {
            HttpErrorKind::Connect
        }
        ureq::Error::Timeout(_) => HttpErrorKind::Timeout,
        ureq::Error::Io(_) | ureq::Error::HostNotFound => HttpErrorKind::Interrupted,
        _ => HttpErrorKind::Unknown,
    };
    HttpError::new(kind, error)
}
