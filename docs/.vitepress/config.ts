// The documentation as a site, `npm run site`: the same pages, in the order of docs/README.md, searched without a server.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';

/** Where sources can be read. Pages that point out of `docs` lead there; without it their words stay, and the link goes. */
const repository = (process.env['HAWSER_REPOSITORY'] ?? '').replace(/\/$/u, '');

export default defineConfig({
  title: 'Hawser',
  description: 'Binds the APIs of one Kubernetes cluster to another and keeps the objects in step.',
  srcDir: '.',
  outDir: '../tmp/site',
  cacheDir: '../tmp/vitepress',
  base: process.env['HAWSER_SITE_BASE'] ?? '/',
  cleanUrls: false,
  lastUpdated: false,
  rewrites: { 'README.md': 'index.md', 'decisions/README.md': 'decisions/index.md' },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: sidebar(),
    ...(repository === '' ? {} : { socialLinks: [{ icon: 'github', link: repository }] }),
  },
  markdown: {
    // Placeholders such as <name> are text.
    html: false,
    config(markdown) {
      // Braces of templates are text, too.
      for (const name of ['text', 'code_inline'] as const) {
        const rule = markdown.renderer.rules[name];
        markdown.renderer.rules[name] = (...args) => (rule?.(...args) ?? '').replaceAll('{{', '&#123;&#123;');
      }
      const open = markdown.renderer.rules['link_open'];
      const isOut: boolean[] = [];
      markdown.renderer.rules['link_open'] = (tokens, index, options, env: { readonly relativePath: string }, self) => {
        const target = tokens[index]?.attrGet('href') ?? '';
        const path = posix.join('docs', posix.dirname(env.relativePath), target);
        const leaves = !/^(?:[a-z]+:|#|\/)/u.test(target) && !path.startsWith('docs/');
        isOut.push(leaves && repository === '');
        if (leaves && repository === '') return '<span>';
        if (leaves) tokens[index]?.attrSet('href', `${repository}/blob/main/${path}`);
        return open?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
      };
      markdown.renderer.rules['link_close'] = (tokens, index, options, _env, self) =>
        isOut.pop() === true ? '</span>' : self.renderToken(tokens, index, options);
    },
  },
});

/** The headings of docs/README.md, and the first links of its tables. */
function sidebar(): DefaultTheme.SidebarItem[] {
  const groups: { text: string; collapsed: boolean; items: DefaultTheme.SidebarItem[] }[] = [];
  for (const line of readFileSync(new URL('../README.md', import.meta.url), 'utf8').split('\n')) {
    const heading = /^## (?<text>[^:]+)/u.exec(line)?.groups?.['text'] ?? tableHeading(line);
    if (heading !== undefined) groups.push({ text: heading, collapsed: true, items: [] });
    else if (line.startsWith('|'))
      for (const [, text = '', link = ''] of (line.split('|')[1] ?? '').matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/gu))
        groups.at(-1)?.items.push({ text, link: `/${link.replace(/\.md$/u, '').replace(/\/README$/u, '/')}` });
  }
  return [{ text: 'Start', link: '/start' }, ...groups.filter(({ items }) => items.length > 0)];
}

/** Of a table that has one: `| you run a provider cluster | |`. */
function tableHeading(line: string): string | undefined {
  const text = /^\| (?<text>[a-z][^|[]*) \| \|$/u.exec(line)?.groups?.['text'];
  return text === undefined ? undefined : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
