import type { KubeObject } from '@hawser/client';
import { annotations, type Binding, connectionOf, finalizers } from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import { equal } from '@hawser/json';
import type { Router } from '@hawser/konnector-sync';
import { isOf, moveRouteOf, routeOf, type Server } from './object-route.js';
import { assign, type Rule, rulesFor, rulesOf } from './routes.js';

/** The known bindings and CRDs. */
export interface RoutingTables {
  readonly bindings: () => readonly Binding[];
  readonly crd: (name: string) => CustomResourceDefinition | undefined;
}

interface KnownRules {
  /** The bindings that the rules were made from. */
  readonly bindings: readonly Binding[];
  readonly rules: readonly Rule[];
  /** How often the rules were made. */
  readonly edition: number;
}

/** The owner of each API's objects, by the caches at that time. */
export class Routes {
  readonly #tables: RoutingTables;
  readonly #known = new Map<string, KnownRules>();

  constructor(tables: RoutingTables) {
    this.#tables = tables;
  }

  /** The router for the sync of one API of a binding. */
  router(server: Server, api: string): Router {
    return {
      of: (object) => {
        const { rules } = this.#rules(api);
        return routeOf(object, assign(object, rules, this.#installedBy(api)), rules, server);
      },
      seesToOrphan: ({ namespace }) => {
        const { rules } = this.#rules(api);
        const own = rules.find((rule) => isOf(rule, server));
        return (
          own !== undefined && rulesFor(rules, namespace).find((rule) => rule.connection === own.connection) === own
        );
      },
    };
  }

  /** Whether an object belongs to the binding; `leaving`: the binding no longer lists the API. */
  serves(key: string, api: string, object: Pick<KubeObject, 'metadata'>, leaving: boolean): boolean {
    const rules = leaving ? rulesOf(api, this.#tables.bindings(), key) : this.#rules(api).rules;
    const assignment = assign(object, rules, this.#installedBy(api));
    return (assignment.kind === 'served' || assignment.kind === 'kept') && assignment.rule.key === key;
  }

  /**
   * Whether a terminating binding has a copy of an object that another one serves, because the object moves from or to
   * there.
   */
  isMoving(key: string, api: string, object: Pick<KubeObject, 'metadata'>): boolean {
    const { rules } = this.#rules(api);
    const own = rules.find((rule) => rule.key === key);
    const assignment = assign(object, rules, this.#installedBy(api));
    return own !== undefined && moveRouteOf(object, assignment, rules, own) !== undefined;
  }

  /** Stays the same text as long as every object of the API belongs to the same rule. */
  version(api: string): string {
    return `${this.#rules(api).edition} ${this.#installedBy(api) ?? ''}`;
  }

  #installedBy(api: string): string | undefined {
    const crd = this.#tables.crd(api);
    return crd === undefined ? undefined : connectionOf(crd);
  }

  /** Called for each object. Makes the rules anew only if a binding has changed beyond its status. */
  #rules(api: string): KnownRules {
    const bindings = this.#tables.bindings();
    const known = this.#known.get(api);
    const isSame =
      known?.bindings.length === bindings.length &&
      known.bindings.every((binding, index) => makesTheSameRules(binding, bindings[index]));
    const now =
      known !== undefined && isSame
        ? { ...known, bindings }
        : { bindings, rules: rulesOf(api, bindings), edition: (known?.edition ?? 0) + 1 };
    this.#known.set(api, now);
    return now;
  }
}

/**
 * Whether two states of a binding make the same rules: they differ only in status, or in unused fields. Compares
 * contents: a restore can reuse a generation for another content.
 */
function makesTheSameRules(a: Binding, b: Binding | undefined): boolean {
  return (
    a === b ||
    (b !== undefined &&
      a.metadata.uid === b.metadata.uid &&
      a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
      a.metadata.annotations?.[annotations.objectSelector] === b.metadata.annotations?.[annotations.objectSelector] &&
      hasToLetGo(a) === hasToLetGo(b) &&
      equal(a.spec, b.spec))
  );
}

function hasToLetGo({ metadata }: Binding): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizers.cleanup) === true;
}
