import { type ComponentChildren, h } from 'preact';
import type { BindingObjects } from '../operators/object-way.js';
import { objectPath } from './object-page.js';
import { timeOf } from './binding-words.js';
import { consumerPath } from './consumers-page.js';
import { table } from './table.js';

/** Shows each object of a binding with its copy. */
export function objectsPage(
  namespace: string,
  { cluster, binding, hidden, objects, more }: BindingObjects,
): ComponentChildren {
  return [
    h('p', null, h('a', { href: consumerPath(namespace) }, `Back to ${cluster}`)),
    h('h1', null, `Objects of ${binding}`),
    h('p', { class: 'quiet-text' }, 'What each copy at the provider was made of. Nothing of what is in them is shown.'),
    hidden.length === 0
      ? null
      : h('p', { class: 'box waits' }, `You need the verb list on ${hidden.join(', ')} to see their objects.`),
    objects === undefined ? h('p', null, 'They could not be read.') : null,
    objects === undefined || objects.length === 0
      ? h('p', null, 'None.')
      : table(
          'Objects',
          ['In the cluster of the consumer', 'At the provider', 'API', 'Copied', 'State'],
          objects.map(({ resource, object, copy, uid, made, deleting, finalizers }) => [
            h('a', { href: objectPath(namespace, binding, uid) }, object ?? 'not written down'),
            h('code', null, copy),
            h('code', null, resource),
            timeOf(made),
            deleting === undefined
              ? 'there'
              : [
                  'is being deleted since ',
                  timeOf(deleting),
                  finalizers.length === 0
                    ? null
                    : h('p', { class: 'quiet-text' }, `Waits for ${finalizers.join(', ')}.`),
                ],
          ]),
        ),
    more ? h('p', { class: 'quiet-text' }, 'There are more.') : null,
    h(
      'p',
      null,
      'Why an object is not in step: run ',
      h('code', null, 'hawser why'),
      ' in the cluster of the consumer.',
    ),
  ];
}
