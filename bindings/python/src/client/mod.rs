//! `obeya.Client`: the operations of the interface as methods. Each collects its arguments, calls the SDK with the GIL
//! released, and gives out the answer's record or raises its error.

mod figures;
mod settings;
mod write;

use std::sync::{Mutex, PoisonError};

use figures::{Figures, Moment};
use obeya::{List, Resource};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::errors;
use crate::iterate::{Page, Records};
use crate::models::Record;
use crate::options::{ListOptions, Names, apply};
use crate::runtime::{AtHome, wait};
use crate::values::Values;

/// The variables `from_env` can't do without: named all at once, so that nobody finds them out one by one.
const NEEDED: [&str; 3] = ["OBEYA_BASE_URL", "OBEYA_CLIENT_ID", "OBEYA_CLIENT_SECRET"];

/// A client of one service. Usable from several threads; all calls share one connection pool and one token.
#[pyclass(frozen, module = "obeya")]
pub(crate) struct Client {
    inner: AtHome<Mutex<Option<obeya::Client>>>,
    /// The address of the API.
    #[pyo3(get)]
    base_url: String,
}

#[pymethods]
impl Client {
    #[new]
    #[pyo3(
        signature = (base_url, client_id=None, client_secret=None, **settings),
        text_signature = "(base_url, client_id=None, client_secret=None, *, auth_url=None, token=None, scopes=None, timeout=60.0, connect_timeout=10.0, max_retries=2, user_agent=None)"
    )]
    fn new(
        py: Python<'_>,
        base_url: &str,
        client_id: Option<String>,
        client_secret: Option<String>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut builder = obeya::Client::builder()
            .base_url(base_url)
            .user_agent(settings::agent());
        if let Some(id) = client_id {
            builder = builder.client_id(id);
        }
        if let Some(secret) = client_secret {
            builder = builder.client_secret(secret);
        }
        Self::build(
            py,
            settings::apply(builder, "Client", &settings::ALL, settings)?.build(),
        )
    }

    /// A client of what the environment names: `OBEYA_BASE_URL`, `OBEYA_CLIENT_ID`, `OBEYA_CLIENT_SECRET`, and `OBEYA_AUTH_URL`
    /// where the token issuer has another address.
    #[classmethod]
    #[pyo3(
        signature = (**settings),
        text_signature = "($cls, *, scopes=None, timeout=60.0, connect_timeout=10.0, max_retries=2, user_agent=None)"
    )]
    fn from_env(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let unset =
            |name: &&&str| std::env::var(name).map_or(true, |value| value.trim().is_empty());
        let missing: Vec<String> = NEEDED
            .iter()
            .filter(unset)
            .map(|name| (*name).to_owned())
            .collect();
        if !missing.is_empty() {
            return Self::build(
                py,
                Err(obeya::ConfigError::MissingVariables(missing).into()),
            );
        }
        let builder = obeya::Client::builder().user_agent(settings::agent());
        let builder = settings::apply(builder, "from_env", settings::OF_A_KNOWN_SERVICE, settings)?;
        Self::build(py, builder.environment().build())
    }

    /// Closes the connections. Calls after it fail; closing twice is no error.
    fn close(&self) {
        if let Ok(inner) = self.inner.get("client") {
            inner.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        format!("<obeya.Client {}>", self.base_url)
    }

    /// The areas of the plant, one page of them.
    #[pyo3(signature = (**options), text_signature = "($self, *, search=None, filter=None, select=None, top=None, skip=None, expand=None, count=None, orderby=None)")]
    fn list_areas(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Page> {
        self.page(py, "list_areas", options, |client| client.areas().list())
    }

    /// All areas, page after page.
    #[pyo3(signature = (**options), text_signature = "($self, *, search=None, filter=None, select=None, top=None, skip=None, expand=None, count=None, orderby=None)")]
    fn iter_areas(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Records> {
        self.records("iter_areas", options, |client| client.areas().list())
    }

    /// One area.
    #[pyo3(signature = (area_id, *, select=None))]
    fn get_area<'py>(
        &self,
        py: Python<'py>,
        area_id: i32,
        select: Option<Names>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let get = apply(self.client()?.areas().get(area_id), select, None);
        answer(py, get.send())
    }

    /// The boards, one page of them.
    #[pyo3(signature = (**options), text_signature = "($self, *, search=None, filter=None, select=None, top=None, skip=None, expand=None, count=None, orderby=None)")]
    fn list_boards(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Page> {
        self.page(py, "list_boards", options, |client| client.boards().list())
    }

    /// All boards, page after page.
    #[pyo3(signature = (**options), text_signature = "($self, *, search=None, filter=None, select=None, top=None, skip=None, expand=None, count=None, orderby=None)")]
    fn iter_boards(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Records> {
        self.records("iter_boards", options, |client| client.boards().list())
    }

    /// One board, without its lines.
    #[pyo3(signature = (board_id, *, select=None, expand=None))]
    fn get_board<'py>(
        &self,
        py: Python<'py>,
        board_id: i32,
        select: Option<Names>,
        expand: Option<Names>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let get = apply(self.client()?.boards().get(board_id), select, expand);
        answer(py, get.send())
    }

    /// One board with its rows and columns.
    fn get_board_detail<'py>(&self, py: Python<'py>, board_id: i32) -> PyResult<Bound<'py, PyAny>> {
        let boards = self.client()?.boards();
        answer(py, boards.detail(board_id))
    }

    /// The groups, one page of them.
    #[pyo3(signature = (**options), text_signature = "($self, *, search=None, filter=None, select=None, top=None, skip=None, expand=None, count=None, orderby=None)")]
    fn list_groups(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Page> {
        self.page(py, "list_groups", options, |client| client.groups().list())
    }

    /// All groups, page after page.
    #[pyo3(signature = (**options), text_signature = "($self, *, search=None, filter=None, select=None, top=None, skip=None, expand=None, count=None, orderby=None)")]
    fn iter_groups(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Records> {
        self.records("iter_groups", options, |client| client.groups().list())
    }

    /// One group.
    #[pyo3(signature = (group_id, *, select=None, expand=None))]
    fn get_group<'py>(
        &self,
        py: Python<'py>,
        group_id: i32,
        select: Option<Names>,
        expand: Option<Names>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let get = apply(self.client()?.groups().get(group_id), select, expand);
        answer(py, get.send())
    }

    /// The comments of all incidents, one page of them.
    #[pyo3(signature = (**options), text_signature = "($self, *, search=None, filter=None, select=None, top=None, skip=None, expand=None, count=None, orderby=None)")]
    fn list_incident_comments(
        &self,
        py: Python<'_>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Page> {
        self.page(py, "list_incident_comments", options, |client| {
            client.comments().list()
        })
    }

    /// The comments of all incidents, page after page.
    #[pyo3(signature = (**options), text_signature = "($self, *, search=None, filter=None, select=None, top=None, skip=None, expand=None, count=None, orderby=None)")]
    fn iter_incident_comments(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Records> {
        self.records("iter_incident_comments", options, |client| {
            client.comments().list()
        })
    }

    /// The comments of one incident, one page of them.
    #[pyo3(signature = (incident_id, **options), text_signature = "($self, incident_id, *, search=None, filter=None, select=None, top=None, skip=None, expand=None, count=None, orderby=None)")]
    fn list_comments_of_incident(
        &self,
        py: Python<'_>,
        incident_id: i32,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Page> {
        self.page(py, "list_comments_of_incident", options, |client| {
            client.comments().of_incident(incident_id)
        })
    }

    /// The comments of one incident, page after page.
    #[pyo3(signature = (incident_id, **options), text_signature = "($self, incident_id, *, search=None, filter=None, select=None, top=None, skip=None, expand=None, count=None, orderby=None)")]
    fn iter_comments_of_incident(
        &self,
        incident_id: i32,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Records> {
        self.records("iter_comments_of_incident", options, |client| {
            client.comments().of_incident(incident_id)
        })
    }

    /// One comment.
    #[pyo3(signature = (comment_id, *, select=None, expand=None))]
    fn get_incident_comment<'py>(
        &self,
        py: Python<'py>,
        comment_id: i32,
        select: Option<Names>,
        expand: Option<Names>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let get = apply(self.client()?.comments().get(comment_id), select, expand);
        answer(py, get.send())
    }

    /// Reports an incident.
    #[pyo3(signature = (**fields))]
    fn create_incident<'py>(
        &self,
        py: Python<'py>,
        fields: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let incident = write::incident(py, fields)?;
        let incidents = self.client()?.incidents();
        answer(py, incidents.create(&incident))
    }

    /// Changes an incident: what is not given stays, `None` empties. Given a record instead of an id, its type, severity, title
    /// and date are sent where the arguments do not say otherwise.
    #[pyo3(signature = (incident, /, **fields))]
    fn update_incident<'py>(
        &self,
        py: Python<'py>,
        incident: &Bound<'py, PyAny>,
        fields: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (id, update) = write::incident_update(py, incident, fields)?;
        let incidents = self.client()?.incidents();
        answer(py, incidents.update(id, &update))
    }

    /// Replaces the consequences of an incident.
    fn set_incident_consequences<'py>(
        &self,
        py: Python<'py>,
        incident_id: i32,
        consequences: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let consequences = write::consequences(consequences)?;
        let incidents = self.client()?.incidents();
        answer(py, incidents.set_consequences(incident_id, &consequences))
    }

    /// Replaces the causes of an incident.
    fn set_incident_causes<'py>(
        &self,
        py: Python<'py>,
        incident_id: i32,
        causes: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let causes = write::causes(causes)?;
        let incidents = self.client()?.incidents();
        answer(py, incidents.set_causes(incident_id, &causes))
    }

    /// Sets the id by which another system knows an incident; `None` empties it.
    fn set_incident_external_id<'py>(
        &self,
        py: Python<'py>,
        incident_id: i32,
        external_id: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let incidents = self.client()?.incidents();
        answer(py, incidents.set_external_id(incident_id, external_id))
    }

    /// An incident type: its categories, causes, consequences and custom fields. Texts without a translation into `language`
    /// come as they were written.
    #[pyo3(signature = (type_id, *, language=None))]
    fn get_incident_type<'py>(
        &self,
        py: Python<'py>,
        type_id: i32,
        language: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut request = self.client()?.incidents().type_detail(type_id);
        if let Some(code) = language {
            request = request.language(code);
        }
        answer(py, request.send())
    }

    /// The incidents deleted during the last 30 days.
    #[pyo3(signature = (*, filter=None))]
    fn list_trashed_incidents<'py>(
        &self,
        py: Python<'py>,
        filter: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut request = self.client()?.incidents().trash();
        if let Some(expression) = filter {
            request = request.filter(expression);
        }
        answer(py, request.send())
    }

    /// Changes an improvement: what is not given stays, `None` empties.
    #[pyo3(signature = (improvement, /, **fields))]
    fn update_improvement<'py>(
        &self,
        py: Python<'py>,
        improvement: &Bound<'py, PyAny>,
        fields: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (id, update) = write::improvement_update(py, improvement, fields)?;
        let improvements = self.client()?.improvements();
        answer(py, improvements.update(id, &update))
    }

    /// One page of the values of a datasource; the first has the number 1.
    #[pyo3(signature = (datasource_id, *, from_=None, to=None, page=1, page_size=None, filter=None, orderby=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
    fn list_datasource_values<'py>(
        &self,
        py: Python<'py>,
        datasource_id: i32,
        from_: Option<Moment>,
        to: Option<Moment>,
        page: i32,
        page_size: Option<i32>,
        filter: Option<String>,
        orderby: Option<Names>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let figures = Figures {
            from: from_,
            to,
            filter,
            orderby,
            page_size,
        };
        let request = figures.of(&self.client()?, datasource_id);
        answer(py, request.page(page))
    }

    /// All values of a datasource, dated after `from_` and before `to`: a request that fetches nothing until it is read.
    #[pyo3(signature = (datasource_id, *, from_=None, to=None, filter=None, orderby=None, page_size=None, prefetch=4))]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
    fn values(
        &self,
        datasource_id: i32,
        from_: Option<Moment>,
        to: Option<Moment>,
        filter: Option<String>,
        orderby: Option<Names>,
        page_size: Option<i32>,
        prefetch: usize,
    ) -> PyResult<Values> {
        let figures = Figures {
            from: from_,
            to,
            filter,
            orderby,
            page_size,
        };
        let request = figures.of(&self.client()?, datasource_id);
        Ok(Values::new(request.prefetch(prefetch), datasource_id))
    }
}

impl Client {
    /// A client of a test's own service, which decides where tokens come from.
    pub(crate) fn of_test(
        py: Python<'_>,
        base_url: &str,
        (id, secret): (String, String),
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let builder = obeya::Client::builder()
            .base_url(base_url)
            .client_id(id)
            .client_secret(secret)
            .user_agent(settings::agent());
        let builder = settings::apply(builder, "client", settings::OF_A_KNOWN_SERVICE, settings)?;
        Self::build(py, builder.build())
    }

    fn build(py: Python<'_>, built: obeya::Result<obeya::Client>) -> PyResult<Self> {
        let client = built.map_err(|error| errors::exception(py, &error))?;
        let base_url = client.base_url().to_owned();
        Ok(Self {
            inner: AtHome::new(Mutex::new(Some(client))),
            base_url,
        })
    }

    fn client(&self) -> PyResult<obeya::Client> {
        let inner = self
            .inner
            .get("client")?
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        inner
            .clone()
            .ok_or_else(|| PyRuntimeError::new_err("the client is closed"))
    }

    fn page<T: Resource + Record>(
        &self,
        py: Python<'_>,
        function: &str,
        options: Option<&Bound<'_, PyDict>>,
        list: impl FnOnce(&obeya::Client) -> List<T>,
    ) -> PyResult<Page> {
        let request = ListOptions::read(function, options)?.apply(list(&self.client()?));
        let page = wait(py, request.send())?.map_err(|error| errors::exception(py, &error))?;
        Page::new(py, page)
    }

    fn records<T: Resource + Record>(
        &self,
        function: &str,
        options: Option<&Bound<'_, PyDict>>,
        list: impl FnOnce(&obeya::Client) -> List<T>,
    ) -> PyResult<Records> {
        let request = ListOptions::read(function, options)?.apply(list(&self.client()?));
        Ok(Records::new(request.pages()))
    }
}

/// Waits for an answer and gives out its record.
fn answer<T: Record>(
    py: Python<'_>,
    work: impl Future<Output = obeya::Result<T>> + Send,
) -> PyResult<Bound<'_, PyAny>> {
    wait(py, work)?
        .map_err(|error| errors::exception(py, &error))?
        .into_object(py)
}
