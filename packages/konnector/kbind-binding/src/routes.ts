import { type KubeObject, objectKey } from '@hawser/client';
import {
  annotations,
  type Binding,
  finalizers,
  isSelectedBy,
  malformation,
  type ObjectSelector,
  objectSelector,
} from '@hawser/core-kbind';
import { apisOf, precedes, rivalOf, titleOf } from './coverage.js';

/** One binding, as far as it says where objects of one API go. */
export interface Rule {
  readonly key: string;
  /** For messages. */
  readonly title: string;
  readonly connection: string;
  /** Undefined: those of all namespaces, and those of none. */
  readonly namespace: string | undefined;
  readonly selector: ObjectSelector;
  /** It is being deleted, or lists the API no more: it gets no further objects. */
  readonly isGoing: boolean;
  /** No other binding that overlaps comes before it. */
  readonly hasSay: boolean;
}

/** Which rule an object belongs to. */
export type Assignment =
  /** To none. */
  | { readonly kind: 'none' }
  | { readonly kind: 'served'; readonly rule: Rule }
  /** Its copy is where this rule leads, and the rules lead elsewhere, or nowhere. */
  | { readonly kind: 'kept'; readonly rule: Rule; readonly chosen: Rule | undefined }
  /** Its copy is at a Connection to which no rule leads. `teller`: the rule that would have it. */
  | { readonly kind: 'lost'; readonly connection: string; readonly teller: Rule; readonly chosen: Rule | undefined };

/** What of an object counts here. */
export type Routed = Pick<KubeObject, 'metadata'>;

/** The rules for an API, in their order. `leaving`: the key of a binding that lists it no more, and still has objects of it. Pure. */
export function rulesOf(api: string, bindings: readonly Binding[], leaving?: string): readonly Rule[] {
  return bindings
    .filter((binding) => isRule(binding) && (apisOf(binding).includes(api) || objectKey(binding.metadata) === leaving))
    .sort((a, b) => (precedes(a, b) ? -1 : 1))
    .map((binding): Rule => {
      const { metadata, spec } = binding;
      const key = objectKey(metadata);
      const isGoing = metadata.deletionTimestamp !== undefined || key === leaving;
      return {
        key,
        title: titleOf(binding),
        connection: spec.connectionRef.name,
        namespace: metadata.namespace,
        selector: objectSelector(binding),
        isGoing,
        hasSay: !isGoing && rivalOf(binding, api, bindings) === undefined,
      };
    });
}

/**
 * Which rule an object belongs to: the same for whoever asks, so that no two serve it. A new object goes where the rule leads that selects it; the rules that have the say never meet. An object that has, or may have, a copy stays where that
 * is, whatever its labels and the rules become, until it is moved or let go. `installedBy`: the Connection of the CRD, to which objects belong that do not say theirs (spec/kbind-v2.md §22). Pure.
 */
export function assign({ metadata }: Routed, rules: readonly Rule[], installedBy: string | undefined): Assignment {
  const { namespace, labels } = metadata;
  const inScope = rulesFor(rules, namespace);
  const selects = (rule: Rule): boolean => isSelectedBy(rule.selector, labels);
  const chosen = inScope.find((rule) => rule.hasSay && selects(rule));
  if (!isHeld({ metadata })) return chosen === undefined ? { kind: 'none' } : { kind: 'served', rule: chosen };
  const connection = metadata.annotations?.[annotations.servedBy] ?? installedBy ?? onlyConnection(rules);
  if (connection === undefined) return { kind: 'none' };
  const same = inScope.filter((rule) => rule.connection === connection);
  const best =
    same.find((rule) => rule.hasSay && selects(rule)) ??
    same.find((rule) => !rule.isGoing && selects(rule)) ??
    same.find(selects) ??
    same.find((rule) => !rule.isGoing) ??
    same[0];
  if (best === undefined) {
    const teller = chosen ?? inScope.find(({ hasSay }) => hasSay);
    return teller === undefined ? { kind: 'none' } : { kind: 'lost', connection, teller, chosen };
  }
  const isWhereItBelongs = best === chosen || best.isGoing || (chosen === undefined && selects(best));
  return isWhereItBelongs ? { kind: 'served', rule: best } : { kind: 'kept', rule: best, chosen };
}

/** Where objects do not say their Connection, and the CRD does not either. */
function onlyConnection(rules: readonly Rule[]): string | undefined {
  const [first, ...others] = new Set(rules.map(({ connection }) => connection));
  return others.length === 0 ? first : undefined;
}

/** One that is on its way out and has let go has no objects. */
function isRule(binding: Binding): boolean {
  const { deletionTimestamp, finalizers: held = [], namespace } = binding.metadata;
  if (deletionTimestamp !== undefined && !held.includes(finalizers.cleanup)) return false;
  return malformation(namespace === undefined ? 'ClusterBinding' : 'Binding', binding) === undefined;
}

/** Whether an object has, or may have, a copy. */
export function isHeld({ metadata }: Routed): boolean {
  return metadata.finalizers?.includes(finalizers.syncer) === true;
}

/** Those in whose scope a namespace is. */
export function rulesFor(rules: readonly Rule[], namespace: string | undefined): readonly Rule[] {
  return rules.filter((rule) => rule.namespace === undefined || rule.namespace === namespace);
}
