import { createHash } from 'node:crypto';

/** The steps in which a schema reaches consumers. The last step covers all of them. */
export type Rollout =
  | { readonly kind: 'shares'; readonly percentages: readonly number[] }
  /** Selects consumers by labels of their ClusterBinding; unmatched ones come last. */
  | { readonly kind: 'selectors'; readonly selectors: readonly Selector[] };

/** `key=value` or `key`; all terms must match. */
type Selector = readonly { readonly key: string; readonly value: string | undefined }[];

/** One consumer that will get a schema. */
export interface Member {
  /** `<namespace>/<export>` */
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  /**
   * `waiting`: it has the old schema. The others have the new one: without a report, served by the consumer, or refused
   * by it.
   */
  readonly state: 'waiting' | 'unproven' | 'proven' | 'failed';
}

/** Whether one consumer may have the schema now. */
export type Turn =
  | { readonly kind: 'now' }
  /** Number of consumers of earlier steps that have not proven that they can serve it. */
  | { readonly kind: 'later'; readonly step: number; readonly steps: number; readonly missing: number }
  | { readonly kind: 'stopped'; readonly failed: number };

/**
 * Parses annotation `hawser.dev/schema-rollout`: `10%,50%,100%`, or selectors with semicolons between the steps:
 * `tier=canary; tier=gold,region=eu`. Undefined: empty. An invalid value means steps of 10 %, 50 % and the rest: its
 * author wanted to be careful.
 */
export function parseRollout(text: string | undefined): Rollout | undefined {
  const value = text?.trim() ?? '';
  if (value === '') return undefined;
  const parts = value.split(',').map((part) => part.trim());
  if (parts.every((part) => /^\d{1,3}(?:\.\d+)?%$/u.test(part)))
    return { kind: 'shares', percentages: parts.map((part) => Math.min(100, Number(part.slice(0, -1)))) };
  const selectors = value
    .split(';')
    .filter((step) => step.trim() !== '')
    .map((step) =>
      step
        .split(',')
        .map((part) => /^\s*(?<key>[A-Za-z0-9._/-]+)\s*(?:==?\s*(?<value>[A-Za-z0-9._-]*))?\s*$/u.exec(part)?.groups),
    );
  if (selectors.length === 0 || selectors.some((selector) => selector.includes(undefined)))
    return { kind: 'shares', percentages: [10, 50] };
  return {
    kind: 'selectors',
    selectors: selectors.map((selector) =>
      selector.flatMap((groups) =>
        groups === undefined ? [] : [{ key: groups['key'] ?? '', value: groups['value'] }],
      ),
    ),
  };
}

/**
 * Whether it is the turn of the consumer `key` among `members`. Pure; the order of shares is the same for every schema
 * and every process.
 */
export function turnOf(rollout: Rollout, members: readonly Member[], key: string): Turn {
  const failed = members.filter(({ state }) => state === 'failed').length;
  if (failed > 0) return { kind: 'stopped', failed };
  const steps = stepsOf(rollout, members);
  const own = steps.findIndex((step) => step.some((member) => member.key === key));
  // A non-member waits for all others.
  const at = own === -1 ? steps.length - 1 : own;
  const missing = steps
    .slice(0, at)
    .flat()
    .filter(({ state }) => state !== 'proven').length;
  return missing === 0 ? { kind: 'now' } : { kind: 'later', step: at + 1, steps: steps.length, missing };
}

function stepsOf(rollout: Rollout, members: readonly Member[]): readonly (readonly Member[])[] {
  switch (rollout.kind) {
    case 'shares': {
      const ordered = members
        .map((member) => ({ member, rank: createHash('sha256').update(member.key).digest('hex') }))
        .sort((a, b) => (a.rank < b.rank ? -1 : 1))
        .map(({ member }) => member);
      const ends = [...rollout.percentages, 100].map((percentage) => Math.ceil((percentage / 100) * ordered.length));
      const unique = [...new Set(ends)].sort((a, b) => a - b).filter((end) => end > 0);
      return unique.map((end, index) => ordered.slice(unique[index - 1] ?? 0, end));
    }
    case 'selectors': {
      const steps = Array.from({ length: rollout.selectors.length + 1 }, (): Member[] => []);
      for (const member of members) {
        const found = rollout.selectors.findIndex((selector) =>
          selector.every(({ key, value }) =>
            value === undefined ? Object.hasOwn(member.labels, key) : member.labels[key] === value,
          ),
        );
        steps[found === -1 ? rollout.selectors.length : found]?.push(member);
      }
      return steps;
    }
  }
}
