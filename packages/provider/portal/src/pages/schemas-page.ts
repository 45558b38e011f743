import { type ComponentChildren, h } from 'preact';
import type { SchemaStanding } from '@hawser/propagation';
import { describeChange } from '@hawser/schemadiff';
import { formTokenField } from './layout.js';

/** Shows held schemas with their reasons and the operator's choices. */
export function schemasPage(held: readonly SchemaStanding[], formToken: string): ComponentChildren {
  return [
    h('p', null, h('a', { href: '/consumers' }, 'Back to all consumers')),
    h('h1', null, 'Held schemas'),
    h('p', null, 'The consumer keeps its current schema. An approval lets this change through, and no newer one.'),
    held.length === 0 ? h('p', null, 'None.') : null,
    ...held.map((standing) => heldBox(standing, formToken)),
  ];
}

function heldBox(standing: SchemaStanding, formToken: string): ComponentChildren {
  const { namespace, export: name, resource, reason, message, candidate, approvable, changes } = standing;
  return h(
    'section',
    { class: 'box' },
    h('h2', null, `${name} of ${namespace}`),
    h('p', null, h('code', null, resource), reason === undefined ? null : ` · ${reason}`),
    message === undefined ? null : h('p', null, message),
    changes.length === 0
      ? null
      : h(
          'ul',
          null,
          changes.slice(0, 20).map((change) => h('li', null, describeChange(change))),
          changes.length > 20 ? h('li', null, `and ${changes.length - 20} more`) : null,
        ),
    candidate === undefined
      ? null
      : h(
          'div',
          { class: 'buttons' },
          approvable ? decision(standing, candidate, formToken, 'approve', 'Approve') : null,
          decision(standing, candidate, formToken, 'reject', 'Reject'),
        ),
  );
}

function decision(
  { dialect, namespace, export: name }: SchemaStanding,
  hash: string,
  formToken: string,
  word: 'approve' | 'reject',
  text: string,
): ComponentChildren {
  return h(
    'form',
    { method: 'post', action: '/schemas' },
    formTokenField(formToken),
    ...Object.entries({ dialect, namespace, name, hash, word }).map(([key, value]) =>
      h('input', { type: 'hidden', name: key, value }),
    ),
    h(
      'button',
      {
        type: 'submit',
        class: word === 'approve' ? undefined : 'quiet',
        'aria-label': `${text} ${name} of ${namespace}`,
      },
      text,
    ),
  );
}
