//! PUT /v1/Incidents/{id}/categories

use obeya_model::CategoryInput;

use super::body;
use super::parts::{self, Kind};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::writing;
use obeya_rules::validate::Check;
use obeya_store::incidents;
use obeya_store::references::Part;

const KIND: Kind<i32> = Kind {
    part: Part::Category,
    property: "categories",
    stored: &incidents::CATEGORIES,
    id_of: |id| *id,
    set: incidents::set_categories,
};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(
        call,
        json::<Vec<CategoryInput>>(),
        |categories, deciding| {
            let mut check = Check::default();
            body::some_category(&mut check, &categories);
            check.finish(Some(()))?;
            parts::replace(deciding, id, &KIND, &categories, |item| item.id)
        },
    )
    .await
}
