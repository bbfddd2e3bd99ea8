"""How the report of a class looks: light and dark, on a phone, on paper."""

from __future__ import annotations

SHEET = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #55606b; --paper: #fff; --card: #f4f7f9;
  --line: #ccd3da; --head: #0b5d75; --bar: #2a7f9b; --track: #e3e9ee }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --soft: #a4afba; --paper: #14171b;
  --card: #1d2228; --line: #3a424b; --head: #7cc7de; --bar: #4aa3bf; --track: #2a3139 } }
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem 4rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.6 system-ui, "Segoe UI", "PingFang SC", "Microsoft YaHei",
  "Noto Sans CJK SC", sans-serif;
  overflow-wrap: anywhere }
h1 { font-size: 1.55rem; line-height: 1.3; margin: 0 0 .3rem }
h2 { font-size: 1.2rem; color: var(--head); margin: 2.4rem 0 .4rem; line-height: 1.3 }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem;
  align-items: baseline; justify-content: space-between }
h3 .barred { width: 16rem; max-width: 100% }
p { margin: .4rem 0; max-width: 46rem } .soft { color: var(--soft) }
a { color: var(--head); text-underline-offset: .15em }
a:focus-visible, summary:focus-visible, .wide:focus-visible { outline: .2rem solid var(--head);
  outline-offset: .15rem }
.skip { position: absolute; left: -99rem } .skip:focus { position: static }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding: 0; margin: .6rem 0 0 }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .7rem;
  padding: 0; margin: .8rem 0; list-style: none }
.figures li { background: var(--card); border: 1px solid var(--line); border-radius: .4rem;
  padding: .5rem .8rem .6rem; line-height: 1.35; color: var(--soft) }
.figures strong { display: block; font-size: 1.6rem; line-height: 1.3; color: var(--ink);
  font-variant-numeric: tabular-nums }
.wide { overflow-x: auto; margin: .5rem 0 1rem }
table { border-collapse: collapse; width: 100%; font-size: .95rem }
caption { text-align: left; color: var(--soft); padding: 0 0 .2rem; font-size: .9rem }
th, td { padding: .35rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  line-height: 1.45; overflow-wrap: break-word }
tbody th:not(.short), td:has(.said), code { overflow-wrap: anywhere }
thead th { border-bottom: 2px solid var(--line); vertical-align: bottom; white-space: nowrap;
  color: var(--soft); font-weight: 600 }
tbody th { font-weight: 600 } tbody th:not(.short) { min-width: 7rem; max-width: 16rem }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td { min-width: 3.2rem } td:has(.barred) { min-width: 9rem } td:has(.said) { min-width: 12rem }
.short { white-space: nowrap; overflow-wrap: normal; min-width: 0 }
.heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
tr:target, th:target { background: var(--card) } :target { scroll-margin: 4rem }
.barred { display: inline-flex; align-items: center; gap: .6rem; width: 100% }
.track { flex: 1; height: .7rem; min-width: 4rem; background: var(--track); border-radius: .2rem;
  overflow: hidden; border: 1px solid transparent }
.bar { display: block; height: 100%; background: var(--bar) }
.label { min-width: 3.6rem; text-align: right; font-variant-numeric: tabular-nums; font-weight: 600;
  white-space: nowrap }
code { font: .92em ui-monospace, "SF Mono", Consolas, "Noto Sans Mono CJK SC", monospace;
  background: var(--card); border: 1px solid var(--line); border-radius: .25rem; padding: .05rem .3rem }
.examples { list-style: none; margin: 0; padding: 0 } .examples li { margin: 0 0 .2rem }
summary { cursor: pointer } details p { color: var(--soft); margin: .3rem 0 .1rem }
.histogram { max-width: 34rem }
@media (min-width: 48rem) {
  .questions { table-layout: fixed } .questions th:nth-child(1) { width: 20% }
  .questions th:nth-child(2) { width: 26% } .questions th:nth-child(4) { width: 10rem }
  .questions th:nth-child(5) { width: 5rem } }
@media (max-width: 40rem) { th, td { padding: .3rem .4rem } h3 .barred { width: 100% }
  thead th, thead th.number { white-space: normal } .label { min-width: 2.9rem }
  td:has(.barred) { min-width: 7rem } .track { min-width: 2.5rem }
  .questions td:nth-child(3) { min-width: 8rem } }
@media (forced-colors: active) { .track { border-color: CanvasText } .bar { background: CanvasText;
  forced-color-adjust: none } }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #333; --paper: #fff; --card: #fff; --line: #999;
    --head: #000; --bar: #555; --track: #fff }
  body { max-width: none; padding: 0; font-size: 10pt } nav, .skip { display: none }
  .wide { overflow: visible } thead { display: table-header-group } tr, .figures li { break-inside: avoid }
  h2, h3, caption { break-after: avoid } a { color: inherit; text-decoration: none }
  .track { border-color: #555 } .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
"""
