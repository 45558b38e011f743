import { type ComponentChildren, h } from 'preact';

/** A table that scrolls if it does not fit. `label`: its name on the page. The first cell of a row is its header. */
export function table(
  label: string,
  heads: readonly string[] | undefined,
  rows: readonly (readonly ComponentChildren[])[],
): ComponentChildren {
  return h(
    'div',
    { class: 'scrolls', tabIndex: 0, role: 'region', 'aria-label': label },
    h(
      'table',
      null,
      heads === undefined
        ? null
        : h(
            'thead',
            null,
            h(
              'tr',
              null,
              heads.map((text) => (text === '' ? h('td', null) : h('th', { scope: 'col' }, text))),
            ),
          ),
      h(
        'tbody',
        null,
        rows.map((cells) =>
          h(
            'tr',
            null,
            cells.map((cell, index) => (index === 0 ? h('th', { scope: 'row' }, cell) : h('td', null, cell))),
          ),
        ),
      ),
    ),
  );
}
