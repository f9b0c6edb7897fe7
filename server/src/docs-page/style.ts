import { html } from '../html/html.ts';

/** Every pair of text and background has a contrast of at least 4.5 to 1, in both color schemes. */
export const STYLE = html`
:root {
  color-scheme: light dark;
  --page: #ffffff; --side: #f6f7fa; --line: #e1e5ec; --tint: #f0f2f7;
  --text: #1b2333; --soft: #576175; --link: #3446c0; --mark: #4a5be0;
  --code: #eef0f6; --panel: #121a2b; --panel-head: #1c2640; --panel-text: #dfe6f5; --panel-soft: #9fabc6;
  --get: #10539b; --get-on: #e3effc; --post: #12653a; --post-on: #e0f5e8; --put: #85500a; --put-on: #fdf0d8;
  --delete: #a3202b; --delete-on: #fde7e8;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --bar: 3.25rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f141f; --side: #131927; --line: #283145; --tint: #182031;
    --text: #e4e9f3; --soft: #a3aec4; --link: #9db0ff; --mark: #7d90ff;
    --code: #1e2739; --panel: #0a0e17; --panel-head: #161d2d; --panel-text: #dfe6f5; --panel-soft: #9fabc6;
    --get: #8cc4ff; --get-on: #13294a; --post: #7fdca4; --post-on: #10331f; --put: #f2c26b; --put-on: #3a2a0c;
    --delete: #ff9da3; --delete-on: #431a1e;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: calc(var(--bar) + 1rem); -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.6 var(--sans); overflow-wrap: break-word; }
a { color: var(--link); text-underline-offset: .15em; }
a.ref { text-decoration: none; }
a.ref:hover { text-decoration: underline; }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
code, pre { font-family: var(--mono); font-size: .875em; }
p code, li code, td code, dd code { background: var(--code); border-radius: 4px; padding: .1em .35em; }
.skip { position: absolute; left: -99rem; z-index: 3; background: var(--page); padding: .6rem 1rem; }
.skip:focus { left: .5rem; top: .5rem; }

.bar { position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: .75rem; height: var(--bar); padding: 0 1.5rem;
  background: var(--page); border-bottom: 1px solid var(--line); }
.bar a { text-decoration: none; font-weight: 600; font-size: .9rem; }
.bar .brand { display: flex; align-items: center; gap: .55rem; color: var(--text); font-size: 1.05rem; }
.brand svg { color: var(--mark); }
.version { color: var(--soft); font-size: .8rem; border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .55rem; }
.raw { margin-left: auto; }
.menu, .close { display: none; }

#contents { position: fixed; top: var(--bar); bottom: 0; left: 0; width: 17.5rem; overflow-y: auto; padding: 1rem .9rem 3rem;
  background: var(--side); border-right: 1px solid var(--line); font-size: .875rem; line-height: 1.35; }
#contents ul { list-style: none; margin: 0 0 1.1rem; padding: 0; }
#contents li a { display: flex; gap: .5rem; align-items: center; justify-content: space-between; padding: .33rem .6rem;
  border-radius: 6px; color: var(--text); text-decoration: none; }
#contents li a:hover { background: var(--code); color: var(--link); }
.group { margin: 0 0 .3rem; padding: 0 .6rem; color: var(--soft); font-size: .75rem; font-weight: 700; letter-spacing: .06em;
  text-transform: uppercase; }

main, footer { margin-left: 17.5rem; padding: 2.5rem 3rem 0; max-width: 92rem; }
h1 { font-size: 2.1rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .75rem; }
h2 { font-size: 1.5rem; line-height: 1.3; letter-spacing: -.01em; margin: 0 0 .75rem; }
h3 { font-size: 1.2rem; line-height: 1.35; margin: 0 0 .6rem; }
h4 { font-size: .95rem; margin: 1.75rem 0 .5rem; }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover { text-decoration: underline; text-decoration-color: var(--mark); }
p, ul { margin: 0 0 .9rem; }
.lead, main > .prose { max-width: 48rem; }
.summary { font-size: 1.15rem; color: var(--soft); }
main > section { padding-top: 2.25rem; margin-top: 2.25rem; border-top: 1px solid var(--line); }
main > .prose h3 { font-size: 1rem; margin-top: 1.25rem; }
:target > h2 a, :target > h3 a, :target > .prose > h3 a { box-shadow: -.6rem 0 0 var(--page), -.85rem 0 0 var(--mark); }
td :target { box-shadow: 0 0 0 2px var(--mark); }

.operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 29rem); gap: 0 3rem; padding: 2rem 0; }
.operation + .operation { border-top: 1px solid var(--line); }
.examples { position: sticky; top: calc(var(--bar) + 1rem); align-self: start; }
.route { display: flex; align-items: baseline; gap: .6rem; padding: .5rem .75rem; background: var(--tint); border: 1px solid var(--line);
  border-radius: 8px; }
.route code { background: none; padding: 0; font-size: .9rem; min-width: 0; }
.method { flex: none; font: 700 .68rem/1.5 var(--mono); letter-spacing: .03em; padding: .1rem .42rem; border-radius: 5px; }
.get { color: var(--get); background: var(--get-on); } .post { color: var(--post); background: var(--post-on); }
.put, .patch { color: var(--put); background: var(--put-on); } .delete { color: var(--delete); background: var(--delete-on); }
.status { font: 700 .78rem/1.5 var(--mono); padding: .1rem .42rem; border-radius: 5px; }
.ok { color: var(--post); background: var(--post-on); } .bad { color: var(--delete); background: var(--delete-on); }
.of { color: var(--soft); font-weight: 400; }
.shared { font-size: .875rem; color: var(--soft); }
.errors { margin: 0; font-size: .875rem; }
.errors div { display: flex; gap: .75rem; padding: .25rem 0; }
.errors dd { margin: 0; min-width: 0; color: var(--soft); }

.guide img { display: block; max-width: 100%; height: auto; margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 10px; }
table { width: 100%; border-collapse: collapse; margin: 0 0 1rem; font-size: .875rem; line-height: 1.5; }
th { text-align: left; color: var(--soft); font-weight: 600; font-size: .78rem; }
th, td { padding: .5rem .75rem .5rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
.fields td:first-child { width: 31%; } .fields td:nth-child(2) { width: 29%; }
.plain td:first-child { white-space: nowrap; padding-right: 1.5rem; }
td .name { background: none; padding: 0; font-weight: 700; overflow-wrap: anywhere; }
.prefix { color: var(--soft); font-weight: 400; }
.notes { display: block; color: var(--soft); font-size: .78rem; }
.required { color: var(--delete); font-weight: 600; }
.limits { display: block; color: var(--soft); font-size: .8rem; }
.limits code { font-size: .75rem; overflow-wrap: anywhere; }

.panel { margin: 0 0 1rem; border-radius: 10px; overflow: hidden; background: var(--panel); color: var(--panel-text); border: 1px solid var(--panel-head); }
figcaption { display: flex; align-items: center; gap: .5rem; min-height: 2.1rem; padding: .4rem 1rem; background: var(--panel-head); color: var(--panel-soft); font-size: .75rem; font-weight: 600; }
figcaption .code { color: #86e0ac; font-family: var(--mono); }
pre { margin: 0; padding: .85rem 1rem; overflow: auto; max-height: 34rem; line-height: 1.55; font-size: .8125rem; }
pre code { font-size: inherit; }
.command code { user-select: all; -webkit-user-select: all; }
.copy { margin-left: auto; padding: .1rem .55rem; border: 1px solid var(--panel-soft); border-radius: 5px; background: none; color: var(--panel-text);
  font: 600 .75rem/1.5 var(--sans); cursor: pointer; }
.copy:hover { background: var(--panel); }
.offscreen { position: fixed; top: 0; left: -99rem; }
#search { margin: 0 0 1rem; }
#search input { width: 100%; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--page); color: var(--text); font: inherit; }
#results small { display: block; color: var(--soft); }
#contents #results a { display: block; overflow-wrap: anywhere; }
#contents [aria-current] { font-weight: 700; background: var(--code); }
.guide { max-width: 52rem; }
.guide h2 { margin-top: 2.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); } .guide h3 { margin-top: 1.75rem; }
.guide li { margin-bottom: .3rem; } .guide a code { color: inherit; } .guide td:first-child { white-space: normal; }
pre:focus-visible { outline-offset: -3px; }
.k { color: #9ec5ff; } .s { color: #a5e3b8; } .n { color: #ffc58a; } .f { color: #d3b8ff; } .c { color: var(--panel-soft); }
.schema { max-width: 60rem; padding: 1.5rem 0 .5rem; }
footer { padding-bottom: 2rem; color: var(--soft); font-size: .875rem; }

@media (max-width: 82rem) {
  .operation { grid-template-columns: minmax(0, 1fr); max-width: 52rem; }
  .examples { position: static; margin-top: 1.5rem; }
}
@media (max-width: 56rem) {
  main, footer { margin-left: 0; padding: 1.5rem 1.1rem; }
  .bar { padding: 0 1.1rem; }
  .menu { display: block; }
  #contents { display: none; z-index: 2; width: auto; right: 0; font-size: 1rem; }
  #contents:target { display: block; }
  #contents li a { padding: .5rem .6rem; }
  .close { display: block; margin: 0 .6rem .75rem; text-align: right; font-weight: 600; }
}
@media (max-width: 36rem) {
  h1 { font-size: 1.7rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, td { display: block; }
  tr { padding: .65rem 0; border-bottom: 1px solid var(--line); }
  td, .plain td:first-child, .fields td:first-child, .fields td:nth-child(2) { white-space: normal; width: auto; padding: .1rem 0; border: 0; }
  .notes { display: inline; margin-left: .35rem; }
}
@media (max-width: 24rem) {
  .version { display: none; }
}
@media print {
  .bar, #contents, .skip { display: none; }
  main, footer { margin: 0; padding: 0; }
  .operation { display: block; }
}
`;
