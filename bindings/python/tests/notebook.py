"""Runs the notebook in a kernel of its own, as Jupyter would: `python notebook.py RUN` writes it with its outputs to the path RUN.

It is a process apart from the tests, whose rules about warnings are not meant for Jupyter.
"""

from __future__ import annotations

import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent.parent / "docs" / "quickstart.ipynb"


def run(target: Path) -> None:
    """Runs it from top to bottom; the first cell that fails ends it with that cell's error."""
    # Read by Jupyter when it is imported: nothing of the user's is looked at or written.
    folder = tempfile.TemporaryDirectory(prefix="obeya-")
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        os.environ[name] = folder.name
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    os.environ.pop("MPLBACKEND", None)

    # These ship types for some of their names, or none.
    nbformat: Any = import_module("nbformat")
    client: Any = import_module("nbclient").NotebookClient
    config: Any = import_module("traitlets.config").Config()

    if sys.platform == "linux":
        # Sockets in that folder, where no other kernel's are: a port that was free a moment ago may be taken
        # now.
        config.KernelManager.transport = "ipc"
        config.KernelManager.ip = str(Path(folder.name, "kernel"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with folder:
        # Printed text arrives in pieces.
        settings = {"startup_timeout": 300, "record_timing": False, "coalesce_streams": True}
        client(notebook, kernel_name="python3", config=config, **settings).execute()
    # The machine's Python is not the notebook's.
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    nbformat.write(notebook, target)


if __name__ == "__main__":
    run(Path(sys.argv[1]))
