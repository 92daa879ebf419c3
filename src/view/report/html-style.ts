/** The style of the HTML report: light and dark, screens from 400 pixels, and print. */
export const style = `
:root{color-scheme:light dark;--ground:#fff;--text:#1f2328;--quiet:#59636e;--line:#d1d9e0;--card:#f6f8fa;--error:#c31f2b;--warning:#8a5a00;--good:#1a7f37;--accent:#0969da}
@media (prefers-color-scheme:dark){:root{--ground:#0d1117;--text:#e6edf3;--quiet:#9198a1;--line:#3d444d;--card:#151b23;--error:#ff7b72;--warning:#e3b341;--good:#3fb950;--accent:#58a6ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:2rem 1.25rem 4rem;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,"Segoe UI",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;margin:0 0 .25rem}
h2{font-size:1.25rem;margin:2.5rem 0 .75rem;padding-bottom:.35rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:0}
h4{font-size:.8rem;margin:1rem 0 .35rem;color:var(--quiet);font-weight:600}
p{margin:.35rem 0}
a{color:var(--accent)}
code,pre,.topology{font-family:ui-monospace,"Cascadia Mono",Consolas,Menlo,monospace;font-size:.86em}
.quiet{color:var(--quiet)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.75rem;margin:1.25rem 0;padding:0;list-style:none}
.tiles li{border:1px solid var(--line);border-radius:8px;padding:.6rem .9rem;background:var(--card)}
.tiles b{display:block;font-size:1.5rem;line-height:1.2}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line)}
th{color:var(--quiet);font-weight:600;font-size:.8rem}
.error{color:var(--error)}.warning{color:var(--warning)}.good{color:var(--good)}
.finding{border:1px solid var(--line);border-left:4px solid var(--line);border-radius:8px;padding:.9rem 1.1rem;margin:0 0 1rem;background:var(--card)}
.finding.error,.finding.warning{color:inherit}
.finding.error{border-left-color:var(--error)}
.finding.warning{border-left-color:var(--warning)}
.finding header{display:flex;flex-wrap:wrap;gap:.25rem 1rem;justify-content:space-between;align-items:baseline}
.fix{margin:.75rem 0 0;padding:.6rem .8rem;border:1px solid var(--accent);border-radius:6px;background:var(--ground)}
.fix pre{margin:0;white-space:pre-wrap}
.fix ol{margin:.25rem 0 0;padding-left:1.25rem}
ul.explains{margin:.25rem 0 0;padding-left:1.1rem;font-size:.92rem}
details{margin:.75rem 0}
summary{cursor:pointer;color:var(--quiet)}
.gap{border:1px dashed var(--warning);border-radius:8px;padding:.6rem .9rem;margin:0 0 1rem}
svg.topology{display:block;width:100%;min-width:56rem;height:auto}
.topology path{fill:none;stroke:var(--line);stroke-width:1.5}
.topology rect{fill:var(--card);stroke:var(--line)}
.topology .error rect{stroke:var(--error);stroke-width:2}
.topology .warning rect{stroke:var(--warning);stroke-width:2}
.topology .missing rect{stroke-dasharray:5 4;fill:none}
.topology text{fill:var(--text);font-size:11px}
.topology .name{font-weight:600}
.topology .about{fill:var(--quiet);font-size:10.5px}
@media (max-width:40rem){
body{padding:1rem .9rem 3rem}
table.evidence thead,table.nodes thead{display:none}
table.evidence tr,table.nodes tr{display:block;border-bottom:1px solid var(--line);padding:.4rem 0}
table.evidence td,table.nodes td{display:block;border:0;padding:.05rem 0}
table.evidence td[data-label]:not(:empty)::before,table.nodes td[data-label]:not(:empty)::before{content:attr(data-label) ": ";color:var(--quiet)}
}
@media print{
:root{--ground:#fff;--text:#000;--quiet:#444;--line:#bbb;--card:#fff;--error:#a40e19;--warning:#6b4600;--good:#116329;--accent:#0550ae}
body{max-width:none;padding:0;font-size:10.5pt}
tr,li,.fix{break-inside:avoid}
h2,h3,h4,thead,.finding>p{break-after:avoid}
svg.topology{min-width:0}
a{text-decoration:none;color:inherit}
}
`.trim();
