import type { KubeObject } from '@hawser/client';
import { annotations, type Binding, connectionOf } from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import type { Router } from '@hawser/konnector-sync';
import { moveRouteOf, routeOf, type Server } from './object-route.js';
import { assign, type Rule, rulesFor, rulesOf } from './routes.js';

/** What is known of bindings and CRDs. */
export interface RoutingTables {
  readonly bindings: () => readonly Binding[];
  readonly crd: (name: string) => CustomResourceDefinition | undefined;
}

/** Whom the objects of each API belong to, by what the caches say at the time. */
export class Routes {
  readonly #tables: RoutingTables;
  readonly #known = new Map<string, { readonly bindings: readonly Binding[]; readonly rules: readonly Rule[] }>();

  constructor(tables: RoutingTables) {
    this.#tables = tables;
  }

  /** For the sync of one API of a binding. */
  router(server: Server, api: string): Router {
    const isOwn = ({ key, connection }: Rule): boolean => key === server.key && connection === server.connection;
    return {
      of: (object) => {
        const rules = this.#rules(api);
        return routeOf(object, assign(object, rules, this.#installedBy(api)), rules, server);
      },
      seesToOrphan: ({ namespace }) => {
        const rules = this.#rules(api);
        const own = rules.find(isOwn);
        return (
          own !== undefined && rulesFor(rules, namespace).find((rule) => rule.connection === own.connection) === own
        );
      },
    };
  }

  /** Whether an object belongs to the binding; `leaving`: which lists the API no more. */
  serves(key: string, api: string, object: Pick<KubeObject, 'metadata'>, leaving: boolean): boolean {
    const rules = leaving ? rulesOf(api, this.#tables.bindings(), key) : this.#rules(api);
    const assignment = assign(object, rules, this.#installedBy(api));
    return (assignment.kind === 'served' || assignment.kind === 'kept') && assignment.rule.key === key;
  }

  /** Whether a binding that is being deleted has a copy of an object that another one serves, because it moves from or to there. */
  isMoving(key: string, api: string, object: Pick<KubeObject, 'metadata'>): boolean {
    const rules = this.#rules(api);
    const own = rules.find((rule) => rule.key === key);
    const assignment = assign(object, rules, this.#installedBy(api));
    return own !== undefined && moveRouteOf(object, assignment, rules, own) !== undefined;
  }

  /** The same text as long as every object of the API belongs to the same rule. */
  version(api: string): string {
    const rules = this.#rules(api).map((rule) => ({ ...rule, selector: undefined, title: undefined }));
    const selectors = this.#tables
      .bindings()
      .map(({ metadata }) => [metadata.name, metadata.namespace, metadata.annotations?.[annotations.objectSelector]]);
    return JSON.stringify([this.#installedBy(api), rules, selectors]);
  }

  #installedBy(api: string): string | undefined {
    const crd = this.#tables.crd(api);
    return crd === undefined ? undefined : connectionOf(crd);
  }

  #rules(api: string): readonly Rule[] {
    const bindings = this.#tables.bindings();
    const known = this.#known.get(api);
    const isSame =
      known?.bindings.length === bindings.length &&
      known.bindings.every((binding, index) => binding === bindings[index]);
    if (known !== undefined && isSame) return known.rules;
    const rules = rulesOf(api, bindings);
    this.#known.set(api, { bindings, rules });
    return rules;
  }
}
