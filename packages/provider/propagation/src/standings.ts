import { type Client, isApiError, isConflict, isForbidden, type KubeObject, listAll } from '@hawser/client';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type BoundSchema,
  type BoundSchemaSpec,
  type ClusterBinding,
  conditionTypes,
  type CustomResourceDefinition,
  type Dialect,
  getCondition,
  hawserAnnotations,
  readSchemaApplied,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { clientSpeaking, klutchDialect } from '@hawser/klutch';
import type { SchemaChange } from '@hawser/schemadiff';
import type { SchemaPolicy } from '@hawser/schemagate';
import { exportedSelector, stamperOf } from './schema-view.js';
import { assess, decidesAbout, hashesOf, hashOf, judgeSchemas, policyOf } from './assess.js';
import { isAbout } from './held-condition.js';
import { withNamespaceWords } from './namespace-words.js';

/** State of one resource of an export. */
export interface SchemaStanding {
  readonly dialect: Dialect['name'];
  readonly namespace: string;
  readonly export: string;
  /** `<plural>.<group>` */
  readonly resource: string;
  /** `InStep`, `Held`, `Pending` (about to flow, or being checked), `Refused` by the consumer, `Gone`. */
  readonly state: 'InStep' | 'Pending' | 'Held' | 'Refused';
  readonly policy: SchemaPolicy;
  /** Hash of the consumer's schema. */
  readonly hash: string;
  /** Hash of the waiting schema; absent: none waits. */
  readonly candidate: string | undefined;
  readonly changes: readonly SchemaChange[];
  /** The consumer's report about `hash`. */
  readonly consumer: 'applied' | 'refused' | 'unproven';
  /** Why it is held or refused. */
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** Whether an approval would release the candidate. */
  readonly approvable: boolean;
}

export interface StandingsOptions {
  /** Dialect of the exports. */
  readonly dialect: Dialect;
  /** Policy of the provider role, `Safe` by default. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /** Only this export: `NAMESPACE/NAME`, or `NAME` in every namespace. */
  readonly export?: string | undefined;
  /** Only consumers whose ClusterBinding matches this label selector. */
  readonly selector?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lists the state of every export's schemas, by namespace, export and resource. Writes nothing. @throws {ApiError} of a
 * list that fails
 */
export async function schemaStandings(cluster: Client, options: StandingsOptions): Promise<readonly SchemaStanding[]> {
  const { dialect, signal, selector } = options;
  const client = clientSpeaking(dialect, cluster);
  const [exports, boundSchemas, requests, crds, clusterNamespaces, consumers] = await Promise.all([
    listAll<APIServiceExport>(client, resources.apiServiceExports, { signal }),
    listAll<BoundSchema>(client, resources.boundSchemas, { signal }),
    listAll<APIServiceExportRequest>(client, resources.apiServiceExportRequests, { signal }),
    listAll<CustomResourceDefinition>(client, resources.customResourceDefinitions, {
      labelSelector: exportedSelector(dialect),
      signal,
    }),
    namespacesOf(cluster, signal),
    selector === undefined
      ? undefined
      : listAll<ClusterBinding>(client, resources.clusterBindings, { labelSelector: selector, signal }),
  ]);
  const key = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;
  const schemaBy = new Map(boundSchemas.map((one) => [key(one.metadata.namespace, one.metadata.name), one]));
  const requestBy = new Map(requests.map((one) => [key(one.metadata.namespace, one.metadata.name), one]));
  const crdBy = new Map(crds.map((one) => [one.metadata.name, one]));
  const namespaces = consumers === undefined ? undefined : new Set(consumers.map(({ metadata }) => metadata.namespace));
  const namespaceBy = new Map(clusterNamespaces.map((one) => [one.metadata.name, one]));
  const stamper = stamperOf(dialect);
  const standings: SchemaStanding[] = [];
  for (const found of exports) {
    const one = withNamespaceWords(found, namespaceBy.get(found.metadata.namespace ?? ''));
    const { namespace = '', name } = one.metadata;
    if (options.export !== undefined && options.export !== name && options.export !== key(namespace, name)) continue;
    if (namespaces?.has(namespace) === false) continue;
    const policy = policyOf(one, requestBy.get(key(namespace, name)), options.schemaPolicy ?? 'Safe');
    for (const resource of new Set(one.spec.resources.map(resourceGroupName))) {
      const boundSchema = schemaBy.get(key(namespace, resource));
      if (boundSchema?.spec === undefined || !decidesAbout(dialect, one, boundSchema)) continue;
      const crd = crdBy.get(resource);
      const source =
        crd === undefined || crd.metadata.deletionTimestamp !== undefined
          ? undefined
          : stamper.stamp(crd, { informerScope: boundSchema.spec.informerScope, isolation: one.spec.isolation });
      standings.push(standingOf(dialect, one, { ...boundSchema, spec: boundSchema.spec }, source, policy));
    }
  }
  return standings.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

/** Without the right to read namespaces, only the exports count. */
async function namespacesOf(cluster: Client, signal: AbortSignal | undefined): Promise<readonly KubeObject[]> {
  try {
    return await listAll<KubeObject>(cluster, resources.namespaces, { representation: 'metadata', signal });
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

function sortKey({ namespace, export: name, resource }: SchemaStanding): string {
  return `${namespace}/${name}/${resource}`;
}

function standingOf(
  { name: dialect }: Dialect,
  object: APIServiceExport,
  boundSchema: BoundSchema & { readonly spec: BoundSchemaSpec },
  source: Parameters<typeof assess>[0]['source'],
  policy: SchemaPolicy,
): SchemaStanding {
  const hash = hashOf(boundSchema);
  const answer = readSchemaApplied(boundSchema.status?.conditions);
  const consumer = answer?.hash !== hash ? 'unproven' : answer.kind;
  const changes =
    source?.kind === 'offered' && source.hash !== hash
      ? judgeSchemas({ spec: boundSchema.spec, hash }, source, policy, false).comparison.changes
      : [];
  const candidate = source?.kind === 'offered' && source.hash !== hash ? source.hash : undefined;
  const common = {
    dialect,
    namespace: object.metadata.namespace ?? '',
    export: object.metadata.name,
    resource: boundSchema.metadata.name,
    policy,
    hash,
    candidate,
    changes,
    consumer,
  } as const;
  const assessment = assess({ export: object, boundSchema, source, policy });
  // Only the running role knows stored objects and turns; its condition shows them.
  const condition = getCondition(object.status?.conditions, conditionTypes.schemaUpdateHeld);
  const heldCondition =
    condition?.status === 'True' && isAbout(condition.message, boundSchema.metadata.name) ? condition : undefined;
  switch (assessment.kind) {
    case 'held':
      return {
        ...common,
        state: 'Held',
        reason: assessment.hold.reason,
        message: assessment.hold.message,
        approvable: assessment.hold.reason === 'BreakingSchemaChange' || assessment.hold.reason === 'SchemaUpdatesOff',
      };
    case 'candidate':
      return {
        ...common,
        state: heldCondition === undefined ? 'Pending' : 'Held',
        reason: heldCondition?.reason,
        message: heldCondition?.message,
        approvable: !hashesOf(object, hawserAnnotations.schemaApproved).includes(assessment.wanted.hash),
      };
    case 'rollBack':
      return { ...common, state: 'Pending', reason: 'SchemaRolledBack', message: undefined, approvable: false };
    case 'inStep':
      return answer?.kind === 'refused' && answer.hash === hash
        ? { ...common, state: 'Refused', reason: answer.reason, message: answer.message, approvable: false }
        : { ...common, state: 'InStep', reason: undefined, message: undefined, approvable: false };
  }
}

/** Possible statements about a schema on an export. */
export type SchemaWord = 'approve' | 'reject' | 'prove';

const annotationOf: Readonly<Record<SchemaWord, string>> = {
  approve: hawserAnnotations.schemaApproved,
  reject: hawserAnnotations.schemaRejected,
  prove: hawserAnnotations.schemaProven,
};

/** Tries on conflicts: the role writes to exports, too, in fields that do not matter here. */
const maxTries = 5;

/**
 * Adds hashes to the annotation of an export; present ones cost no write. If the export has no room, the annotation
 * goes to its cluster namespace, where it counts for all exports of the consumer.
 * @throws {ApiError} `NotFound` if there is no such export, `Conflict` if it changed again and again
 */
export async function addSchemaDecision(
  cluster: Client,
  word: SchemaWord,
  key: { readonly dialect?: Dialect['name'] | undefined; readonly namespace: string; readonly name: string },
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<'written' | 'there'> {
  const client = key.dialect === 'klutch' ? clientSpeaking(klutchDialect, cluster) : cluster;
  const at = { namespace: key.namespace, name: key.name };
  for (let tries = 1; ; tries++) {
    const object = await client.get<APIServiceExport>(resources.apiServiceExports, at, { signal });
    const annotation = annotationOf[word];
    const before = hashesOf(object, annotation);
    const added = hashes.filter((hash) => !before.includes(hash));
    if (added.length === 0) return 'there';
    const { uid, resourceVersion } = object.metadata;
    // Old hashes do no harm, but must not fill the annotation for ever.
    const wanted = [...before, ...added].slice(-20).join(',');
    try {
      await client.patch(
        resources.apiServiceExports,
        at,
        { type: 'merge', patch: { metadata: { uid, resourceVersion, annotations: { [annotation]: wanted } } } },
        { signal },
      );
      return 'written';
    } catch (error) {
      // The consumer has left no room on the export. It cannot write to the namespace, where the annotation counts as
      // well.
      if (isTooLarge(error)) return await addToNamespace(cluster, annotation, key.namespace, hashes, signal);
      if (tries === maxTries || !isConflict(error)) throw error;
    }
  }
}

async function addToNamespace(
  cluster: Client,
  annotation: string,
  name: string,
  hashes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<'written' | 'there'> {
  for (let tries = 1; ; tries++) {
    const {
      metadata: { uid, resourceVersion, annotations },
    } = await cluster.get<KubeObject>(resources.namespaces, { name }, { signal });
    const before = (annotations?.[annotation] ?? '').split(/[\s,]+/u).filter((hash) => hash !== '');
    const added = hashes.filter((hash) => !before.includes(hash));
    if (added.length === 0) return 'there';
    try {
      await cluster.patch(
        resources.namespaces,
        { name },
        {
          type: 'merge',
          patch: {
            metadata: {
              uid,
              resourceVersion,
              annotations: { [annotation]: [...before, ...added].slice(-20).join(',') },
            },
          },
        },
        { signal },
      );
      return 'written';
    } catch (error) {
      if (tries === maxTries || !isConflict(error)) throw error;
    }
  }
}

/** Recognises etcd's message: the API server passes it on with several codes. */
function isTooLarge(error: unknown): boolean {
  return isApiError(error) && (error.httpStatus === 413 || /too large|larger than max/iu.test(error.message));
}
