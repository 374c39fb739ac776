//! Constants shared by several stages: HTTP methods, media types, and the extensions of the specification.

/// The HTTP methods that OpenAPI 3.0 knows, in the order in which the tables print them.
pub(crate) const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// The extension that marks a header that the generated calls leave to their executor.
pub(crate) const BY_EXECUTOR: &str = "x-obeya-by-executor";

/// The extension that names the method of an operation in the SDKs: `incidents.set_causes`, or `ping` of the
/// client itself. Only the generators of this project read it, so it is not served.
pub(crate) const SDK_NAME: &str = "x-sdk-name";

/// The extension of the served document that lists the codes of errors by status. Nobody writes it: it is
/// read from descriptions.
pub(crate) const ERROR_CODES: &str = "x-obeya-error-codes";

/// Marks the path of a raw twin, which would otherwise be the same (path, method) twice. The client's
/// generator takes it out of the generated code again.
pub(crate) const RAW_MARK: &str = "#raw-twin";

/// The media type of a form with a file. The client's generator knows no such body: its calls are written by
/// hand, in the API crate.
pub(crate) const FORM: &str = "multipart/form-data";

/// `application/json`, with parameters or not, and problem+json.
pub(crate) fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    matches!(essence, "application/json" | "application/problem+json")
}

/// The media type of a JSON merge patch (RFC 7396), in which the body of a PATCH may come besides JSON.
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
