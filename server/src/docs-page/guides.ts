import { readdirSync, readFileSync } from 'node:fs';
import { Marked, type Token, type Tokens } from 'marked';
import { html, type Part, table, trustedHtml } from '../html/html.ts';
import { colorJson, panel } from './code.ts';
import { type GuideLink, guideLinks, guideUrl, layout, linkGroup } from './layout.ts';

const FOLDER = new URL('../../../docs/', import.meta.url);

/** Guides in reading order. One that is not listed comes last. */
const ORDER = [
  'api-guide',
  'client',
  'device',
  'webhooks',
  'cases',
  'console',
  'people',
  'labels',
  'statistics',
  'lists',
  'rules',
  'rule-variables',
  'policy',
  'backtest',
  'import',
  'scoring',
  'signals',
  'models',
  'knowledge',
  'simulate',
  'operations',
  'settings',
  'scale',
  'privacy',
  'glossary',
];

export interface Guide extends GuideLink {
  readonly markdown: string;
}

const titleOf = (markdown: string, name: string): string =>
  /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? name;
const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

/** The guides in `docs/`. An installation without that folder has none. */
export const readGuides = (folder = FOLDER): readonly Guide[] => {
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch {
    return [];
  }
  return files
    .filter((file) => /^[a-z0-9-]+\.md$/.test(file))
    .map((file) => {
      const name = file.slice(0, -'.md'.length);
      const markdown = readFileSync(new URL(file, folder), 'utf8');
      return { name, title: titleOf(markdown, name), markdown };
    })
    .sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
};

/** Anchors as GitHub makes them, because the guides link to each other by those. */
const makeSlugs = () => {
  const used = new Map<string, number>();
  return (heading: string): string => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
};

/** The words of inline Markdown, without its marks. */
const plainText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? token.text : ''))
    .join('');

/** A picture of a guide, in a folder beside the guides. */
export interface Picture {
  readonly path: string;
  readonly bytes: Uint8Array;
}
const PICTURE = /^[a-z0-9-]+\/[a-z0-9-]+\.webp$/;
export const pictureUrl = (path: string): string => `/docs/pictures/${path}`;

/** The pictures that guides show. */
export const readPictures = (guides: readonly Guide[], folder = FOLDER): readonly Picture[] => {
  const paths = guides.flatMap(({ markdown }) =>
    [...markdown.matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, path]) => path ?? ''),
  );
  return [...new Set(paths)]
    .filter((path) => PICTURE.test(path))
    .map((path) => ({ path, bytes: readFileSync(new URL(path, folder)) }));
};

const GUIDE_LINK = /^([a-z0-9-]+)\.md(#.*)?$/;

/** Links between guides stay on the service. Links to other files become text: those files are not served. */
const renderLink = (href: string, text: Part, names: ReadonlySet<string>): Part => {
  const [, name = '', hash = ''] = GUIDE_LINK.exec(href) ?? [];
  if (names.has(name)) return html`<a href="${guideUrl(name)}${hash}">${text}</a>`;
  if (href.startsWith('#')) return html`<a href="${href}">${text}</a>`;
  if (/^https?:/.test(href)) return html`<a href="${href}" rel="noreferrer">${text}</a>`;
  return html`<span title="In the repository: ${href.replace(/^(?:\.\.\/)+/, '')}">${text}</span>`;
};

/** Marked with our panels, tables, anchors and links. It makes each anchor once, so it renders one guide. */
const makeMarked = (names: ReadonlySet<string>): Marked => {
  const slug = makeSlugs();
  return new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const id = slug(plainText(tokens));
        const text = trustedHtml(this.parser.parseInline(tokens));
        const level = trustedHtml(`h${depth}`);
        return html`<${level} id="${id}">${depth === 1 ? text : html`<a href="#${id}">${text}</a>`}</${level}>\n`
          .markup;
      },
      link({ href, tokens }) {
        return html`${renderLink(href, trustedHtml(this.parser.parseInline(tokens)), names)}`.markup;
      },
      image({ href, text }) {
        return html`<img src="${pictureUrl(href)}" alt="${text}" loading="lazy">`.markup;
      },
      code({ text, lang = '' }) {
        const language = lang === '' ? 'text' : lang;
        return html`${panel(language, `Example in ${language}`, lang === 'json' ? colorJson(text) : text)}`.markup;
      },
      table({ header, rows }) {
        const heads = header.map(({ tokens }) => plainText(tokens));
        const cells = rows.map((row) => row.map(({ tokens }) => trustedHtml(this.parser.parseInline(tokens))));
        return html`${table(heads.join(', '), heads, cells)}`.markup;
      },
      // Comments of the authors are left out. The guides hold no other HTML.
      html: ({ text }) => (text.trim().startsWith('<!--') ? '' : html`${text}`.markup),
    },
  });
};

const headingsOf = (markdown: string) => {
  const slug = makeSlugs();
  return new Marked()
    .lexer(markdown)
    .filter((token): token is Tokens.Heading => token.type === 'heading')
    .map(({ tokens, depth }) => ({ depth, text: plainText(tokens), id: slug(plainText(tokens)) }));
};

export const guidePage = (guide: Guide, guides: readonly Guide[], product: string, version: string): string => {
  const sections = headingsOf(guide.markdown).filter(({ depth }) => depth === 2);
  const body = makeMarked(new Set(guides.map(({ name }) => name))).parse(guide.markdown, { async: false });
  return layout({
    product,
    version,
    title: `${guide.title} · ${product}`,
    contents: [
      linkGroup(
        guide.title,
        sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`),
      ),
      linkGroup('Reference', html`<li><a href="/docs">API reference</a></li>`),
      guideLinks(guides, guide.name),
    ],
    main: html`<article class="prose guide">${trustedHtml(body)}</article>`,
  });
};

/** A section of a guide for the search index. */
export interface GuideSection {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

/** The sections of a guide, split at its headings. */
export const guideSections = ({ name, title, markdown }: Guide): readonly GuideSection[] => {
  const slug = makeSlugs();
  const sections: { title: string; url: string; text: string }[] = [];
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading') {
      const text = plainText((token as Tokens.Heading).tokens);
      sections.push({ title: text, url: `${guideUrl(name)}#${slug(text)}`, text: '' });
    } else {
      const section = sections.at(-1) ?? { title, url: guideUrl(name), text: '' };
      if (sections.length === 0) sections.push(section);
      section.text += `${token.raw.replaceAll(/\s+/g, ' ')} `;
    }
  }
  return sections;
};
