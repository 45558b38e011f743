import { objectKey } from '@hawser/client';
import { type Controller, type Result, createController, done, park } from '@hawser/controller';
import { type APIServiceExport, type BoundSchema, resourceGroupName, resources } from '@hawser/kube-bind';
import { actExport } from './act-export.js';
import { decideExport } from './decide-export.js';

export interface ExportOptions {
  /** APIServiceExports that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

const name = 'export';
const bySchema = 'export/boundschema';
/** Two writes, and one look to see that nothing is left; more only if somebody else is writing too. */
const maxRounds = 5;

/**
 * Keeps the annotation `kube-bind.io/source-spec-hash` and the condition `ProviderInSync` of each APIServiceExport in step with its BoundSchemas
 * (spec/kube-bind-backend.md §10.4). The annotation is what makes a konnector look at changed BoundSchemas.
 */
export function createExportController(options: ExportOptions = {}): Controller<'provider'> {
  return createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers } = ctx.clusters.provider;
    const exports = scope.informer(informers.acquire<APIServiceExport>({ resource: resources.apiServiceExports }));
    const boundSchemas = scope.informer(informers.acquire<BoundSchema>({ resource: resources.boundSchemas }));
    exports.addIndex(bySchema, ({ metadata: { namespace }, spec }) => spec.resources.map((resource) => objectKey({ namespace, name: resourceGroupName(resource) })));
    const queue = scope.openQueue({ name, concurrency: options.concurrency ?? 4, reconcile });

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
    await scope.synced();

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      for (let round = 1; round <= maxRounds; round++) {
        const found = exports.get(key);
        const { actions, verdict } = decideExport({ export: found, boundSchemas: schemasOf(found) }, ctx.clock.now());
        const [action] = actions;
        if (action === undefined) return verdict.kind === 'boundSchemasMissing' ? park : done;
        ctx.logger.info('An APIServiceExport needs something.', { key, action: action.type });
        await actExport({ client, clock: ctx.clock, random: ctx.random, exports }, action, signal);
      }
      return { kind: 'requeue', afterMs: 1_000 };
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
