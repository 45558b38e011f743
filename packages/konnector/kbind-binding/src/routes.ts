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

/** A binding's rule: where objects of one API go. */
export interface Rule {
  readonly key: string;
  /** For messages. */
  readonly title: string;
  readonly connection: string;
  /** Undefined: all namespaces, and cluster-scoped objects. */
  readonly namespace: string | undefined;
  readonly selector: ObjectSelector;
  /** The binding is being deleted, or no longer lists the API: it gets no further objects. */
  readonly isGoing: boolean;
  /** No overlapping binding precedes it. */
  readonly isEffective: boolean;
}

/** The rule that an object belongs to. */
export type Assignment =
  /** No rule. */
  | { readonly kind: 'none' }
  | ({ readonly kind: 'served'; readonly rule: Rule } & Known)
  /** Its copy is where `rule` leads; other rules lead elsewhere, or none selects it. */
  | ({ readonly kind: 'kept'; readonly rule: Rule; readonly chosen: Rule | undefined } & Known)
  /** Its copy is at a Connection to which no rule leads. `teller`: the rule that reports this. */
  | ({
      readonly kind: 'lost';
      readonly connection: string;
      readonly reporter: Rule;
      readonly chosen: Rule | undefined;
    } & Known);

interface Known {
  /** Set if the object names no Connection, rules lead to several, and that of the CRD is taken. */
  readonly isGuess?: true;
}

/** The part of an object that routing reads. */
export type Routed = Pick<KubeObject, 'metadata'>;

/**
 * The ordered rules for an API. `leaving`: key of a binding that no longer lists it but still has objects of it. Pure.
 */
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
        isEffective: !isGoing && rivalOf(binding, api, bindings) === undefined,
      };
    });
}

/**
 * Assigns an object to a rule. Pure; every caller gets the same answer, so two syncs never serve one object.
 * A new object goes where its selecting rule leads; winning rules never overlap. An object that has, or may have, a
 * copy stays there, even if its labels or the rules change, until it is moved or released. `installedBy`: the
 * Connection of the CRD, which gets objects that name none (spec/kbind-v2.md §22).
 */
export function assign({ metadata }: Routed, rules: readonly Rule[], installedBy: string | undefined): Assignment {
  const { namespace, labels } = metadata;
  const inScope = rulesFor(rules, namespace);
  const selects = (rule: Rule): boolean => isSelectedBy(rule.selector, labels);
  const chosen = inScope.find((rule) => rule.isEffective && selects(rule));
  if (!isHeld({ metadata })) return chosen === undefined ? { kind: 'none' } : { kind: 'served', rule: chosen };
  const only = onlyConnection(rules);
  const named = metadata.annotations?.[annotations.servedBy];
  const connection = named ?? installedBy ?? only;
  if (connection === undefined) return { kind: 'none' };
  const known: Known = named === undefined && only === undefined ? { isGuess: true } : {};
  const same = inScope.filter((rule) => rule.connection === connection);
  const best =
    same.find((rule) => rule.isEffective && selects(rule)) ??
    same.find((rule) => !rule.isGoing && selects(rule)) ??
    same.find(selects) ??
    same.find((rule) => !rule.isGoing) ??
    same[0];
  if (best === undefined) {
    const reporter = chosen ?? inScope.find(({ isEffective }) => isEffective);
    return reporter === undefined ? { kind: 'none' } : { kind: 'lost', connection, reporter, chosen, ...known };
  }
  const isWhereItBelongs = best === chosen || best.isGoing || (chosen === undefined && selects(best));
  return isWhereItBelongs ? { kind: 'served', rule: best, ...known } : { kind: 'kept', rule: best, chosen, ...known };
}

/** Used if neither the objects nor the CRD name their Connection. */
function onlyConnection(rules: readonly Rule[]): string | undefined {
  const [first, ...others] = new Set(rules.map(({ connection }) => connection));
  return others.length === 0 ? first : undefined;
}

/** A terminating binding that has let go has no objects. */
function isRule(binding: Binding): boolean {
  const { deletionTimestamp, finalizers: held = [], namespace } = binding.metadata;
  if (deletionTimestamp !== undefined && !held.includes(finalizers.cleanup)) return false;
  return malformation(namespace === undefined ? 'ClusterBinding' : 'Binding', binding) === undefined;
}

/** Whether an object has, or may have, a copy. */
export function isHeld({ metadata }: Routed): boolean {
  return metadata.finalizers?.includes(finalizers.syncer) === true;
}

/** The rules whose scope includes a namespace. */
export function rulesFor(rules: readonly Rule[], namespace: string | undefined): readonly Rule[] {
  return rules.filter((rule) => rule.namespace === undefined || rule.namespace === namespace);
}
