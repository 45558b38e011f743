import { type Client, isForbidden, type KubeObject, listPages, objectKey } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type CustomResourceDefinition, storedResource } from '@hawser/kube-bind';

/** Copies that no export covers any more. */
export interface Left {
  readonly count: number;
  /** The first of them, for people. */
  readonly examples: readonly string[];
}

export const nothingLeft: Left = { count: 0, examples: [] };
export const mostExamples = 3;

/** Counts copies by consumer. */
export interface LeftCounts {
  /**
   * Reads unless a count is fresh; one list serves all consumers. Undefined: the resource may not be listed. Rejects
   * with the ApiError of another failure.
   */
  of(crd: CustomResourceDefinition, clusterNamespace: string, signal: AbortSignal): Promise<Left | undefined>;
  /** The count is outdated. */
  forget(crdName: string): void;
}

export interface LeftCountsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly freshMs: number;
  /** The cluster namespace of the copy's consumer. */
  readonly whose: (copy: KubeObject) => string | undefined;
}

type Counts = ReadonlyMap<string, Left> | undefined;

export function createLeftCounts({ client, clock, freshMs, whose }: LeftCountsOptions): LeftCounts {
  const known = new Map<
    string,
    { readonly uid: string | undefined; readonly at: number; readonly counts: Promise<Counts> }
  >();
  const read = async (crd: CustomResourceDefinition, signal: AbortSignal): Promise<Counts> => {
    const resource = storedResource(crd.spec);
    const counts = new Map<string, Left>();
    if (resource === undefined) return counts;
    try {
      for await (const page of listPages<KubeObject>(client, resource, { representation: 'metadata', signal })) {
        for (const copy of page) {
          const consumer = whose(copy);
          if (consumer === undefined) continue;
          const { count, examples } = counts.get(consumer) ?? nothingLeft;
          counts.set(consumer, {
            count: count + 1,
            examples: examples.length < mostExamples ? [...examples, objectKey(copy)] : examples,
          });
        }
      }
      return counts;
    } catch (error) {
      if (isForbidden(error)) return undefined;
      throw error;
    }
  };
  return {
    async of(crd, clusterNamespace, signal) {
      const { name, uid } = crd.metadata;
      const last = known.get(name);
      if (last !== undefined && last.uid === uid && clock.monotonic() - last.at < freshMs)
        return leftIn(await last.counts, clusterNamespace);
      const counts = read(crd, signal);
      const entry = { uid, at: clock.monotonic(), counts };
      known.set(name, entry);
      try {
        return leftIn(await counts, clusterNamespace);
      } catch (error) {
        if (known.get(name) === entry) known.delete(name);
        throw error;
      }
    },
    forget: (name) => {
      known.delete(name);
    },
  };
}

function leftIn(counts: Counts, clusterNamespace: string): Left | undefined {
  return counts === undefined ? undefined : (counts.get(clusterNamespace) ?? nothingLeft);
}
