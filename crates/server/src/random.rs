//! Random bytes of the operating system, for secrets, ids and keys.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p384::elliptic_curve::rand_core::{OsRng, RngCore};

/// `N` random bytes in base64url.
pub(crate) fn random<const N: usize>() -> String {
    let mut bytes = [0_u8; N];
    OsRng.fill_bytes(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}
