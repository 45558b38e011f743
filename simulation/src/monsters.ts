import { StatusError } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { type Names, namespaces } from './names.js';
import type { SimCluster } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

/**
 * `deep`: nested far deeper than a recursive program can walk. `grows-deep`: becomes deep once it has a copy. `large`:
 * as long as a page of others.
 */
export const monsterKinds = ['deep', 'grows-deep', 'large'] as const;
export type MonsterKind = (typeof monsterKinds)[number];

export interface Monster {
  readonly name: string;
  readonly binding: number;
  readonly kind: MonsterKind;
}

export interface MonstersParts {
  readonly time: VirtualTime;
  readonly names: Names;
  readonly consumer: () => SimCluster;
  /** Whether its API exists, and no person is about to unbind it. */
  readonly usable: (binding: number) => boolean;
}

const TRY_AGAIN_MS = 1_000;
const GROWS_AFTER_MS = 20_000;
const LEVELS = 3_000;
const LARGE = 300_000;
/** Placeholder for the nested part in the server's store. */
const DEEP = 'nested-deeply';
const NESTED = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;

/** An answer in its form on the network: the embedded server accepts no nesting as deep as a real one does. */
export function asSent(text: string): string {
  return text.includes(`"${DEEP}"`) ? text.replaceAll(`"${DEEP}"`, NESTED) : text;
}

/**
 * Difficult objects of users. Whatever happens to them, others are synced, and they go when their users delete them.
 */
export class Monsters {
  readonly #parts: MonstersParts;
  /** Objects that users have deleted. */
  readonly #unwanted = new Map<string, Monster>();

  constructor(parts: MonstersParts) {
    this.#parts = parts;
  }

  make(monster: Monster): boolean {
    const { time, usable } = this.#parts;
    const { kind, name, binding } = monster;
    if (!usable(binding)) return false;
    const { group, kind: objectKind } = this.#binding(binding);
    const note = kind === 'deep' ? DEEP : kind === 'large' ? 'x'.repeat(LARGE) : 'small';
    const isMade = this.#tries((cluster) =>
      cluster.objects.create(
        this.#resource(binding),
        { apiVersion: `${group}/v1`, kind: objectKind, metadata: { name, namespace: namespaces[0] }, spec: { note } },
        { fieldManager: 'user' },
      ),
    );
    // Compares an existing one with itself, once more under another label.
    if (isMade)
      time.setTimeout(() => {
        this.#change(monster);
      }, GROWS_AFTER_MS);
    return isMade;
  }

  remove(monster: Monster): void {
    this.#unwanted.set(monster.name, monster);
    this.reapply();
  }

  /** Users repeat the deletion until it succeeds, also for objects restored from a backup. */
  reapply(): void {
    for (const monster of this.#unwanted.values()) {
      const current = this.#current(monster);
      if (current !== undefined && !isTerminating(current))
        this.#tries((cluster) => cluster.objects.delete(this.#resource(monster.binding), keyOf(monster)));
    }
  }

  /** Deleted objects that still exist. */
  left(): readonly string[] {
    return [...this.#unwanted.values()]
      .filter((monster) => this.#current(monster) !== undefined)
      .map(({ name }) => name);
  }

  #change(monster: Monster): void {
    const current = this.#current(monster);
    if (current === undefined) {
      if (!this.#parts.consumer().up)
        this.#parts.time.setTimeout(() => {
          this.#change(monster);
        }, TRY_AGAIN_MS);
      return;
    }
    const { labels = {}, ...metadata } = current['metadata'] as JsonObject & { readonly labels?: JsonObject };
    const spec = monster.kind === 'grows-deep' ? { note: DEEP } : current['spec'];
    this.#tries((cluster) =>
      cluster.objects.update(
        this.#resource(monster.binding),
        { ...current, metadata: { ...metadata, labels: { ...labels, changed: 'yes' } }, spec: spec ?? {} },
        { fieldManager: 'user' },
      ),
    );
  }

  #current(monster: Monster): JsonObject | undefined {
    const cluster = this.#parts.consumer();
    const resource = this.#resource(monster.binding);
    return cluster.up && cluster.serves(resource) ? cluster.objects.get(resource, keyOf(monster)) : undefined;
  }

  #resource(index: number): { readonly group: string; readonly resource: string } {
    const { group, plural } = this.#binding(index);
    return { group, resource: plural };
  }

  #binding(index: number): Names['bindings'][number] {
    const binding = this.#parts.names.bindings[index];
    if (binding === undefined) throw new Error(`there is no binding ${index}`);
    return binding;
  }

  #tries(request: (cluster: SimCluster) => unknown): boolean {
    const cluster = this.#parts.consumer();
    if (!cluster.up) return false;
    try {
      request(cluster);
      return true;
    } catch (error) {
      if (error instanceof StatusError) return false;
      throw error;
    }
  }
}

function keyOf({ name }: Monster): { readonly namespace: string; readonly name: string } {
  return { namespace: namespaces[0], name };
}

function isTerminating(object: JsonObject): boolean {
  return (object['metadata'] as { readonly deletionTimestamp?: string }).deletionTimestamp !== undefined;
}
