"""Client for lean-management data: incidents, improvements, boards, groups, areas and datasource values.

>>> import obeya
>>> with obeya.Client.from_env() as client:  # doctest: +SKIP
...     frame = client.values(5, from_="2026-01-01").to_pandas()
"""

from obeya import models, types
from obeya._errors import (
    APIConnectionError,
    APIError,
    APIResponseError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConfigError,
    ConflictError,
    InternalServerError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    UnprocessableEntityError,
)
from obeya._obeya import Client, Page, Records, TestServer, Values, __version__
from obeya.models import *  # noqa: F403

__all__ = [  # noqa: PLE0604
    "APIConnectionError",
    "APIError",
    "APIResponseError",
    "APIStatusError",
    "APITimeoutError",
    "AuthenticationError",
    "BadRequestError",
    "Client",
    "ConfigError",
    "ConflictError",
    "InternalServerError",
    "NotFoundError",
    "Page",
    "PermissionDeniedError",
    "RateLimitError",
    "Records",
    "TestServer",
    "UnprocessableEntityError",
    "Values",
    "__version__",
    "models",
    "types",
]
__all__ += models.__all__
