import { type ComponentChildren, h } from 'preact';
import { renderToString } from 'preact-render-to-string';

export interface Layout {
  readonly title: string;
  /** Name of the provider. */
  readonly prettyName: string;
  /** The signed-in person, if any. */
  readonly person: { readonly name: string; readonly formToken: string; readonly isOperator: boolean } | undefined;
  readonly body: ComponentChildren;
}

/** Renders a whole document. All content is escaped as text, unless it is an element. */
export function documentOf({ title, prettyName, person, body }: Layout): string {
  const page = h(
    'html',
    { lang: 'en' },
    h(
      'head',
      null,
      h('meta', { charSet: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { name: 'color-scheme', content: 'light dark' }),
      h('title', null, `${title} · ${prettyName}`),
      h('link', { rel: 'icon', type: 'image/svg+xml', href: '/assets/portal.svg' }),
      h('link', { rel: 'stylesheet', href: '/assets/portal.css' }),
    ),
    h(
      'body',
      null,
      h('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
      h(
        'header',
        null,
        h('a', { class: 'home', href: '/' }, prettyName),
        person === undefined ? null : [navigation(person), signOut(person)],
      ),
      h('main', { id: 'main' }, body),
    ),
  );
  return `<!doctype html>${renderToString(page)}`;
}

function navigation({ isOperator }: NonNullable<Layout['person']>): ComponentChildren {
  return h(
    'nav',
    { 'aria-label': 'Pages' },
    h('a', { href: '/' }, 'Catalogue'),
    h('a', { href: '/bindings' }, 'My bindings'),
    isOperator ? h('a', { href: '/consumers' }, 'Consumers') : null,
  );
}

function signOut({ name, formToken }: NonNullable<Layout['person']>): ComponentChildren {
  return h(
    'form',
    { method: 'post', action: '/sign-out', class: 'person' },
    h('span', null, name),
    formTokenField(formToken),
    h('button', { type: 'submit', class: 'quiet' }, 'Sign out'),
  );
}

/** Proves that a form comes from a page shown to this person. */
export function formTokenField(formToken: string): ComponentChildren {
  return h('input', { type: 'hidden', name: 'form_token', value: formToken });
}
