"""The style sheet of the page: a light and a dark look, one for phones, and two sheets of paper.

Colours are those of Okabe and Ito (2008), darker or lighter where text is written in them. Every pair of `PAIRS` has a contrast of
4.5:1 or more (WCAG 2.1, 1.4.3), which a test computes. Sizes are in rem, so that the wall can enlarge everything.
"""

from __future__ import annotations

LIGHT = {
    "paper": "#f4f6f8",
    "card": "#ffffff",
    "ink": "#1b1f24",
    "soft": "#505a64",
    "line": "#d3dae1",
    "link": "#0757a8",
    "good": "#0b6b4b",
    "bad": "#b3320f",
    "strong": "#0072b2",
    "weak": "#7fb8dc",
    "pale": "#d5e3ee",
    "spent": "#8a8f96",
}
DARK = {
    "paper": "#10151b",
    "card": "#1a212a",
    "ink": "#e8edf2",
    "soft": "#a9b4c0",
    "line": "#3a4653",
    "link": "#7cc0ff",
    "good": "#4fd1a0",
    "bad": "#ff9a7d",
    "strong": "#56b4e9",
    "weak": "#3479a8",
    "pale": "#2c3a48",
    "spent": "#8a949f",
}
PAIRS = [(text, ground) for text in ("ink", "soft", "link", "good", "bad") for ground in ("paper", "card")]
"""Colours of texts, and what these are written on."""

CELLS = {
    "safe": ("#ffffff", "#0b6b4b"),
    "None": ("#1b1f24", "#dddddd"),
    "Low": ("#1b1f24", "#f0e442"),
    "Medium": ("#1b1f24", "#e69f00"),
    "High": ("#ffffff", "#b3320f"),
    "unknown": ("#ffffff", "#505a64"),
    "warned": ("#ffffff", "#b3320f"),
}
"""Texts on grounds that are the same in both looks."""

STAGES = ("#56b4e9", "#f0e442", "#e69f00", "#009e73", "#0072b2", "#8a8f96")
"""The stages of improvements, the first on top."""


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


def _cells() -> str:
    return "\n".join(
        f".{name if name in ('safe', 'warned') else f'severity-{name.lower()}'} {{ color: {text}; background: {ground}; }}"
        for name, (text, ground) in CELLS.items()
    )


def _stages() -> str:
    return "\n".join(f".stage{at} {{ fill: {colour}; }}" for at, colour in enumerate(STAGES))


STYLE = f"""
:root {{ color-scheme: light dark; {_variables(LIGHT)} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.45 system-ui, "Segoe UI", Roboto, Arial, sans-serif; }}
header, main, footer {{ max-width: 78rem; margin: 0 auto; padding: 0 1.25rem; }}
header {{ padding-top: 1.5rem; }}
h1 {{ font-size: 1.7rem; line-height: 1.2; margin: 0; overflow-wrap: break-word; }}
h2 {{ font-size: 1.2rem; margin: 1.75rem 0 .6rem; padding-bottom: .3rem; border-bottom: .125rem solid var(--strong); }}
h3 {{ font-size: 1rem; line-height: 1.3; margin: 0; overflow-wrap: break-word; }}
p {{ margin: .25rem 0 0; }}
a {{ color: var(--link); }}
.soft, footer {{ color: var(--soft); font-size: .9rem; }}
.big {{ font-size: 1.9rem; line-height: 1; }}
.good {{ color: var(--good); }}
.bad {{ color: var(--bad); }}
.charts {{ display: grid; grid-template-columns: minmax(0, 1fr); grid-auto-flow: dense; gap: .9rem; align-items: start; }}
.card {{ background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; margin: 0; min-width: 0; }}
figcaption p {{ color: var(--soft); font-size: .9rem; }}
.tiles {{ display: flex; flex-wrap: wrap; gap: .9rem; margin: .5rem 0 .9rem; padding: 0; list-style: none; }}
.tiles li {{ flex: 1 1 8.5rem; font-size: .95rem; line-height: 1.3; }}
.tiles .soft {{ display: block; }}
.tiles b {{ display: block; font-size: 1.9rem; line-height: 1.2; font-variant-numeric: tabular-nums; }}
table {{ border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; padding: .2rem .75rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: middle; }}
th:last-child, td:last-child {{ padding-right: 0; }}
thead th {{ color: var(--soft); font-weight: normal; font-size: .8rem; line-height: 1.2; vertical-align: bottom; }}
tbody th {{ font-weight: normal; overflow-wrap: break-word; }}
.number {{ text-align: right; white-space: nowrap; }}
thead .number {{ white-space: normal; }}
.scroll {{ overflow: auto; max-height: 22rem; margin-top: .4rem; }}
.bars {{ margin-top: .5rem; }}
.bars .name {{ width: 34%; }}
.bars td.drawing {{ width: 40%; }}
.items .name {{ width: 50%; }}
.bar {{ display: block; width: 100%; min-width: 2.5rem; height: .9rem; overflow: visible; }}
.bar + .bar {{ margin-top: .1rem; height: .6rem; }}
details {{ margin-top: .5rem; font-size: .9rem; }}
summary {{ cursor: pointer; color: var(--link); }}
.plot {{ display: grid; grid-template-columns: auto minmax(0, 1fr); margin-top: .9rem; column-gap: .4rem; color: var(--soft); font-size: .8rem; }}
.plot > svg {{ grid-column: 2; width: 100%; height: 11rem; display: block; overflow: visible; }}
.wide .plot > svg {{ height: 13rem; }}
.up, .along {{ display: flex; justify-content: space-between; line-height: 1; white-space: nowrap; }}
.up {{ flex-direction: column; margin: -.4rem 0; text-align: right; }}
.along {{ grid-column: 2; padding-top: .5rem; }}
.legend {{ display: flex; flex-wrap: wrap; gap: .1rem 1rem; font-size: .85rem; color: var(--soft); margin-top: .4rem; }}
.legend.right {{ justify-content: flex-end; }}
.key {{ display: inline-flex; align-items: center; gap: .35rem; }}
.sample {{ width: 1.4rem; height: .8rem; flex: none; overflow: visible; }}
path, rect {{ vector-effect: non-scaling-stroke; stroke-linejoin: round; }}
.line {{ fill: none; stroke: var(--soft); stroke-width: .09rem; }}
.line.grid {{ stroke: var(--line); stroke-width: 1px; }}
.line.value {{ stroke: var(--strong); stroke-width: .11rem; }}
.line.mean {{ stroke: var(--ink); }}
.line.limit {{ stroke: var(--bad); stroke-dasharray: .35rem .25rem; }}
.line.target {{ stroke: var(--ink); stroke-dasharray: .15rem .2rem; }}
.line.change {{ stroke: var(--soft); stroke-dasharray: .1rem .25rem; }}
.dots {{ fill: none; stroke-linecap: round; stroke: var(--strong); stroke-width: .3rem; }}
.dots.ring {{ stroke: var(--bad); stroke-width: .75rem; }}
.dots.hole {{ stroke: var(--card); stroke-width: .5rem; }}
.dots.core {{ stroke: var(--bad); stroke-width: .28rem; }}
.dots.mark {{ stroke: var(--strong); stroke-width: .6rem; }}
.dots.on {{ stroke: var(--good); stroke-width: .3rem; }}
.dots.off {{ stroke: var(--bad); stroke-width: .42rem; stroke-linecap: square; }}
.strong {{ fill: var(--strong); }}
.weak {{ fill: var(--weak); }}
.pale {{ fill: var(--pale); }}
.spent {{ fill: var(--spent); }}
rect.good {{ fill: var(--good); }}
rect.bad {{ fill: var(--bad); }}
{_stages()}
.meters .name {{ width: 22%; }}
.course {{ min-width: 6rem; width: 26%; }}
.course svg {{ display: block; width: 100%; height: 2rem; overflow: visible; }}
.meters td.text {{ white-space: nowrap; }}
.state {{ white-space: nowrap; font-weight: 600; }}
.meters tbody th {{ font-weight: 600; }}
.meters .group th {{ padding-top: .7rem; color: var(--soft); font-weight: 600; }}
.cross {{ width: auto; margin: .6rem auto 0; border-collapse: separate; border-spacing: .15rem; font-size: .85rem; }}
.cross td {{ width: 2.9rem; height: 2.6rem; padding: .1rem; text-align: center; line-height: 1.15; border: 0; border-radius: .2rem; }}
.cross td.day {{ border: 1px solid var(--line); }}
.cross .dots-of {{ display: block; letter-spacing: .05em; white-space: nowrap; }}
.cross .ahead {{ color: var(--soft); border-style: dashed; }}
{_cells()}
.legend .day {{ display: inline-block; padding: 0 .4rem; border-radius: .2rem; }}
.quadrants {{ display: grid; grid-template-columns: 1fr 1fr; gap: .3rem; margin-top: .3rem; }}
.quadrant {{ border: 1px solid var(--line); border-radius: .3rem; padding: .4rem .6rem; font-size: .85rem; min-width: 0; }}
.quadrant.implement {{ border: .15rem solid var(--good); }}
.quadrant ul {{ margin: .2rem 0 0; padding: 0; list-style: none; }}
.quadrant li {{ padding-top: .1rem; overflow-wrap: break-word; }}
footer {{ padding-top: 1.25rem; padding-bottom: 1.75rem; }}
@media (min-width: 62rem) {{
  .charts {{ grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }}
  .wide {{ grid-column: 1 / -1; }}
  .tall {{ grid-row: span 2; }}
  .pair {{ display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 1.5rem; }}
}}
@media screen and (max-width: 61.9rem) {{
  .meters .less {{ display: none; }}
  .meters, .meters tbody {{ display: block; }}
  .meters thead {{ display: none; }}
  .meters tr {{ display: grid; grid-template-columns: 1fr auto; column-gap: .6rem; padding: .3rem 0; border-bottom: 1px solid var(--line); }}
  .meters th, .meters td {{ border: 0; padding: 0; width: auto !important; white-space: normal; }}
  .meters .course {{ grid-column: 1 / -1; padding: .3rem 0; }}
  .meters td:nth-child(3) {{ text-align: left; }}
}}
@media screen and (max-width: 36rem) {{
  header, main, footer {{ padding-left: .6rem; padding-right: .6rem; }}
  h1 {{ font-size: 1.35rem; }}
  .card {{ padding: .65rem .7rem; }}
  .tiles {{ gap: .5rem; }}
  .tiles li {{ flex-basis: 40%; }}
  th, td {{ padding-right: .45rem; }}
  .bars {{ display: grid; }}
  .bars thead, .bars tbody, .bars tr {{ display: contents; }}
  .bars .name, .bars td.drawing {{ width: auto; }}
  .bars .name {{ grid-column: 1 / -1; border: 0; padding-bottom: 0; }}
  .bars.n2 {{ grid-template-columns: minmax(3rem, 1fr) auto auto; }}
  .bars.n3 {{ grid-template-columns: minmax(3rem, 1fr) auto auto auto; }}
  .bars td {{ padding-top: .1rem; padding-bottom: .4rem; }}
  .bars td.drawing {{ padding-top: .45rem; }}
  .meters .name {{ grid-column: 1 / -1; }}
  .cross td {{ width: 2.5rem; height: 2.4rem; }}
  .less {{ display: none; }}
}}
@page {{ size: A4; margin: 9mm 10mm; }}
@media print {{
  :root {{ font-size: 8pt; }}
  body {{ background: #fff; line-height: 1.3; print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
  header, main, footer {{ max-width: none; padding: 0; }}
  h1 {{ font-size: 1.5rem; }}
  h2 {{ margin: .6rem 0 .3rem; padding-bottom: .1rem; break-after: avoid; font-size: 1.1rem; }}
  .card {{ padding: .3rem .5rem; break-inside: avoid; border-radius: .2rem; }}
  .charts {{ grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .4rem; }}
  .wide {{ grid-column: 1 / -1; }}
  .pair {{ display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 .8rem; }}
  #board-incidents {{ break-before: page; }}
  .tiles {{ gap: .3rem; margin-bottom: .4rem; }}
  .tiles li {{ flex-basis: 26%; }}
  .tiles b {{ font-size: 1.4rem; }}
  table {{ font-size: .9rem; }}
  th, td {{ padding: .03rem .4rem .03rem 0; }}
  .bars .name {{ width: 42%; }}
  .bars td.drawing {{ width: 22%; }}
  .bars th:nth-child(n + 6), .bars td:nth-child(n + 6) {{ display: none; }}
  .bar {{ height: .7rem; }}
  .bar + .bar {{ height: .4rem; }}
  .plot > svg, .wide .plot > svg {{ height: 6rem; }}
  .course svg {{ height: 1.4rem; }}
  .cross td {{ width: 2.1rem; height: 2rem; font-size: .75rem; }}
  .quadrant {{ padding: .15rem .3rem; }}
  .quadrant li:nth-child(2):not(:last-child), .quadrant li:nth-child(3):not(:last-child) {{ display: none; }}
  .legend {{ gap: 0 .6rem; margin-top: .2rem; }}
  details, #board-process h2 {{ display: none; }}
  a {{ color: inherit; text-decoration: none; }}
  footer {{ padding: .3rem 0 0; }}
}}
""".strip()
