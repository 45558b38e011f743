import { type ComponentChildren, h } from 'preact';
import type { ShownEvent } from '../operators/object-events.js';
import type { ObjectStory } from '../operators/object-way.js';
import { timeOf } from './binding-words.js';
import { consumerPath } from './consumers-page.js';
import { table } from './table.js';

/** Path of one consumer object's page for operators. `uid`: of its copy. */
export function objectPath(namespace: string, binding: string, uid: string): string {
  return `${consumerPath(namespace)}/${encodeURIComponent(binding)}/${encodeURIComponent(uid)}`;
}

/** Shows one object: at the consumer, its copy, and the reports of both sides. */
export function objectPage(
  namespace: string,
  { cluster, binding, way, ofCopy, ofBinding, conditions }: ObjectStory,
): ComponentChildren {
  const { object, copy, resource, made, deleting, finalizers } = way;
  return [
    h(
      'p',
      null,
      h(
        'a',
        { href: `${consumerPath(namespace)}/${encodeURIComponent(binding)}` },
        `Back to the objects of ${binding}`,
      ),
    ),
    h('h1', null, object ?? copy),
    table('Way', undefined, [
      [`In ${cluster}`, object === undefined ? 'The konnector has not written it down.' : h('code', null, object)],
      ['At the provider', h('code', null, copy)],
      ['API', h('code', null, resource)],
      ['Copied', timeOf(made)],
      ...(deleting === undefined ? [] : [['Is being deleted since', timeOf(deleting)]]),
      ...(finalizers.length === 0 ? [] : [['Its deletion waits for', finalizers.join(', ')]]),
    ]),
    h('h2', null, 'Events of the copy'),
    events('Events of the copy', ofCopy),
    h('h2', null, 'Events of the binding'),
    events('Events of the binding', ofBinding),
    h('h2', null, 'What konnector and provider report of the binding'),
    conditions.length === 0
      ? h('p', null, 'Nothing yet.')
      : table(
          'Conditions',
          ['Condition', 'Status', 'Since', 'Reason'],
          conditions.map(({ type, status, since, reason, message }) => [
            type,
            status,
            timeOf(since),
            [reason, message === '' ? null : h('p', { class: 'quiet-text' }, message)],
          ]),
        ),
    h(
      'p',
      { class: 'quiet-text' },
      'Events in the cluster of the consumer stay there. Run ',
      h('code', null, 'hawser why'),
      ' in that cluster to see them.',
    ),
  ];
}

function events(label: string, found: ObjectStory['ofCopy']): ComponentChildren {
  switch (found.kind) {
    case 'hidden':
      return h(
        'p',
        { class: 'box waits' },
        `You need the verb list on events in namespace ${found.namespace} to see them.`,
      );
    case 'unread':
      return h(
        'p',
        { class: 'box waits' },
        'The portal may not list Events. Give its ServiceAccount the verb list on events.',
      );
    case 'told':
      return found.events.length === 0
        ? h('p', null, 'None. The API server forgets Events after an hour, unless it is told otherwise.')
        : table(label, ['When', 'Type', 'About', 'Reason', 'Times', 'From'], found.events.map(eventRow));
  }
}

function eventRow({ at, type, reason, message, from, count, about }: ShownEvent): readonly ComponentChildren[] {
  return [
    timeOf(at),
    type,
    about,
    [reason, h('p', { class: 'quiet-text' }, message)],
    String(count),
    from === '' ? 'unknown' : from,
  ];
}
