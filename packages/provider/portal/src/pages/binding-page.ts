import { klutchDialect } from '@hawser/klutch';
import { type ComponentChildren, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { BindingState, Copies, Step } from '@hawser/consumer-states';
import { badge, timeOf } from './binding-words.js';
import { formTokenField } from './layout.js';
import { table } from './table.js';

export interface BindingView {
  readonly state: BindingState;
  readonly formToken: string;
  /** The person has revoked the access, and can restore it. */
  readonly mayRestore: boolean;
}

/** Shows one binding: progress, content, and its owner's actions. */
export function bindingPage(view: BindingView): ComponentChildren {
  const { state } = view;
  return [
    h('p', null, h('a', { href: '/bindings' }, 'Back to my bindings')),
    h('h1', null, state.name),
    h('p', { class: 'quiet-text' }, 'In ', state.cluster.prettyName, ': ', h('code', null, state.resources.join(', '))),
    h('div', { id: 'progress', 'aria-live': 'polite' }, progress(state)),
    h('h2', null, 'Facts'),
    facts(state),
    h('h2', null, 'Credential of your cluster'),
    ...credentialForms(view),
    anotherBundle(state),
    h('h2', null, 'Unbind'),
    ...unbinding(state),
    h('script', { src: '/assets/progress.js', defer: true }),
  ];
}

/** The part of the page that updates live. */
export function progressFragment(state: BindingState): string {
  return renderToString(h('div', null, progress(state)));
}

function progress({ health, steps }: BindingState): ComponentChildren {
  return [
    h('p', null, badge(health)),
    h(
      'ol',
      { class: 'steps' },
      steps.map((step) => h('li', { class: step.state }, stepOf(step))),
    ),
  ];
}

const marks: Readonly<Record<Step['state'], string>> = {
  done: 'done',
  current: 'waits',
  stopped: 'stopped',
  open: 'later',
};

function stepOf({ title, state, at, reason, message, actor }: Step): ComponentChildren {
  return [
    h('strong', null, title),
    ' ',
    h('span', { class: 'quiet-text' }, marks[state], at === undefined ? null : [' · ', timeOf(at)]),
    state === 'done' || message === undefined ? null : h('p', null, message),
    state === 'done' || (reason === undefined && actor === undefined)
      ? null
      : h(
          'p',
          { class: 'quiet-text' },
          [
            ...(reason === undefined ? [] : [`Reason ${reason}.`]),
            ...(actor === undefined ? [] : [actor === 'you' ? 'You act next.' : 'The provider acts next.']),
          ].join(' '),
        ),
  ];
}

function facts({
  cluster,
  namespace,
  lastContact,
  konnectorVersion,
  copies,
  credentialExpires,
  revoked,
}: BindingState): ComponentChildren {
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    ['Cluster', h('code', null, cluster.identity)],
    ['Namespace at the provider', h('code', null, namespace)],
    ['Last contact', timeOf(lastContact)],
    ['Konnector', konnectorVersion ?? 'unknown'],
    ['At the provider', countOf(copies)],
    ...(credentialExpires === undefined ? [] : [['Credential', endOf(credentialExpires)] as const]),
    ...(revoked === undefined ? [] : [['Access', `revoked ${revoked}`] as const]),
  ];
  return table('Facts', undefined, rows);
}

function endOf(expires: string): ComponentChildren {
  return expires === 'never' ? 'does not expire' : ['expires ', timeOf(expires), ', unless it is renewed before'];
}

function countOf(copies: Copies | undefined): string {
  if (copies === undefined) return 'not counted';
  const { count, more } = copies;
  if (more) return `more than ${count} copies`;
  return count === 1 ? '1 copy' : `${count === 0 ? 'no' : count} copies`;
}

function credentialForms({ state, formToken, mayRestore }: BindingView): readonly ComponentChildren[] {
  const button = (action: string, text: string, help: string): ComponentChildren =>
    h(
      'form',
      { method: 'post', action: `/clusters/${encodeURIComponent(state.namespace)}/credential`, class: 'box' },
      formTokenField(formToken),
      h('input', { type: 'hidden', name: 'action', value: action }),
      h('input', { type: 'hidden', name: 'binding', value: state.name }),
      h('p', null, help),
      h('button', { type: 'submit', class: 'quiet' }, text),
    );
  if (state.revoked !== undefined)
    return mayRestore
      ? [
          button(
            'restore',
            'Give access again',
            state.dialect === 'klutch'
              ? 'Your cluster gets a new credential. Bring it there by kubectl bind.'
              : 'Your cluster gets a new credential. Bring it there with another bundle.',
          ),
        ]
      : [h('p', null, 'The provider revoked it. Ask the administrator of the provider.')];
  return [
    button(
      'replace',
      'Replace it',
      'Your cluster gets a new credential, and the konnector switches to it by itself. The old one stays valid for at least an hour.',
    ),
    button(
      'revoke',
      'Revoke it',
      'All bindings of this cluster lose their access at once. What was synced stays on both sides.',
    ),
  ];
}

function anotherBundle({ dialect, template, name }: BindingState): ComponentChildren {
  if (dialect === 'klutch')
    return h(
      'p',
      null,
      'To bring the credential to your cluster again, run ',
      h('code', null, 'kubectl bind'),
      ' again.',
    );
  if (template === undefined) return null;
  const path = `/templates/${encodeURIComponent(template)}`;
  return h(
    'p',
    null,
    'To get another bundle, ',
    h('a', { href: path }, `bind ${template} again`),
    ' for the same cluster, with the name ',
    h('code', null, name),
    '.',
  );
}

function unbinding({ dialect, name, copies }: BindingState): readonly ComponentChildren[] {
  const deleted = ' on the binding, Hawser deletes the copies at the provider with their data';
  // A cluster can have bindings of both.
  const kind = dialect === 'klutch' ? `apiservicebindings.${klutchDialect.apiGroup}` : 'apiservicebinding';
  return [
    h('p', null, 'Unbind in your cluster:'),
    h('pre', { tabIndex: 0 }, `kubectl delete ${kind} ${name}`),
    h(
      'ul',
      null,
      h('li', null, `By default nothing is deleted. The provider keeps ${countOf(copies)}.`),
      h(
        'li',
        null,
        'With the annotation ',
        h('code', null, 'hawser.dev/unbind-policy: Delete'),
        `${deleted}: ${countOf(copies)}.`,
      ),
      h('li', null, 'With ', h('code', null, 'Block'), ', unbinding waits until you have deleted your objects.'),
    ),
  ];
}

/** The page's script. Without it, the page shows the state at its load. */
export const progressScript = `const place = document.getElementById('progress');
const source = new EventSource(location.pathname + '/events');
source.addEventListener('message', (event) => { place.innerHTML = JSON.parse(event.data); });
source.addEventListener('end', () => source.close());
`;
