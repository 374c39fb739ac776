"""Writes the reference of the package from its docstrings, as HTML that opens offline: `python reference.py FOLDER`.

It fails on a public name without a docstring and on whatever cannot be read, so that the reference never has a hole. What it knows of the
package is how its public names are found in its files; texts stand in the package alone.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import obeya
import pdoc
import pdoc.doc
import pdoc.render

PAGES = ("obeya", "obeya.lean", "obeya.models", "obeya.types")


def main(folder: Path) -> None:
    """Writes the pages, and one that searches them."""
    warnings.simplefilter("error", UserWarning)
    # Before Python 3.12 a dictionary with types does not record which class its keys come from; assuming this
    # one is right.
    warnings.filterwarnings("ignore", "Cannot determine where obeya.types", UserWarning)
    sources = dict(_sources())
    _give_classes_back(sources)
    pages = {name: pdoc.doc.Module(importlib.import_module(name)) for name in PAGES}
    for page in pages.values():
        _complete(page, sources)
        _leave_out_constructors(page)
        _take_home(page)
    # The records are on a separate page, which is linked here.
    main_page = pages["obeya"]
    for name in obeya.models.__all__:
        del main_page.members[name]
    del main_page.members["__version__"]
    for name in PAGES[1:]:
        main_page.members.pop(name.rpartition(".")[2], None)
    main_page.submodules = [pages[name] for name in PAGES[1:]]
    main_page.members = dict(sorted(main_page.members.items(), key=_rank))
    if missing := [name for page in pages.values() for name in _without_docstring(page)]:
        sys.exit(f"no docstring: {', '.join(missing)}")

    pdoc.render.configure(docformat="google", show_source=False, footer_text=f"obeya {obeya.__version__}")
    for name, page in pages.items():
        file = folder / f"{name.replace('.', '/')}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(pdoc.render.html_module(page, pages), encoding="utf-8")
    (folder / "index.html").write_text(pdoc.render.html_index(pages), encoding="utf-8")
    (folder / "search.js").write_text(pdoc.render.search_index(pages), encoding="utf-8")


class Source(NamedTuple):
    """Where something is written."""

    module: str
    line: int


def _sources() -> Iterator[tuple[str, Source]]:
    """The classes and constants of the package's files."""
    for found in pkgutil.walk_packages(obeya.__path__, "obeya."):
        module = importlib.import_module(found.name)
        if module.__file__ is None or not module.__file__.endswith(".py"):
            continue
        for node in ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, Source(found.name, min([node.lineno, *(each.lineno for each in node.decorator_list)]))
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name):
                        yield target.id, Source(found.name, node.lineno)


def _give_classes_back(sources: dict[str, Source]) -> None:
    """Has each class name the file it is written in again, where the docstrings of its attributes are. Users see it as `obeya.Class`."""
    for name in obeya.__all__:
        thing = getattr(obeya, name)
        if isinstance(thing, type) and name in sources and thing.__module__ == "obeya":
            thing.__module__ = sources[name].module
            # Since Python 3.13 a class forgets its line with its module.
            setattr(thing, "__firstlineno__", sources[name].line)


def _complete(page: pdoc.doc.Module, sources: dict[str, Source]) -> None:
    """Adds what is documented elsewhere: compiled classes, constants, and required keys."""
    for name, member in list(page.members.items()):
        if isinstance(member, pdoc.doc.Class) and member.obj.__module__ == "obeya":
            page.members[name] = _compiled(name)
        elif isinstance(member, pdoc.doc.Class) and f"_{name}Required" in sources:
            required = pdoc.doc.Class(page.modulename, f"_{name}Required", getattr(page.obj, f"_{name}Required"), member.taken_from)
            for key in required.obj.__annotations__:
                member.members[key].docstring = required.members[key].docstring
        elif isinstance(member, pdoc.doc.Variable) and not member.docstring and name in sources:
            written = pdoc.doc.Module(importlib.import_module(sources[name].module)).members[name]
            member.docstring = written.docstring


def _compiled(name: str) -> pdoc.doc.Class:
    """A class of the extension module, with the types of its stub."""
    native = importlib.import_module("obeya._obeya")
    vars(native)["__all__"] = [name]
    found = pdoc.doc.Module(native).members[name]
    assert isinstance(found, pdoc.doc.Class)
    return found


def _leave_out_constructors(page: pdoc.doc.Module) -> None:
    """Classes that only the package instantiates: resources and lists of a client, and the results of `obeya.lean`."""
    for member in page.members.values():
        if isinstance(member, pdoc.doc.Class) and isinstance(made := member.members.get("__init__"), pdoc.doc.Function):
            if {"core", "query", "table"} & made.signature.parameters.keys():
                del member.members["__init__"]


def _take_home(page: pdoc.doc.Module) -> None:
    """Sets the public module of every name: inherited members are listed then, and links lead to it."""
    for member in page.members.values():
        for doc in (member, *(member.members.values() if isinstance(member, pdoc.doc.Class) else ())):
            doc.modulename = _home(doc.modulename)
            # A member of a class without a public name belongs to its public subclasses.
            hidden = doc.taken_from[1].startswith("_")
            doc.taken_from = (doc.modulename, doc.qualname) if hidden else (_home(doc.taken_from[0]), doc.taken_from[1])
        if isinstance(member, pdoc.doc.Class):
            bases = [(_home(module), name, text.replace(module, _home(module))) for module, name, text in member.bases]
            member.bases = [base for base in bases if not base[1].startswith("_")]


def _home(module: str) -> str:
    return "obeya.lean" if module.startswith("obeya.lean.") else "obeya" if module.startswith("obeya._") else module


def _rank(member: tuple[str, pdoc.doc.Doc[object]]) -> tuple[bool, bool, bool]:
    """The client first, its twin for asyncio after all of the like, and exceptions last; otherwise in the order of the alphabet."""
    name, doc = member
    return isinstance(doc.obj, type) and issubclass(doc.obj, Exception), name.startswith("Async"), name not in ("Client", "AsyncClient")


def _without_docstring(doc: pdoc.doc.Module | pdoc.doc.Class) -> Iterator[str]:
    for name, member in doc.members.items():
        ours = member.taken_from[0].partition(".")[0] == "obeya"
        if name.startswith("_") or not ours:
            continue
        if not member.docstring:
            yield member.fullname
        if isinstance(member, pdoc.doc.Class):
            yield from _without_docstring(member)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
