import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html, type Part, trustedHtml } from '../html/html.ts';
import { STYLE } from './style.ts';

const SCRIPT = readFileSync(new URL('browser.js', import.meta.url), 'utf8');
const sourceHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows the style and script of the pages by their hashes, pictures, and the search index. Nothing else runs or loads. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${sourceHash(STYLE.markup)}`,
  `script-src ${sourceHash(SCRIPT)}`,
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Where the service listens by default. The script of the page puts the address it was loaded from in its place. */
export const origin = (): Part => html`<span data-origin>http://127.0.0.1:8080</span>`;

const logo = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M4 22V10a8 8 0 0 1 16 0v12M8 22V4.5M12 23V2M16 22V4.5M4 11h16M4 16h16" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/></svg>`;

/** One group of links in the contents. */
export const linkGroup = (label: string, items: Part): Part => html`<p class="group">${label}</p><ul>${items}</ul>`;

/** A guide as other pages link to it. */
export interface GuideLink {
  readonly name: string;
  readonly title: string;
}

export const guideUrl = (name: string): string => `/docs/guides/${name}`;

export const guideLinks = (guides: readonly GuideLink[], current?: string): Part =>
  guides.length === 0
    ? undefined
    : linkGroup(
        'Guides',
        guides.map(({ name, title }) =>
          name === current
            ? html`<li><a href="${guideUrl(name)}" aria-current="page">${title}</a></li>`
            : html`<li><a href="${guideUrl(name)}">${title}</a></li>`,
        ),
      );

export interface Layout {
  readonly product: string;
  readonly version: string;
  readonly title: string;
  readonly contents: Part;
  readonly main: Part;
}

/** A documentation page with its bar, search and contents. It needs no other file but the search index. */
export const layout = ({ product, version, title, contents, main }: Layout): string =>
  html`<!doctype html>
<html lang="en" id="top">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><a class="brand" href="/docs">${logo} ${product}</a><span class="version">v${version}</span><a class="raw" href="/openapi.json">OpenAPI</a><a class="menu" href="#contents">Contents</a></header>
<nav id="contents" aria-label="Contents">
<p class="close"><a href="#top">Close</a></p>
<form id="search" role="search" hidden><input type="search" placeholder="Search (press /)" aria-label="Search the documentation" autocomplete="off" aria-controls="results"></form>
<ul id="results" aria-label="Search results" aria-live="polite" hidden></ul>
${contents}
</nav>
<main id="main" tabindex="-1">
${main}
</main>
<footer><p>${product} ${version}. The same reference as data: <a href="/openapi.json">openapi.json</a></p></footer>
<script type="module">${trustedHtml(SCRIPT)}</script>
</body>
</html>
`.markup;
