import { createEfforts, type Setup } from '@hawser/controller';
import type { APIServiceExport } from '@hawser/kube-bind';
import type { Assessor } from './assessor.js';
import type { Check, ObservedExport, ObservedResource } from './decide.js';
import { type PropagationCaches, resourcesOf } from './propagation-caches.js';
import type { RolloutTurns } from './rollout-turns.js';
import type { StoredObjects } from './stored-objects.js';
import type { WaitingExports } from './waiting-exports.js';

export interface ObserverParts extends Pick<Setup<'provider'>, 'clock' | 'random'> {
  readonly caches: PropagationCaches;
  readonly assessor: Assessor;
  readonly turns: RolloutTurns;
  readonly stored: StoredObjects;
  readonly waiting: WaitingExports;
  readonly recheckMs: number;
}

/** Observations of one run so far. */
export interface Seen extends ObservedExport {
  /** Collects resources whose write failed, for the rest of the run. */
  readonly failed: Set<string>;
}

/**
 * Collects the inputs of decisions. Reading stored objects takes long, and people, CRDs and other consumers change
 * things meanwhile. So everything else is read after that, in the last look.
 */
export class Observer {
  readonly #parts: ObserverParts;
  /** Reads whose CRD changed meanwhile. */
  readonly #outdated;

  constructor(parts: ObserverParts) {
    this.#parts = parts;
    this.#outdated = createEfforts(parts.clock, parts.random);
  }

  async observe(key: string, signal: AbortSignal, before: Seen | undefined): Promise<Seen> {
    const { caches, clock, random, recheckMs, stored } = this.#parts;
    const found = caches.lasting(key);
    if (found === undefined) stored.forget(key);
    const failed = before?.failed ?? new Set<string>();
    const checks = new Map<string, Check>();
    for (const resource of found === undefined ? [] : new Set(resourcesOf(found))) {
      if (failed.has(resource)) continue;
      const check = await this.#check(key, resource, signal);
      if (check === undefined) continue;
      checks.set(resource, check);
      // That schema flows before anything else is read.
      if (check.verdict.kind === 'fits') break;
    }
    const recheckInMs = recheckMs * (1 - 0.2 * random());
    return { key, checks, failed, export: undefined, resources: [], now: clock.now(), recheckInMs };
  }

  lastLook(observed: Seen): Seen {
    const { caches, waiting } = this.#parts;
    const { key, checks } = observed;
    const found = caches.lasting(key);
    // It waits anew if it must.
    waiting.forget(key);
    if (found === undefined) return observed;
    const resources = [...new Set(resourcesOf(found))].flatMap((one) => this.#resource(found, key, one) ?? []);
    for (const [resource, { hash }] of checks) {
      const assessment = resources.find((one) => one.resource === resource)?.assessment;
      if (assessment?.kind !== 'candidate' || assessment.wanted.hash !== hash)
        this.#outdated.done(readOf(key, resource));
    }
    return { ...observed, export: found, resources: resources.map((one) => this.#paced(key, one)) };
  }

  /** Checks the stored objects against a schema that would flow otherwise. Undefined: there is none. */
  async #check(key: string, resource: string, signal: AbortSignal): Promise<Check | undefined> {
    const { caches, stored } = this.#parts;
    const found = caches.lasting(key);
    const seen = found === undefined ? undefined : this.#resource(found, key, resource);
    const crd = caches.crds.get({ name: resource });
    if (found === undefined || seen?.assessment.kind !== 'candidate' || crd === undefined) return undefined;
    // Do not read before its turn: that is the costlier part.
    if (!seen.assessment.check || seen.turn !== undefined || this.#outdated.waits(readOf(key, resource)) > 0)
      return undefined;
    const { hash } = seen.assessment.wanted;
    const clusterNamespace = found.metadata.namespace ?? '';
    const namespaces = caches.copyNamespacesOf(found);
    return { hash, verdict: await stored.check({ consumer: key, clusterNamespace, namespaces, crd, hash }, signal) };
  }

  #paced(key: string, one: Omit<ObservedResource, 'unreadMs'>): ObservedResource {
    return { ...one, unreadMs: this.#outdated.waits(readOf(key, one.resource)) };
  }

  #resource(found: APIServiceExport, key: string, resource: string): Omit<ObservedResource, 'unreadMs'> | undefined {
    const { assessor, caches, turns } = this.#parts;
    const boundSchema = caches.schemaOf(found, resource);
    // The request controller creates it.
    if (boundSchema === undefined) return undefined;
    const assessment = assessor.assess(found, boundSchema);
    const turn =
      assessment.kind === 'candidate' ? turns.holdOf(found, key, resource, assessment.wanted.hash) : undefined;
    return { resource, boundSchema, assessment, turn };
  }
}

const readOf = (key: string, resource: string): string => `${key} ${resource}`;
