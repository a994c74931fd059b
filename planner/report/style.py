"""The look of the page; colours keep a contrast of at least 4.5 to 1 in light and in dark."""

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1b1f27; --muted: #59616f; --line: #dfe3e9;
  --good: #1f7a5c; --short: #b3541e; --accent: #2b5fb8; --faint: #e9edf3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171c; --card: #1c2027; --text: #e6e9ee; --muted: #a2abb9; --line: #313743;
    --good: #4fbf95; --short: #e8935a; --accent: #7fa9f0; --faint: #272c35;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main { max-width: 1100px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 0 0 12px; }
p { margin: 0 0 12px; }
.muted { color: var(--muted); }
section {
  background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 20px; margin-top: 20px;
}
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr)); gap: 12px;
  margin-top: 20px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 14px 16px; }
.tile b { display: block; font-size: 22px; line-height: 1.3; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; min-width: 45%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 6px 22px 6px 0;
  border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
th { color: var(--muted); font-weight: 600; font-size: 12px; letter-spacing: .03em; }
th:last-child, td:last-child { padding-right: 0; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; width: 100%; height: auto; margin-bottom: 14px; }
svg:last-child { margin-bottom: 0; }
footer { margin-top: 20px; }
svg text { fill: var(--text); font: 13px system-ui, sans-serif; }
svg .note { fill: var(--muted); }
.bar-good { fill: var(--good); } .bar-short { fill: var(--short); }
.bar-accent { fill: var(--accent); } .bar-rest { fill: var(--faint); }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin: 0 5px 0 14px; }
.key:first-child { margin-left: 0; }
.key-good { background: var(--good); } .key-short { background: var(--short); }
@media print { body { background: none; } section, .tile { break-inside: avoid; } }
""".strip()
