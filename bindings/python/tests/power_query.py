"""The Power Query examples: their queries in the file that Excel opens, and the addresses that they ask for.

`python tests/power_query.py` writes that file, `examples/power-query/incidents.odc`, from the queries beside it.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

FOLDER = Path(__file__).parents[3] / "examples" / "power-query"
CONNECTION = FOLDER / "incidents.odc"

PARAMETERS = {"ObeyaRoot": "https://obeya.plant.example", "ObeyaClientId": "c-…", "ObeyaClientSecret": "…"}
"""The parameters of the queries, with the values that are to be replaced."""

_MASHUP = "{http://schemas.microsoft.com/DataMashup}"


def query(name: str) -> str:
    """A query, without the comment above it."""
    lines = (FOLDER / f"{name}.pq").read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("//"))


def connection() -> str:
    """The connection file: its workbook gets the query, what it needs, and a table of its rows."""
    parameters = {
        name: f'"{value}" meta [IsParameterQuery = true, Type = "Text", IsParameterQueryRequired = true]'
        for name, value in PARAMETERS.items()
    }
    items = "".join(
        f'<Query Name="{name}"><Formula><![CDATA[{formula}]]></Formula></Query>'
        for name, formula in {"incidents": query("incidents"), "Token": query("token"), **parameters}.items()
    )
    mashup = (
        '<Mashup xmlns="http://schemas.microsoft.com/DataMashup"><Client>EXCEL</Client><Version>2.116.622.0</Version>'
        f"<MinVersion>2.21.0.0</MinVersion><Culture>en-US</Culture><SafeCombine>true</SafeCombine><Items>{items}</Items></Mashup>"
    )
    return f"""<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns="http://www.w3.org/TR/REC-html40">
<head>
<meta http-equiv="Content-Type" content="text/x-ms-odc; charset=utf-8"/>
<meta name="ProgId" content="ODC.Database"/>
<meta name="SourceType" content="OLEDB"/>
<title>Query - incidents</title>
<xml id="docprops"><o:DocumentProperties><o:Description>Serious incidents of Obeya</o:Description><o:Name>Query - incidents</o:Name>
</o:DocumentProperties></xml>
<xml id="msodc"><odc:OfficeDataConnection xmlns:odc="urn:schemas-microsoft-com:office:odc">
<odc:PowerQueryConnection odc:Type="OLEDB">
<odc:ConnectionString>Provider=Microsoft.Mashup.OleDb.1;Data Source=$Workbook$;Location=incidents;Extended Properties=""</odc:ConnectionString>
<odc:CommandType>SQL</odc:CommandType>
<odc:CommandText>SELECT * FROM [incidents]</odc:CommandText>
</odc:PowerQueryConnection>
<odc:PowerQueryMashupData>{html.escape(mashup, quote=False)}</odc:PowerQueryMashupData>
</odc:OfficeDataConnection></xml>
</head>
<body></body>
</html>
"""


def formulas(file: Path) -> dict[str, str]:
    """The queries in a connection file, as Excel reads them: XML whose mashup is the text of another XML."""
    root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
    (mashup,) = root.iter("{urn:schemas-microsoft-com:office:odc}PowerQueryMashupData")
    assert mashup.text
    return {
        item.attrib["Name"]: item.findtext(f"{_MASHUP}Formula", default="")
        for item in ElementTree.fromstring(mashup.text).iter(f"{_MASHUP}Query")
    }


def address(formula: str) -> str:
    """The path and the options of a query's `Address`: the texts that it joins to the root."""
    found = re.search(r"Address = ObeyaRoot\s*((?:&\s*\"[^\"]*\"\s*)+),", formula)
    assert found, formula
    return "".join(re.findall(r'"([^"]*)"', found[1]))


@dataclass(frozen=True)
class Request:
    """A request of `Web.Contents`."""

    path: str
    options: dict[str, str]
    accept: str


def request(formula: str) -> Request:
    """The request of a query that uses `Web.Contents`."""
    path = re.search(r'RelativePath = "([^"]*)"', formula)
    accept = re.search(r'Accept = "([^"]*)"', formula)
    options = re.search(r"Query = \[([^\]]*)\]", formula)
    assert path and accept and options, formula
    return Request(path[1], dict(re.findall(r'(\w+) = "([^"]*)"', options[1])), accept[1])


if __name__ == "__main__":
    CONNECTION.write_text(connection(), encoding="utf-8")
