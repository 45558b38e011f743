import { type ComponentChildren, h } from 'preact';
import type { BindingState } from '@hawser/consumer-states';
import { badge, timeOf } from './binding-words.js';
import { table } from './table.js';

/** Path of one binding's page. */
export function bindingPath({ namespace, name }: Pick<BindingState, 'namespace' | 'name'>): string {
  return `/bindings/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

/** Shows all bindings of a person, by cluster. */
export function bindingsPage(states: readonly BindingState[]): ComponentChildren {
  const clusters = new Map<string, BindingState[]>();
  for (const state of states) clusters.set(state.namespace, [...(clusters.get(state.namespace) ?? []), state]);
  return [
    h('h1', null, 'My bindings'),
    states.length === 0
      ? h('p', null, 'You have bound nothing yet. ', h('a', { href: '/' }, 'See what you can bind.'))
      : null,
    ...[...clusters.values()].map(clusterSection),
  ];
}

function clusterSection(states: readonly BindingState[]): ComponentChildren {
  const [first] = states;
  if (first === undefined) return null;
  const { dialect, cluster, lastContact, credentialExpires } = first;
  return h(
    'section',
    null,
    h('h2', null, cluster.prettyName),
    h(
      'p',
      { class: 'quiet-text' },
      cluster.prettyName === cluster.identity ? null : [h('code', null, cluster.identity), ' · '],
      dialect === 'klutch' ? 'Klutch · ' : null,
      'last contact ',
      timeOf(lastContact),
      credentialExpires === undefined || credentialExpires === 'never'
        ? null
        : [' · credential until ', timeOf(credentialExpires)],
    ),
    table(`Bindings of ${cluster.prettyName}`, ['Binding', 'State', 'APIs'], states.map(bindingRow)),
  );
}

function bindingRow(state: BindingState): readonly ComponentChildren[] {
  const next = state.steps.find((step) => step.state === 'stopped' || step.state === 'current');
  const note = state.health === 'works' ? undefined : (next?.message ?? next?.title);
  return [
    h('a', { href: bindingPath(state) }, state.name),
    [badge(state.health), note === undefined ? null : h('p', { class: 'quiet-text' }, note)],
    h('code', null, state.resources.join(', ')),
  ];
}
