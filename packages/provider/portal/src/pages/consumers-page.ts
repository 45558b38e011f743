import { type ComponentChildren, h } from 'preact';
import type { ConsumerState, OpenChange } from '@hawser/consumer-states';
import type { Overview } from '../operators/operators.js';
import { badge, timeOf } from './binding-words.js';
import { formTokenField } from './layout.js';
import { providerFacts, skewWords, versionText } from './provider-facts.js';
import { table } from './table.js';

/** Path of one consumer's page for operators. */
export function consumerPath(namespace: string): string {
  return `/consumers/${encodeURIComponent(namespace)}`;
}

/** Shows all consumers, the worst first, and pending decisions of operators. */
export function consumersPage({ provider, consumers: states }: Overview, formToken: string): ComponentChildren {
  const waiting = states.filter(({ approvals }) => approvals.length > 0);
  const held = states.reduce((sum, { heldSchemas }) => sum + heldSchemas.length, 0);
  return [
    h('h1', null, 'Consumers'),
    h('p', { class: 'quiet-text' }, summaryOf(states)),
    providerFacts(provider, states),
    waiting.length === 0 ? null : [h('h2', null, 'Pending approvals'), approvals(waiting, formToken)],
    held === 0
      ? null
      : h(
          'p',
          { class: 'box waits' },
          h(
            'a',
            { href: '/schemas' },
            held === 1 ? '1 export has a schema that is held.' : `${held} exports have a schema that is held.`,
          ),
        ),
    h('h2', null, 'All, the worst first'),
    states.length === 0 ? h('p', null, 'There are none yet.') : table('All consumers', HEADS, states.map(consumerRow)),
  ];
}

const HEADS = ['Consumer', 'State', 'Oldest open change', 'Last contact', 'Konnector', 'Bindings'] as const;

function openText(change: OpenChange | undefined): ComponentChildren {
  if (change === undefined) return 'none';
  return [timeOf(change.since), h('p', { class: 'quiet-text' }, `${change.binding}: ${change.reason}`)];
}

function summaryOf(states: readonly ConsumerState[]): string {
  const counts = (['stopped', 'silent', 'waits', 'works', 'ended'] as const)
    .map((health) => ({ health, count: states.filter((state) => state.health === health).length }))
    .filter(({ count }) => count > 0)
    .map(({ health, count }) => `${count} ${health}`);
  return `${states.length === 1 ? '1 consumer' : `${states.length} consumers`}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}.`;
}

function consumerRow(state: ConsumerState): readonly ComponentChildren[] {
  const { namespace, cluster, owner, health, lastContact, konnectorVersion, skew, bindings, left } = state;
  const held = state.heldDeletions.length;
  return [
    [
      h('a', { href: consumerPath(namespace) }, cluster.prettyName),
      owner === '' ? null : h('p', { class: 'quiet-text' }, owner),
    ],
    [
      badge(health),
      held === 0 ? null : h('p', { class: 'quiet-text' }, `Deletions are held in ${counted(held, 'binding')}.`),
      left === undefined ? null : h('p', { class: 'quiet-text' }, left),
    ],
    openText(state.oldestOpen),
    timeOf(lastContact),
    [
      konnectorVersion ?? 'unknown',
      skewWords[skew] === undefined ? null : h('p', { class: 'quiet-text' }, skewWords[skew]),
    ],
    String(bindings.length),
  ];
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

function approvals(states: readonly ConsumerState[], formToken: string): ComponentChildren {
  return table(
    'Approvals',
    ['Consumer', 'Binding', 'Template', ''],
    states.flatMap(({ namespace, cluster, owner, approvals: waiting }) =>
      waiting.map(({ binding, template }) => [
        [cluster.prettyName, owner === '' ? null : h('p', { class: 'quiet-text' }, owner)],
        binding,
        template,
        h(
          'form',
          { method: 'post', action: `${consumerPath(namespace)}/approve` },
          formTokenField(formToken),
          h('input', { type: 'hidden', name: 'template', value: template }),
          h('button', { type: 'submit', 'aria-label': `Approve ${template} for ${cluster.prettyName}` }, 'Approve'),
        ),
      ]),
    ),
  );
}

function changeText({ binding, since, reason, message }: OpenChange): ComponentChildren {
  return [
    `${binding}: ${reason}, since `,
    timeOf(since),
    message === undefined ? null : h('p', { class: 'quiet-text' }, message),
  ];
}

/** Shows one consumer to operators. */
export function consumerPage(state: ConsumerState): ComponentChildren {
  const { dialect, namespace, cluster, owner, health, lastContact, bindings, left, oldestOpen, heldDeletions } = state;
  return [
    h('p', null, h('a', { href: '/consumers' }, 'Back to all consumers')),
    h('h1', null, cluster.prettyName),
    h('p', null, badge(health)),
    table('Facts', undefined, [
      ['Cluster', h('code', null, cluster.identity)],
      ['Namespace', h('code', null, namespace)],
      ...(dialect === 'klutch' ? [['Speaks', 'Klutch']] : []),
      ['Owner', owner === '' ? 'none: an operator onboarded it' : owner],
      ['Last contact', timeOf(lastContact)],
      ['Konnector', versionText(state)],
      ['Oldest open change', oldestOpen === undefined ? 'none' : changeText(oldestOpen)],
      ...heldDeletions.map((change) => ['Deletions held', changeText(change)]),
      ...(left === undefined ? [] : [['Left over', left]]),
    ]),
    h('h2', null, 'Bindings'),
    bindings.length === 0
      ? h('p', null, 'None.')
      : table(
          'Bindings',
          ['Binding', 'State', 'APIs', 'What is waited for'],
          bindings.map((binding) => {
            const next = binding.steps.find((step) => step.state === 'stopped' || step.state === 'current');
            return [
              h('a', { href: `${consumerPath(namespace)}/${encodeURIComponent(binding.name)}` }, binding.name),
              badge(binding.health),
              h('code', null, binding.resources.join(', ')),
              next === undefined
                ? ''
                : [next.title, next.message === undefined ? null : h('p', { class: 'quiet-text' }, next.message)],
            ];
          }),
        ),
    h('p', null, 'In the cluster of the consumer, ', h('code', null, 'hawser why --all'), ' explains each object.'),
  ];
}
