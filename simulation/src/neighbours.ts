import type { JsonObject } from '@hawser/json';
import {
  type BoundSchema,
  annotations,
  readSchemaApplied,
  schemaAppliedCondition,
  schemaHash,
  setCondition,
} from '@hawser/kube-bind';
import type { SeededRandom } from './seeded-random.js';
import type { SimCluster } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

const BOUND_SCHEMAS = { group: 'kube-bind.io', resource: 'boundschemas' };
const SHARE_THAT_STUMBLES = 0.15;
const TRY_AGAIN_MS = 2_000;

/**
 * Konnectors of consumers outside the simulation, as their provider sees them. Some time after a new schema, each
 * reports whether it serves it; a few refuse it first. `namespaces`: their cluster namespaces. Returns a function that
 * makes them check everything again.
 */
export function startNeighbours(
  cluster: SimCluster,
  namespaces: readonly string[],
  time: VirtualTime,
  random: SeededRandom,
): () => void {
  const answerTo = (namespace: string, name: string, stumbles: boolean): void => {
    if (!cluster.up) {
      time.setTimeout(() => {
        answerTo(namespace, name, stumbles);
      }, TRY_AGAIN_MS);
      return;
    }
    const current = cluster.objects.get(BOUND_SCHEMAS, { namespace, name }) as (JsonObject & BoundSchema) | undefined;
    const hash = current === undefined ? undefined : unanswered(current);
    if (current === undefined || hash === undefined) return;
    const answer = schemaAppliedCondition(
      stumbles
        ? { kind: 'refused', hash, reason: 'CRDUpdateFailed', message: 'the API server is not in the mood' }
        : { kind: 'applied', hash },
    );
    const conditions = setCondition(current.status?.conditions, answer, time.now());
    cluster.objects.update(
      BOUND_SCHEMAS,
      { ...current, status: { ...current.status, conditions } } as unknown as JsonObject,
      { subresource: 'status' },
    );
    if (stumbles)
      time.setTimeout(
        () => {
          answerTo(namespace, name, false);
        },
        random.between(60_000, 180_000),
      );
  };
  const look = (object: JsonObject, isAnswered: boolean): void => {
    const {
      metadata: { namespace = '', name },
    } = object as JsonObject & BoundSchema;
    if (!namespaces.includes(namespace) || isAnswered) return;
    time.setTimeout(
      () => {
        answerTo(namespace, name, random.chance(SHARE_THAT_STUMBLES));
      },
      random.between(2_000, 60_000),
    );
  };
  cluster.onChange(({ type, resource, object }) => {
    if (type !== 'DELETED' && resource.resource === BOUND_SCHEMAS.resource)
      look(object, heard(object as JsonObject & BoundSchema));
  });
  return () => {
    if (!cluster.serves(BOUND_SCHEMAS)) return;
    // A backup may hold a refusal that was corrected since: a konnector that lists again reports its served schema.
    for (const object of cluster.objects.list(BOUND_SCHEMAS))
      look(object, unanswered(object as JsonObject & BoundSchema) === undefined);
  };
}

/** Whether it has a report on this very schema. */
function heard(schema: BoundSchema): boolean {
  return readSchemaApplied(schema.status?.conditions)?.hash === hashOf(schema);
}

/** The hash of a schema that is not served yet, as far as the provider knows. */
function unanswered(schema: BoundSchema): string | undefined {
  const answer = readSchemaApplied(schema.status?.conditions);
  const hash = hashOf(schema);
  return answer?.kind === 'applied' && answer.hash === hash ? undefined : hash;
}

/** Hash of a BoundSchema's current contents. */
export function hashOf({ metadata, spec }: BoundSchema): string {
  return metadata.annotations?.[annotations.sourceSpecHash] ?? (spec === undefined ? '' : schemaHash(spec));
}
