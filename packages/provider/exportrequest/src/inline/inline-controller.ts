import { isAlreadyExists, type KubeObject, objectKey } from '@hawser/client';
import { type Controller, type Result, createController, done, park } from '@hawser/controller';
import { equal } from '@hawser/json';
import {
  annotations, type APIServiceExport, type APIServiceExportRequest, type APIServiceExportTemplate, apiVersion, catalogueGroup, klutchDialect,
} from '@hawser/klutch';
import { commitStatus, type CustomResourceDefinition, type InformerScope, type Isolation, resourceGroupName, resources } from '@hawser/kube-bind';
import type { SchemaPolicy } from '@hawser/schemagate';
import { fieldManager } from '../field-manager.js';
import { mayBind } from '../template/access-review.js';
import type { AdmissionMode } from '../template/admission.js';
import { binderOf } from '../template/binder.js';
import { decideInlineExport, withInlineVerdict } from './decide-inline-export.js';
import { decideInlineRequest, namesOf, type ObservedResource, ownReasons, withInlineAnswer } from './decide-inline-request.js';
import { createInlineSources, type InlineSource } from './inline-source.js';

export interface InlineExportOptions {
  /** How konnectors may watch; written into new exports. */
  readonly informerScope: InformerScope;
  /** How cluster-scoped objects of several consumers are kept apart; written into new exports of cluster-scoped resources. Default `Prefixed`, the only one that works in Klutch. */
  readonly isolation?: Isolation | undefined;
  /** `Exported`, the default, lets everybody bind what a template offers, as Klutch does; under `Template` the consumer needs the verb `bind` on it. */
  readonly admission?: AdmissionMode | undefined;
  /** What becomes of changed CRDs where the export does not say it. Default `Safe`. Klutch has `Always`. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /** Requests, and exports, that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

const dialect = klutchDialect;
const byResource = 'inline/resource';
const reviewAgainMs = 60_000;

/**
 * Answers requests of Klutch with one export for each resource, which carries the CRD, and carries changes of that CRD into the export as far as they break
 * nothing (spec/klutch.md §7.1, §7.2). Requests and exports are never deleted.
 */
export function createInlineExportController(options: InlineExportOptions): Controller<'provider'> {
  const { informerScope, isolation = 'Prefixed', admission = 'Exported', schemaPolicy = 'Safe', concurrency = 4 } = options;
  return createController<'provider'>(`exportrequest-${dialect.name}`, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.provider;
    const { clock, random } = ctx;
    const requests = scope.informer(informers.acquire<APIServiceExportRequest>({ resource: dialect.resources.apiServiceExportRequests }));
    const exports = scope.informer(informers.acquire<APIServiceExport>({ resource: dialect.resources.apiServiceExports }));
    const templates = scope.informer(informers.acquire<APIServiceExportTemplate>({ resource: dialect.resources.apiServiceExportTemplates }));
    // Templates select CRDs; there is no label.
    const crds = scope.informer(informers.acquire<CustomResourceDefinition>({ resource: resources.customResourceDefinitions }));
    requests.addIndex(byResource, (request) => (isPending(request) ? namesOf(request) : []));
    exports.addIndex(byResource, ({ metadata }) => [metadata.name]);
    templates.addIndex(byResource, ({ spec }) => [resourceGroupName(spec.APIServiceSelector)]);
    const sourceOf = createInlineSources();
    const requestQueue = scope.openQueue({ name: 'inlinerequest', concurrency, reconcile: reconcileRequest });
    const exportQueue = scope.openQueue({ name: 'inlineexport', concurrency, reconcile: reconcileExport });

    const askedFor = (name: string): void => { for (const request of requests.byIndex(byResource, name)) requestQueue.add(objectKey(request)); };
    scope.onChange(requests, (request) => { requestQueue.add(objectKey(request)); });
    scope.onChange(templates, ({ spec }) => { askedFor(resourceGroupName(spec.APIServiceSelector)); });
    scope.onChange(exports, (found) => {
      exportQueue.add(objectKey(found));
      askedFor(found.metadata.name);
    });
    scope.onChange(crds, ({ metadata: { name } }) => {
      askedFor(name);
      for (const found of exports.byIndex(byResource, name)) exportQueue.add(objectKey(found));
    });
    await scope.synced();

    async function reconcileRequest(key: string, signal: AbortSignal): Promise<Result> {
      const request = requests.get(key);
      if (request === undefined || request.metadata.deletionTimestamp !== undefined || !isPending(request)) return done;
      const observed = new Map<string, ObservedResource>();
      for (const name of namesOf(request)) observed.set(name, await observe(request, name, signal));
      const { create, problem, answered } = decideInlineRequest({ informerScope, isolation }, { request, resources: observed });
      for (const one of create) await createExport(one, signal);
      if (problem === undefined && !answered) return { kind: 'requeue', afterMs: 0 };
      const wanted = withInlineAnswer(request.status, problem, clock.now());
      if (!equal(wanted, request.status)) {
        const written = await commitStatus(client, dialect.resources.apiServiceExportRequests, request, (status) => withInlineAnswer(status, problem, clock.now()), { clock, random, signal });
        if (written !== undefined) requests.observe(written);
        if (problem !== undefined) tell('APIServiceExportRequest', request, problem.reason, problem.message);
      }
      if (problem === undefined) return done;
      // Nothing tells when somebody gets a right.
      return problem.reason === ownReasons.bindForbidden ? { kind: 'requeue', afterMs: reviewAgainMs * (0.8 + 0.4 * random()), priority: 'background' } : park;
    }

    async function observe(request: APIServiceExportRequest, name: string, signal: AbortSignal): Promise<ObservedResource> {
      const { namespace = '' } = request.metadata;
      const offered = [...templates.byIndex(byResource, name)].sort((one, other) => (objectKey(one) < objectKey(other) ? -1 : 1));
      const forbidden: string[] = [];
      let template: APIServiceExportTemplate | undefined;
      for (const candidate of offered) {
        if (admission === 'Exported' || await mayBind(client, binderOf(namespace, dialect.names.binder), { group: catalogueGroup, resource: 'apiserviceexporttemplates', name: candidate.metadata.name, namespace: candidate.metadata.namespace }, signal)) {
          template = candidate;
          break;
        }
        forbidden.push(objectKey(candidate));
      }
      return { source: source(name), template, forbidden, export: exports.get(objectKey({ namespace, name })) };
    }

    function source(name: string): InlineSource | undefined {
      const crd = crds.get(name);
      return crd === undefined || crd.metadata.deletionTimestamp !== undefined ? undefined : sourceOf(crd);
    }

    async function createExport(one: APIServiceExport, signal: AbortSignal): Promise<void> {
      const resource = dialect.resources.apiServiceExports;
      try {
        exports.observe(await client.create<APIServiceExport>(resource, one, { fieldManager, signal }));
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        exports.observe(await client.get<APIServiceExport>(resource, { namespace: one.metadata.namespace, name: one.metadata.name }, { signal }));
      }
    }

    async function reconcileExport(key: string, signal: AbortSignal): Promise<Result> {
      const found = exports.get(key);
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) return done;
      const verdict = decideInlineExport(found, source(found.metadata.name), schemaPolicy);
      if (verdict.kind === 'replace') {
        const { namespace, name, uid, resourceVersion, annotations: current } = found.metadata;
        exports.observe(await client.patch<APIServiceExport>(dialect.resources.apiServiceExports, { namespace, name }, {
          type: 'json',
          operations: [
            { op: 'test', path: '/metadata/uid', value: uid },
            // Unlike a test, this makes a change in between a conflict, which is tried again.
            { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
            { op: 'add', path: '/metadata/annotations', value: { ...current, [annotations.sourceSpecHash]: verdict.hash } },
            { op: 'add', path: '/spec/names', value: verdict.spec.names },
            { op: 'add', path: '/spec/versions', value: verdict.spec.versions },
          ],
        }, { fieldManager, signal }));
        return { kind: 'requeue', afterMs: 0 };
      }
      const wanted = withInlineVerdict(found.status, verdict, clock.now());
      if (equal(wanted, found.status)) return verdict.kind === 'held' ? park : done;
      const written = await commitStatus(client, dialect.resources.apiServiceExports, found, (status) => withInlineVerdict(status, verdict, clock.now()), { clock, random, signal });
      if (written !== undefined) exports.observe(written);
      if (verdict.kind === 'held') tell('APIServiceExport', found, verdict.reason, verdict.message);
      return verdict.kind === 'held' ? park : done;
    }

    function tell(kind: string, { metadata: { namespace, name, uid } }: KubeObject, reason: string, message: string): void {
      events.record({ apiVersion, kind, namespace, name, uid }, { type: 'Warning', reason, message });
    }
  });
}

function isPending({ status }: APIServiceExportRequest): boolean {
  return (status?.phase ?? 'Pending') === 'Pending';
}
