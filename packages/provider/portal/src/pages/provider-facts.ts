import { type ComponentChildren, h } from 'preact';
import type { ConsumerState, VersionSkew } from '@hawser/consumer-states';
import type { LeaderState } from '../operators/leader.js';
import type { Overview } from '../operators/operators.js';
import { timeOf } from './binding-words.js';
import { table } from './table.js';

/** Name of a version that differs from the provider's. */
export const skewWords: Readonly<Record<VersionSkew, string | undefined>> = {
  none: undefined,
  older: 'older than the provider',
  newer: 'newer than the provider',
  unknown: undefined,
};

const leaderWords: Readonly<Record<LeaderState['state'], string>> = {
  leads: 'leads',
  stale: 'has not renewed its Lease in time: no process may be at work',
  none: 'no process leads: requests wait until one does',
  unknown: 'unknown: the portal may not read the Lease',
};

/** Shows the provider itself, and totals over all its consumers. */
export function providerFacts(
  { version, leader }: Overview['provider'],
  states: readonly ConsumerState[],
): ComponentChildren {
  return table('Provider', undefined, [
    ['Provider', version],
    ['Leader', leader === undefined ? 'the provider role works without a Lease' : leaderText(leader)],
    ['Konnectors', versionsText(states)],
    ['Deletions held', countText(states, ({ heldDeletions }) => heldDeletions.length > 0)],
    ['Copies left of ended exports', countText(states, ({ left }) => left !== undefined)],
  ]);
}

function leaderText({ state, identity, renewed, transitions }: LeaderState): ComponentChildren {
  if (identity === undefined) return leaderWords[state];
  return [
    h('code', null, identity),
    ` ${leaderWords[state]}`,
    h('p', { class: 'quiet-text' }, 'renewed ', timeOf(renewed), `, changed hands ${transitions ?? 0} times`),
  ];
}

/** Further versions are counted together: consumers report arbitrary ones. */
const MOST_VERSIONS = 8;

function versionsText(states: readonly ConsumerState[]): string {
  if (states.length === 0) return 'none';
  const counts = [...Map.groupBy(states, versionText)]
    .map(([text, some]) => [text, some.length] as const)
    .sort(([, a], [, b]) => b - a);
  const shown = counts.slice(0, MOST_VERSIONS).map(([text, count]) => `${count} with ${text}`);
  const more = counts.slice(MOST_VERSIONS).reduce((sum, [, count]) => sum + count, 0);
  return [...shown, ...(more === 0 ? [] : [`${more} with others`])].join(', ');
}

/** Version of a consumer's konnector. */
export function versionText({ konnectorVersion, skew }: ConsumerState): string {
  const word = skewWords[skew];
  return `${konnectorVersion ?? 'unknown version'}${word === undefined ? '' : ` (${word})`}`;
}

function countText(states: readonly ConsumerState[], counts: (state: ConsumerState) => boolean): string {
  const count = states.filter(counts).length;
  if (count === 0) return 'none';
  return count === 1 ? 'of 1 consumer' : `of ${count} consumers`;
}
