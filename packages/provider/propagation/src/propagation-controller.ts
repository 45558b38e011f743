import { type KubeObject, isApiError, objectKey } from '@hawser/client';
import { type Controller, ControllerError, createController, done, park, type Result } from '@hawser/controller';
import type { SourceSchema } from '@hawser/exportrequest';
import { equal } from '@hawser/json';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  type BoundSchema,
  type BoundSchemaSpec,
  type ClusterBinding,
  commitStatus,
  controllerName,
  type CustomResourceDefinition,
  type Dialect,
  fixedNames,
  hawserAnnotations,
  readSchemaApplied,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import type { SchemaPolicy, Verdict } from '@hawser/schemagate';
import type { Metrics } from '@hawser/telemetry';
import { createSnapshots, replaceSchema } from './act.js';
import {
  assess,
  type Assessment,
  decidesAbout,
  hashesOf,
  hashOf,
  type Judge,
  judgeSchemas,
  policyOf,
} from './assess.js';
import { heldConditionOf, withHolds } from './held-condition.js';
import { type Hold, type HoldReason, holdReasons, holds } from './hold.js';
import { namespaceWords, withNamespaceWords } from './namespace-words.js';
import { type Member, parseRollout, turnOf } from './rollout.js';
import { exportedSelector, schemaView, stamperOf } from './schema-view.js';
import { createStoredObjects } from './stored-objects.js';

export interface PropagationOptions {
  /** Whose exports. */
  readonly dialect: Dialect;
  /** What becomes of changes where neither the export nor its request says it. Default `Safe`. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /** How often stored objects that do not fit a changed schema are looked at again, in milliseconds. Default 10 min. */
  readonly recheckMs?: number | undefined;
  /** APIServiceExports that are worked on at a time. Default 16. */
  readonly concurrency?: number | undefined;
}

const byResource = 'propagation/resource';
const bySchema = 'propagation/boundschema';
const byConsumer = 'propagation/consumer';
/** Stored objects are read in the first, and once more for each change of the CRD meanwhile. */
const maxRounds = 5;
/** Annotations of an export that say what becomes of schemas. */
const decisions = [
  hawserAnnotations.schemaProven,
  hawserAnnotations.schemaRejected,
  hawserAnnotations.schemaApproved,
  hawserAnnotations.schemaRollout,
  hawserAnnotations.schemaUpdate,
];

/**
 * Carries changes of exported CRDs to every consumer that has them, by policy: what is safe flows at once, what breaks something is held and told in the condition
 * `SchemaUpdateHeld` of the APIServiceExport, in an Event and in a metric. The only writer of BoundSchemas that exist; `createExportController` tells konnectors.
 */
export function createPropagationController(options: PropagationOptions): Controller<'provider'> {
  const { dialect, schemaPolicy = 'Safe', recheckMs = 600_000, concurrency = 16 } = options;
  const name = controllerName('propagation', dialect);
  const kinds = dialect.resources;
  return createController<'provider'>(name, async (ctx, scope) => {
    const { informers, events } = ctx.clusters.provider;
    const { client, informers: views } = schemaView(ctx, scope, dialect);
    const exports = scope.informer(views.acquire<APIServiceExport>({ resource: resources.apiServiceExports }));
    const boundSchemas = scope.informer(views.acquire<BoundSchema>({ resource: resources.boundSchemas }));
    const crds = scope.informer(
      informers.acquire<CustomResourceDefinition>({
        resource: resources.customResourceDefinitions,
        labelSelector: exportedSelector(dialect),
      }),
    );
    const requests = scope.informer(
      informers.acquire<APIServiceExportRequest>({ resource: kinds.apiServiceExportRequests }),
    );
    const namespaces = scope.informer(informers.acquire<APIServiceNamespace>({ resource: kinds.apiServiceNamespaces }));
    const clusterBindings = scope.informer(informers.acquire<ClusterBinding>({ resource: kinds.clusterBindings }));
    const clusterNamespaces = scope.informer(
      informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }),
    );
    exports.addIndex(byResource, resourcesOf);
    exports.addIndex(bySchema, (object) =>
      resourcesOf(object).map((resource) => objectKey({ namespace: object.metadata.namespace, name: resource })),
    );
    namespaces.addIndex(byConsumer, ({ metadata: { namespace = '' } }) => [namespace]);

    const stamper = stamperOf(dialect);
    const snapshots = createSnapshots();
    const stored = createStoredObjects(client, dialect, ctx.clock, recheckMs * 0.7);
    const judging = rememberedJudge();
    const told = createTally(ctx.metrics, dialect);
    /** Exports that wait for others, by resource. */
    const waiting = new Map<string, Set<string>>();
    const queue = scope.openQueue({ name, concurrency, reconcile });

    const wakeOthers = (object: APIServiceExport): void => {
      for (const resource of resourcesOf(object)) for (const key of waiting.get(resource) ?? []) queue.add(key);
    };
    scope.onChange(exports, (object) => {
      queue.add(objectKey(object), { resetBackoff: true });
    });
    scope.own(
      exports.addHandler({
        // What the provider says about one consumer can end the waiting of others.
        onUpdate: (before, after) => {
          if (decisions.some((key) => before.metadata.annotations?.[key] !== after.metadata.annotations?.[key]))
            wakeOthers(after);
        },
        onDelete: wakeOthers,
      }),
    );
    scope.onChange(requests, (object) => {
      queue.add(objectKey(object));
    });
    const wakeAll = (): void => {
      for (const keys of waiting.values()) for (const key of keys) queue.add(key);
    };
    scope.own(
      clusterBindings.addHandler({
        onAdd: wakeAll,
        // Labels say in which step a consumer is. Its status is a heartbeat.
        onUpdate: (before, after) => {
          if (!equal(before.metadata.labels ?? {}, after.metadata.labels ?? {})) wakeAll();
        },
        onDelete: wakeAll,
      }),
    );
    const namespaceSays = ({ metadata }: KubeObject): void => {
      for (const one of exports.list(metadata.name)) {
        queue.add(objectKey(one), { resetBackoff: true });
        wakeOthers(one);
      }
    };
    scope.own(
      clusterNamespaces.addHandler({
        onAdd: (added) => {
          if (namespaceWords.some((word) => added.metadata.annotations?.[word] !== undefined)) namespaceSays(added);
        },
        onUpdate: (before, after) => {
          if (namespaceWords.some((word) => before.metadata.annotations?.[word] !== after.metadata.annotations?.[word]))
            namespaceSays(after);
        },
        onDelete: () => undefined,
      }),
    );
    const crdChanged = ({ metadata }: KubeObject): void => {
      for (const one of exports.byIndex(byResource, metadata.name)) queue.add(objectKey(one), { resetBackoff: true });
    };
    scope.own(
      crds.addHandler({
        onAdd: crdChanged,
        onUpdate(before, after) {
          // What its status says is of no use to consumers, but what its annotations say about steps is.
          if (
            before.metadata.generation !== after.metadata.generation ||
            before.metadata.uid !== after.metadata.uid ||
            before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
            before.metadata.annotations?.[hawserAnnotations.schemaRollout] !==
              after.metadata.annotations?.[hawserAnnotations.schemaRollout]
          )
            crdChanged(after);
        },
        onDelete: crdChanged,
      }),
    );
    const schemaChanged = (object: BoundSchema): void => {
      for (const one of exports.byIndex(bySchema, objectKey(object))) queue.add(objectKey(one));
      for (const key of waiting.get(object.metadata.name) ?? []) queue.add(key);
    };
    scope.onChange(boundSchemas, schemaChanged);
    await scope.synced();

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      const found = exports.get(key);
      for (const keys of waiting.values()) keys.delete(key);
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) {
        stored.forget(key);
        told.set(key, []);
        return done;
      }
      const held: Hold[] = [];
      for (const resource of new Set(resourcesOf(found))) {
        const settled = await settle(key, resource, signal);
        if (settled === 'again') throw new ControllerError('NotSettled', name);
        if (settled !== undefined) held.push(settled);
      }
      await tell(found, key, held, signal);
      if (held.length === 0) return done;
      return held.some(({ until }) => until === 'again')
        ? { kind: 'requeue', afterMs: recheckMs * (1 - 0.2 * ctx.random()), priority: 'background' }
        : park;
    }

    /** To read the stored objects takes long, and people, CRDs and other consumers go on meanwhile: everything is decided once more before it is carried out. */
    async function settle(key: string, resource: string, signal: AbortSignal): Promise<Hold | 'again' | undefined> {
      let fitting: string | undefined;
      for (let round = 1; round <= maxRounds; round++) {
        const found = exports.get(key);
        if (found === undefined || found.metadata.deletionTimestamp !== undefined) return undefined;
        const boundSchema = schemaOf(found, resource);
        // To make one is the work of the request.
        if (boundSchema === undefined) return undefined;
        const assessment = assessed(found, boundSchema);
        switch (assessment.kind) {
          case 'inStep':
            return undefined;
          case 'held':
            return assessment.hold;
          case 'rollBack':
            ctx.logger.info('A rejected schema is taken back.', { key, resource, rejected: assessment.rejected });
            boundSchemas.observe(
              await replaceSchema(client, dialect, boundSchema, assessment.wanted, snapshots, signal),
            );
            return holds.rolledBack(resource, assessment.rejected);
          case 'candidate': {
            const { wanted, comparison, check } = assessment;
            // Before the stored objects, which cost more.
            const turn = waits(found, key, resource, wanted.hash);
            if (turn !== undefined) return turn;
            if (check && fitting !== wanted.hash) {
              const hold = await misfits(found, key, resource, assessment, signal);
              if (hold !== undefined && stillConcerns(hold, key, resource)) return hold;
              fitting = hold === undefined ? wanted.hash : undefined;
              continue;
            }
            ctx.logger.info('A changed schema reaches a consumer.', {
              key,
              resource,
              hash: wanted.hash,
              severity: comparison.severity,
            });
            boundSchemas.observe(await replaceSchema(client, dialect, boundSchema, wanted, snapshots, signal));
            told.flowed(comparison.severity);
            return undefined;
          }
        }
      }
      return 'again';
    }

    /** Whether the change that objects were held against is still the one that is to be decided about, in the same way. */
    function stillConcerns({ candidate }: Hold, key: string, resource: string): boolean {
      const found = exports.get(key);
      const boundSchema = found === undefined ? undefined : schemaOf(found, resource);
      const assessment = found === undefined || boundSchema === undefined ? undefined : assessed(found, boundSchema);
      return assessment?.kind === 'candidate' && assessment.check && assessment.wanted.hash === candidate;
    }

    async function misfits(
      found: APIServiceExport,
      key: string,
      resource: string,
      { wanted: { hash }, comparison }: Extract<Assessment, { kind: 'candidate' }>,
      signal: AbortSignal,
    ): Promise<Hold | undefined> {
      const crd = crds.get({ name: resource });
      if (crd === undefined) return undefined;
      const { namespace = '' } = found.metadata;
      const assigned = namespaces.byIndex(byConsumer, namespace).flatMap(({ status }) => status?.namespace ?? []);
      // In its cluster namespace a consumer has copies under that isolation alone.
      const places = found.spec.isolation === 'Namespaced' ? [namespace, ...assigned] : assigned;
      const verdict = await stored.check(
        { consumer: key, clusterNamespace: namespace, namespaces: places, crd, hash },
        signal,
      );
      switch (verdict.kind) {
        case 'fits':
          return undefined;
        case 'faults':
          return holds.invalid(resource, hash, verdict.message, comparison);
        case 'unread':
          return holds.unread(resource, hash, verdict.message);
      }
    }

    function waits(found: APIServiceExport, key: string, resource: string, hash: string): Hold | undefined {
      const text = rolloutTextOf(found, resource);
      const rollout = parseRollout(text);
      if (rollout === undefined) return undefined;
      const members = exports
        .byIndex(byResource, resource)
        .flatMap((one) => (rolloutTextOf(one, resource) === text ? memberOf(one, resource) : []));
      const turn = turnOf(rollout, members, key);
      if (turn.kind === 'now') return undefined;
      const keys = waiting.get(resource) ?? new Set<string>();
      waiting.set(resource, keys.add(key));
      return turn.kind === 'stopped'
        ? holds.stopped(resource, hash, turn.failed)
        : holds.waits(resource, hash, turn.step, turn.steps, turn.missing);
    }

    /** Those that the roll-out of a schema is about: who has got it, and who may yet get it, so that steps stay the same while approvals come one by one. */
    function memberOf(found: APIServiceExport, resource: string): readonly Member[] {
      const boundSchema = found.metadata.deletionTimestamp === undefined ? schemaOf(found, resource) : undefined;
      if (boundSchema === undefined) return [];
      const assessment = assessed(found, boundSchema);
      const state = stateOf(assessment, boundSchema);
      if (state === undefined) return [];
      const isProven = hashesOf(decided(found), hawserAnnotations.schemaProven).includes(
        schemaAt(assessment, boundSchema),
      );
      return [
        {
          key: objectKey(found),
          labels:
            clusterBindings.get({ namespace: found.metadata.namespace, name: fixedNames.clusterBinding })?.metadata
              .labels ?? {},
          state: isProven ? 'proven' : state,
        },
      ];
    }

    function assessed(
      found: APIServiceExport,
      boundSchema: BoundSchema & { readonly spec: BoundSchemaSpec },
    ): Assessment {
      const { namespace, name: exportName } = found.metadata;
      const said = decided(found);
      const policy = policyOf(said, requests.get({ namespace, name: exportName }), schemaPolicy);
      return assess({ export: said, boundSchema, source: sourceOf(found, boundSchema), policy }, judging);
    }

    function decided(found: APIServiceExport): APIServiceExport {
      return withNamespaceWords(found, clusterNamespaces.get({ name: found.metadata.namespace ?? '' }));
    }

    function sourceOf(
      found: APIServiceExport,
      boundSchema: BoundSchema & { readonly spec: BoundSchemaSpec },
    ): SourceSchema | undefined {
      const crd = crds.get({ name: boundSchema.metadata.name });
      // How the konnector may watch is settled for a consumer that has it.
      const { informerScope } = boundSchema.spec;
      return crd === undefined || crd.metadata.deletionTimestamp !== undefined
        ? undefined
        : stamper.stamp(crd, { informerScope, isolation: found.spec.isolation });
    }

    function schemaOf(
      found: APIServiceExport,
      resource: string,
    ): (BoundSchema & { readonly spec: BoundSchemaSpec }) | undefined {
      const boundSchema = boundSchemas.get({ namespace: found.metadata.namespace, name: resource });
      if (
        boundSchema?.spec === undefined ||
        boundSchema.metadata.deletionTimestamp !== undefined ||
        !decidesAbout(dialect, found, boundSchema)
      )
        return undefined;
      return { ...boundSchema, spec: boundSchema.spec };
    }

    function rolloutTextOf({ metadata }: APIServiceExport, resource: string): string | undefined {
      return (
        metadata.annotations?.[hawserAnnotations.schemaRollout] ??
        crds.get({ name: resource })?.metadata.annotations?.[hawserAnnotations.schemaRollout]
      );
    }

    async function tell(
      found: APIServiceExport,
      key: string,
      held: readonly Hold[],
      signal: AbortSignal,
    ): Promise<void> {
      told.set(key, held);
      if (withHolds(found.status, held, ctx.clock.now()).conditions === found.status?.conditions) return;
      try {
        const written = await commitStatus(
          client,
          resources.apiServiceExports,
          found,
          (status) => withHolds(status, held, ctx.clock.now()),
          { clock: ctx.clock, random: ctx.random, signal },
        );
        if (written !== undefined) exports.observe(written);
      } catch (error) {
        if (isApiError(error) && error.code === 'NotFound') return;
        throw error;
      }
      const condition = heldConditionOf(held);
      const {
        apiVersion,
        kind,
        metadata: { namespace, name: exportName, uid },
      } = found;
      if (condition !== undefined)
        events.record({ apiVersion, kind, namespace, name: exportName, uid }, { type: 'Warning', ...condition });
    }
  });
}

function stateOf(assessment: Assessment, boundSchema: BoundSchema): Member['state'] | undefined {
  switch (assessment.kind) {
    case 'candidate':
    case 'rollBack':
      return 'waiting';
    case 'held':
      // The others are not on their way to it.
      return assessment.hold.reason === 'BreakingSchemaChange' || assessment.hold.reason === 'SchemaRolledBack'
        ? 'waiting'
        : undefined;
    case 'inStep': {
      // A consumer that has bound it since then shows nothing about the change.
      if (boundSchema.metadata.annotations?.[hawserAnnotations.previousSchema] === undefined) return undefined;
      const answer = readSchemaApplied(boundSchema.status?.conditions);
      if (answer?.hash !== hashOf(boundSchema)) return 'unproven';
      return answer.kind === 'applied' ? 'proven' : 'failed';
    }
  }
}

/** The hash of the schema that a consumer is on its way to, or has. */
function schemaAt(assessment: Assessment, boundSchema: BoundSchema): string {
  switch (assessment.kind) {
    case 'candidate':
      return assessment.wanted.hash;
    case 'rollBack':
      return assessment.rejected;
    case 'held':
      return assessment.hold.candidate ?? '';
    case 'inStep':
      return hashOf(boundSchema);
  }
}

function resourcesOf({ spec }: APIServiceExport): readonly string[] {
  return spec.resources.map(resourceGroupName);
}

/** Consumers have the same few schemas, and to compare large ones takes a while. */
function rememberedJudge(): Judge {
  const known = new Map<string, Verdict>();
  return (before, after, policy, approved) => {
    const key = `${before.hash} ${after.hash} ${policy} ${approved}`;
    const verdict = known.get(key) ?? judgeSchemas(before, after, policy, approved);
    if (known.size > 500) known.clear();
    known.set(key, verdict);
    return verdict;
  };
}

interface Tally {
  set(key: string, held: readonly Hold[]): void;
  flowed(severity: string): void;
}

function createTally(metrics: Metrics, { name: dialect }: Dialect): Tally {
  const gauge = metrics.gauge({
    name: 'hawser_provider_schema_updates_held',
    help: 'Changed schemas that do not reach a consumer, by reason.',
    labels: ['reason', 'dialect'],
  });
  const counter = metrics.counter({
    name: 'hawser_provider_schema_updates_total',
    help: 'Changed schemas that were handed to consumers, by severity of the change.',
    labels: ['severity', 'dialect'],
  });
  const reasons = new Map<string, readonly HoldReason[]>();
  return {
    set(key, held) {
      if (held.length === 0 && !reasons.has(key)) return;
      if (held.length === 0) reasons.delete(key);
      else
        reasons.set(
          key,
          held.map(({ reason }) => reason),
        );
      const all = [...reasons.values()].flat();
      for (const reason of holdReasons) gauge.set(all.filter((one) => one === reason).length, { reason, dialect });
    },
    flowed: (severity) => {
      counter.inc({ severity, dialect });
    },
  };
}
