import type { KubeObject } from '@hawser/client';
import { annotations, type Binding, connectionOf, finalizers } from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import { equal } from '@hawser/json';
import type { Router } from '@hawser/konnector-sync';
import { isOf, moveRouteOf, routeOf, type Server } from './object-route.js';
import { assign, type Rule, rulesFor, rulesOf } from './routes.js';

/** What is known of bindings and CRDs. */
export interface RoutingTables {
  readonly bindings: () => readonly Binding[];
  readonly crd: (name: string) => CustomResourceDefinition | undefined;
}

interface KnownRules {
  /** From which they were made. */
  readonly bindings: readonly Binding[];
  readonly rules: readonly Rule[];
  /** How often they were made. */
  readonly edition: number;
}

/** Whom the objects of each API belong to, by what the caches say at the time. */
export class Routes {
  readonly #tables: RoutingTables;
  readonly #known = new Map<string, KnownRules>();

  constructor(tables: RoutingTables) {
    this.#tables = tables;
  }

  /** For the sync of one API of a binding. */
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

  /** Whether an object belongs to the binding; `leaving`: which lists the API no more. */
  serves(key: string, api: string, object: Pick<KubeObject, 'metadata'>, leaving: boolean): boolean {
    const rules = leaving ? rulesOf(api, this.#tables.bindings(), key) : this.#rules(api).rules;
    const assignment = assign(object, rules, this.#installedBy(api));
    return (assignment.kind === 'served' || assignment.kind === 'kept') && assignment.rule.key === key;
  }

  /** Whether a binding that is being deleted has a copy of an object that another one serves, because it moves from or to there. */
  isMoving(key: string, api: string, object: Pick<KubeObject, 'metadata'>): boolean {
    const { rules } = this.#rules(api);
    const own = rules.find((rule) => rule.key === key);
    const assignment = assign(object, rules, this.#installedBy(api));
    return own !== undefined && moveRouteOf(object, assignment, rules, own) !== undefined;
  }

  /** The same text as long as every object of the API belongs to the same rule. */
  version(api: string): string {
    return `${this.#rules(api).edition} ${this.#installedBy(api) ?? ''}`;
  }

  #installedBy(api: string): string | undefined {
    const crd = this.#tables.crd(api);
    return crd === undefined ? undefined : connectionOf(crd);
  }

  /** Asked for each object: made anew only when a binding has changed by more than its status. */
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

/** Whether two states of a binding make the same rules: they differ by status, or by what is not asked for. By content: after a restore a generation may come back with another one. */
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
