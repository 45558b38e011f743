import { getIfExists, objectKey } from '@hawser/client';
import { type Controller, ControllerError, createController, done, park, type Result, type WriteBudgetOptions } from '@hawser/controller';
import { type APIServiceExport, type APIServiceExportRequest, type BoundSchema, hawserAnnotations, resourceGroupName, resources } from '@hawser/kube-bind';
import { createTold } from '@hawser/telemetry';
import { actExport, refusedEvent } from './act-export.js';
import { decideExport, wantsRestoring } from './decide-export.js';
import type { ObservedExport, RequestPresence } from './export-decision.js';
import { reportProblem } from './request-problem.js';
import { createRestorePace } from './restore-pace.js';
import type { AdmissionMode, Asked } from './template/admission.js';
import { openAdmitter } from './template/admitter.js';
import { admissionProblem } from './validate-request.js';

export interface ExportOptions {
  /** APIServiceExports that are worked on at a time: a changed CRD concerns one of every consumer. Default 16. */
  readonly concurrency?: number | undefined;
  /** How often one export that its consumer let go of is given back. Default: 10 times at once, then once a minute. */
  readonly restores?: WriteBudgetOptions | undefined;
  /** As of the request controller: an export that was withdrawn comes back only if it would be granted now. */
  readonly admission?: AdmissionMode | undefined;
}

const name = 'export';
const bySchema = 'export/boundschema';
/** Nothing tells when somebody gets a right. */
const reviewAgainMs = 60_000;
/** Two writes, and one look to see that nothing is left; more only if somebody else is writing too. */
const maxRounds = 5;

/**
 * Keeps the annotation `kube-bind.io/source-spec-hash` and the condition `ProviderInSync` of each APIServiceExport in step with its BoundSchemas
 * (spec/kube-bind-backend.md §10.4). The annotation is what makes a konnector look at changed BoundSchemas.
 *
 * Marks an export as withdrawn, by the annotation `hawser.dev/withdrawn`, when its consumer has unbound it or deleted the request that it was made for, and takes the mark
 * away when it is bound, or requested, again. Nothing is deleted.
 */
export function createExportController(options: ExportOptions = {}): Controller<'provider'> {
  return createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.provider;
    const exports = scope.informer(informers.acquire<APIServiceExport>({ resource: resources.apiServiceExports }));
    const boundSchemas = scope.informer(informers.acquire<BoundSchema>({ resource: resources.boundSchemas }));
    const requests = scope.informer(informers.acquire<APIServiceExportRequest>({ resource: resources.apiServiceExportRequests }));
    exports.addIndex(bySchema, ({ metadata: { namespace }, spec }) => spec.resources.map((resource) => objectKey({ namespace, name: resourceGroupName(resource) })));
    const told = createTold(events);
    const admitter = openAdmitter(ctx, scope, options.admission ?? 'Exported');
    /** Exports that stay withdrawn because nothing offers them. */
    const refused = new Set<string>();
    const restores = createRestorePace({ clock: ctx.clock, told, pace: options.restores });
    const queue = scope.openQueue({ name, concurrency: options.concurrency ?? 16, reconcile });

    const exportChanged = (object: APIServiceExport): void => { queue.add(objectKey(object)); };
    const schemaChanged = (object: BoundSchema): void => {
      for (const one of exports.byIndex(bySchema, objectKey(object))) exportChanged(one);
    };
    scope.onChange(exports, exportChanged);
    scope.own(boundSchemas.addHandler({
      onAdd: schemaChanged,
      onUpdate(before, after) {
        // Konnectors write the status of BoundSchemas, which is not hashed.
        if (before.metadata.generation !== after.metadata.generation) schemaChanged(after);
      },
      onDelete: schemaChanged,
    }));
    // A request and its export have the same name.
    const requestChanged = (request: APIServiceExportRequest): void => { queue.add(objectKey(request)); };
    scope.own(requests.addHandler({
      onAdd: requestChanged,
      onUpdate(before, after) {
        if (before.metadata.uid !== after.metadata.uid || before.status?.phase !== after.status?.phase) requestChanged(after);
      },
      onDelete: requestChanged,
    }));
    admitter.onChange(() => { for (const key of refused) queue.add(key); });
    await scope.synced();

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      for (let round = 1; round <= maxRounds; round++) {
        const found = exports.get(key);
        const seen: ObservedExport = { export: found, boundSchemas: schemasOf(found), request: await presenceOf(key, found, signal) };
        const asked = found === undefined || !wantsRestoring(seen) ? undefined : askedBy(found, requests.get(key));
        const readmission = asked === undefined ? undefined : await admitter.admit(asked, signal);
        const { actions, verdict } = decideExport({ ...seen, readmission }, ctx.clock.now());
        const problem = asked === undefined ? undefined : admissionProblem(asked, readmission);
        if (problem === undefined) refused.delete(key);
        else refused.add(key);
        const [action] = actions;
        if (action === undefined) {
          if (problem !== undefined && found !== undefined) {
            const { apiVersion, kind, metadata: { namespace, name: exportName, uid } } = found;
            told.tell(key, { apiVersion, kind, namespace, name: exportName, uid }, refusedEvent(reportProblem(problem).message));
            if (problem.kind === 'bindForbidden') return { kind: 'requeue', afterMs: reviewAgainMs * (0.8 + 0.4 * ctx.random()), priority: 'background' };
          }
          return verdict.kind === 'boundSchemasMissing' || problem !== undefined ? park : done;
        }
        if (action.type === 'annotate' && action.turn?.kind === 'restored') {
          const waitMs = restores.deferral(action.export);
          if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
        }
        ctx.logger.info('An APIServiceExport needs something.', { key, action: action.type });
        if (await actExport({ client, clock: ctx.clock, random: ctx.random, exports, events }, action, signal) === 'gone') return done;
      }
      throw new ControllerError('NotSettled', name);
    }

    /** That a request is gone takes rights away, so a missing cache entry is not enough. */
    async function presenceOf(key: string, found: APIServiceExport | undefined, signal: AbortSignal): Promise<RequestPresence> {
      if (found?.metadata.annotations?.[hawserAnnotations.request] === undefined) return { kind: 'unknown' };
      const { namespace, name: requestName } = found.metadata;
      const request = requests.get(key) ?? await getIfExists<APIServiceExportRequest>(client, resources.apiServiceExportRequests, { namespace, name: requestName }, { signal });
      return request === undefined ? { kind: 'gone' } : { kind: 'present', uid: request.metadata.uid, answered: request.status?.phase === 'Succeeded' };
    }

    function schemasOf(found: APIServiceExport | undefined): ReadonlyMap<string, BoundSchema> {
      const schemas = new Map<string, BoundSchema>();
      for (const resource of found?.spec.resources ?? []) {
        const schema = boundSchemas.get(objectKey({ namespace: found?.metadata.namespace, name: resourceGroupName(resource) }));
        if (schema !== undefined) schemas.set(schema.metadata.name, schema);
      }
      return schemas;
    }
  });
}

/** What an export gives, as a request for it. Of how schemas change the request that it is for has a say. */
function askedBy({ metadata, spec }: APIServiceExport, request: APIServiceExportRequest | undefined): Asked {
  const policy = request?.status?.phase === 'Succeeded' ? request.spec.schemaUpdatePolicy : undefined;
  const { resources: wanted, permissionClaims } = spec;
  return { metadata, spec: { resources: wanted, ...(permissionClaims === undefined ? {} : { permissionClaims }), ...(policy === undefined ? {} : { schemaUpdatePolicy: policy }) } };
}
