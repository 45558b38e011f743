import { type ComponentChildren, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { TrialPerson } from './people.js';

export const STYLE_PATH = '/assets/trial.css';

/** Where a person chooses whom to be. `action`: where the form goes. */
export function signInPage(people: readonly TrialPerson[], action: string): string {
  return documentOf('Sign in', [
    h('h1', null, 'Who are you?'),
    h(
      'form',
      { method: 'post', action },
      h(
        'ul',
        { class: 'cards' },
        people.map(({ subject, name, groups }) =>
          h(
            'li',
            { class: 'card' },
            h('h2', null, name),
            h('p', { class: 'quiet-text' }, `User ${subject}, group ${groups.join(', ')}`),
            h('button', { type: 'submit', name: 'person', value: subject }, `Sign in as ${name}`),
          ),
        ),
      ),
    ),
  ]);
}

/** Why nothing was done. */
export function refusalPage(reason: string): string {
  return documentOf('Not done', [h('h1', null, 'This was not done'), h('p', null, reason)]);
}

/** A whole document. Whatever is put into it is text, unless it is an element. */
function documentOf(title: string, body: ComponentChildren): string {
  const page = h(
    'html',
    { lang: 'en' },
    h(
      'head',
      null,
      h('meta', { charSet: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { name: 'color-scheme', content: 'light dark' }),
      h('title', null, `${title} · Trial identity provider`),
      h('link', { rel: 'stylesheet', href: STYLE_PATH }),
    ),
    h(
      'body',
      null,
      h('header', null, 'Trial identity provider'),
      h('main', null, body, h('p', { class: 'box waits' }, WARNING)),
    ),
  );
  return `<!doctype html>${renderToString(page)}`;
}

const WARNING =
  'This identity provider is for trying out Hawser. Anyone on this machine can sign in as anyone here, without a password. For real people, set the identity provider of your company.';
