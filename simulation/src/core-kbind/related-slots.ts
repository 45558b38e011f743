import { namespaces } from '../names.js';
import { ACTIVATIONS, CONSUMER, SHARE } from './scenario.js';

/** One related object that a user may have. */
export interface RelatedSlot {
  readonly index: number;
  readonly resource: 'secrets' | 'configmaps';
  readonly namespace: string;
  readonly name: string;
  /** Cluster of the original, and of its copy. */
  readonly home: string;
  readonly away: string;
  /** Label that selects it; undefined: its name does. */
  readonly label: string | undefined;
  /** Index of the binding, and of its rule. Undefined: no rule covers it, and it is in no other cluster. */
  readonly activation: number | undefined;
  readonly rule: number;
}

/** Objects for the rules of {@link ACTIVATIONS}, and beside each one that no rule selects. */
export const RELATED: readonly RelatedSlot[] = ACTIVATIONS.flatMap(({ provider, namespace, rules }, activation) =>
  rules.flatMap(({ resource, direction, selector }, rule) =>
    (namespace === undefined ? namespaces : [namespace]).flatMap((where): Omit<RelatedSlot, 'index'>[] => {
      const isUp = direction === 'FromConsumer';
      const common = {
        resource,
        namespace: where,
        home: isUp ? CONSUMER : provider,
        away: isUp ? provider : CONSUMER,
        rule,
      };
      const label = selector?.labelSelector?.matchLabels?.[SHARE];
      const name = selector?.names?.[0] ?? `${label ?? ''}-${provider}`;
      return [
        { ...common, name, label, activation },
        { ...common, name: `private-${name}`, label: undefined, activation: undefined },
      ];
    }),
  ),
).map((slot, index) => ({ ...slot, index }));
