import type { Client } from '@hawser/client';
import { type Setup, writesUndone } from '@hawser/controller';
import { exportHash, inlineSpecFromBoundSchema } from '@hawser/klutch';
import {
  type APIServiceExport,
  type BoundSchema,
  type BoundSchemaSpec,
  type Dialect,
  hawserAnnotations,
  resources,
} from '@hawser/kube-bind';
import { hashOf, type WantedSchema } from './assess.js';
import type { Action } from './decide.js';
import { heldConditionOf, withHolds } from './held-condition.js';
import type { Hold } from './hold.js';
import type { PropagationCaches, StatedSchema } from './propagation-caches.js';
import type { Tally } from './tally.js';
import { encodeSnapshot } from './snapshot.js';

const fieldManager = 'hawser-propagation';

/** Encodes a snapshot, memoised: it is the same for every consumer, and costs more than the rest. */
type Snapshots = (hash: string, spec: BoundSchemaSpec) => string;

function createSnapshots(): Snapshots {
  const known = new Map<string, string>();
  return (hash, spec) => {
    const text = known.get(hash) ?? encodeSnapshot(hash, spec);
    if (known.size > 32) known.clear();
    known.set(hash, text);
    return text;
  };
}

/** The API server accepted a schema, and answered with the one before. */
class SchemaUndoneError extends Error {
  override readonly name = 'SchemaUndoneError';

  constructor(boundSchema: string) {
    super(
      `the API server took the changed schema of BoundSchema ${boundSchema}, and answered without it: an admission webhook or policy of the provider's cluster changes it`,
    );
  }
}

export interface ActorParts extends Pick<Setup<'provider'>, 'clock' | 'logger'> {
  readonly dialect: Dialect;
  readonly caches: PropagationCaches;
  readonly tally: Tally;
}

/** The only place that writes. */
export class Actor {
  readonly #parts: ActorParts;
  readonly #snapshots = createSnapshots();

  constructor(parts: ActorParts) {
    this.#parts = parts;
  }

  async act(action: Action, key: string, signal: AbortSignal): Promise<void> {
    const { logger, tally } = this.#parts;
    switch (action.type) {
      case 'letFlow': {
        const { boundSchema, wanted, severity } = action;
        const resource = boundSchema.metadata.name;
        logger.info('A changed schema reaches a consumer.', { key, resource, hash: wanted.hash, severity });
        await this.#replace(boundSchema, wanted, key, signal);
        tally.flowed(severity);
        return;
      }
      case 'takeBack': {
        const { boundSchema, wanted, rejected } = action;
        logger.info('A rejected schema is taken back.', { key, resource: boundSchema.metadata.name, rejected });
        await this.#replace(boundSchema, wanted, key, signal);
        return;
      }
      case 'tellHolds':
        await this.#reportHolds(action.export, action.holds, signal);
    }
  }

  async #replace(boundSchema: StatedSchema, wanted: WantedSchema, key: string, signal: AbortSignal): Promise<void> {
    const { caches, dialect } = this.#parts;
    const written = await replaceSchema(caches.client, dialect, boundSchema, wanted, this.#snapshots, signal);
    caches.boundSchemas.observe(written);
    if (hashOf(written) !== hashOf(boundSchema)) return;
    const { name } = boundSchema.metadata;
    const found = caches.exports.get(key);
    if (found !== undefined) caches.exports.recordEvent(found, writesUndone(`the schema of ${name}`));
    throw new SchemaUndoneError(name);
  }

  /** Reports holds in a condition and an Event. */
  async #reportHolds(found: APIServiceExport, held: readonly Hold[], signal: AbortSignal): Promise<void> {
    const { clock, caches } = this.#parts;
    const condition = heldConditionOf(held);
    const events = condition === undefined ? [] : [{ type: 'Warning', ...condition } as const];
    await caches.exports.commitStatus(found, (status) => withHolds(status, held, clock.now()), signal, events);
  }
}

/**
 * The one write that changes a consumer's schema. Replaces the whole spec, so fields that the CRD has dropped go, and
 * stores the schema before it beside. Fails unless the BoundSchema is the one decided about. The export's annotation,
 * which makes konnectors look, follows from it (`createExportController`).
 */
function replaceSchema(
  client: Client,
  dialect: Dialect,
  boundSchema: BoundSchema & { readonly spec: BoundSchemaSpec },
  wanted: WantedSchema,
  snapshots: Snapshots,
  signal: AbortSignal,
): Promise<BoundSchema> {
  const { namespace, name, uid, resourceVersion, annotations: current } = boundSchema.metadata;
  const { operations, hash } = replacement(dialect, wanted);
  const annotations = {
    ...current,
    [dialect.annotations.sourceSpecHash]: hash,
    [hawserAnnotations.previousSchema]: snapshots(hashOf(boundSchema), boundSchema.spec),
  };
  return client.patch<BoundSchema>(
    resources.boundSchemas,
    { namespace, name },
    {
      type: 'json',
      operations: [
        { op: 'test', path: '/metadata/uid', value: uid },
        // Unlike a test, this makes a change in between a conflict, which is retried.
        { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'add', path: '/metadata/annotations', value: annotations },
        ...operations,
      ],
    },
    { fieldManager, signal },
  );
}

/**
 * The new schema and its hash. The spec of an export that carries its schema has more fields; group and scope never
 * change.
 */
function replacement(
  { schema }: Dialect,
  { spec, hash }: WantedSchema,
): { readonly operations: readonly object[]; readonly hash: string } {
  if (schema === 'BoundSchemas') return { operations: [{ op: 'add', path: '/spec', value: spec }], hash };
  const inline = inlineSpecFromBoundSchema(`${spec.names.plural}.${spec.group}`, spec);
  return {
    operations: [
      { op: 'add', path: '/spec/names', value: inline.names },
      { op: 'add', path: '/spec/versions', value: inline.versions },
    ],
    hash: exportHash(inline),
  };
}
