import { objectKey } from '@hawser/client';
import { type Controller, type Result, createController, done } from '@hawser/controller';
import {
  type APIServiceExportTemplate,
  apiVersion,
  type Collection,
  commitStatus,
  type Condition,
  conditionTypes,
  type Conditions,
  type CustomResourceDefinition,
  type InformerScope,
  type Isolation,
  labels,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { createSchemaStamper, type SourceSchema } from '../source-schema.js';
import type { AdmissionMode } from './admission.js';
import { decideCollection, decideTemplate } from './decide-template.js';

export interface TemplateOptions {
  /** As of the request controller. */
  readonly informerScope: InformerScope;
  readonly isolation: Isolation;
  /** As of the request controller. Default `Exported`. */
  readonly admission?: AdmissionMode | undefined;
  /** Templates, and collections, that are worked on at a time. Default 2. */
  readonly concurrency?: number | undefined;
}

const name = 'exporttemplate';
const byResource = 'exporttemplate/resource';
const byTemplate = 'exporttemplate/template';

/**
 * Tells on each APIServiceExportTemplate and Collection what is wrong with it: a CRD that does not exist or cannot be exported, a claim that nobody can make,
 * a resource that another template offers too, a template that is not there. Writes nothing but their status, and nothing where there is nothing to say.
 */
export function createTemplateController(options: TemplateOptions): Controller<'provider'> {
  const stamp = { informerScope: options.informerScope, isolation: options.isolation };
  const { concurrency = 2, admission = 'Exported' } = options;

  return createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.provider;
    const { clock, random } = ctx;
    const templates = scope.informer(
      informers.acquire<APIServiceExportTemplate>({ resource: resources.apiServiceExportTemplates }),
    );
    const collections = scope.informer(informers.acquire<Collection>({ resource: resources.collections }));
    const crds = scope.informer(
      informers.acquire<CustomResourceDefinition>({
        resource: resources.customResourceDefinitions,
        labelSelector: `${labels.exported}=true`,
      }),
    );
    templates.addIndex(byResource, ({ spec }) => [...new Set(spec.resources.map(resourceGroupName))]);
    collections.addIndex(byTemplate, ({ spec }) => [...new Set(spec.templates.map((template) => template.name))]);
    const stamper = createSchemaStamper();
    const templateQueue = scope.openQueue({ name, concurrency, reconcile: reconcileTemplate });
    const collectionQueue = scope.openQueue({ name: 'exportcollection', concurrency, reconcile: reconcileCollection });

    const offersOf = (resource: string): void => {
      for (const template of templates.byIndex(byResource, resource)) templateQueue.add(objectKey(template));
    };
    const templateChanged = (template: APIServiceExportTemplate): void => {
      templateQueue.add(objectKey(template));
      template.spec.resources.map(resourceGroupName).forEach(offersOf);
      for (const collection of collections.byIndex(byTemplate, template.metadata.name))
        collectionQueue.add(objectKey(collection));
    };
    scope.own(
      templates.addHandler({
        onAdd: templateChanged,
        onUpdate(before, after) {
          // What it no longer offers concerns the others that do.
          templateChanged(before);
          templateChanged(after);
        },
        onDelete: templateChanged,
      }),
    );
    scope.onChange(crds, (crd) => {
      offersOf(objectKey(crd));
    });
    scope.onChange(collections, (collection) => {
      collectionQueue.add(objectKey(collection));
    });
    await scope.synced();

    async function reconcileTemplate(key: string, signal: AbortSignal): Promise<Result> {
      const template = templates.get(key);
      if (template === undefined || template.metadata.deletionTimestamp !== undefined) return done;
      const sources = new Map<string, SourceSchema>();
      const others = new Map<string, readonly string[]>();
      for (const resource of template.spec.resources.map(resourceGroupName)) {
        const crd = crds.get(resource);
        if (crd !== undefined && crd.metadata.deletionTimestamp === undefined)
          sources.set(resource, stamper.stamp(crd, stamp));
        others.set(
          resource,
          templates
            .byIndex(byResource, resource)
            .map(({ metadata }) => metadata.name)
            .filter((other) => other !== template.metadata.name)
            .sort(),
        );
      }
      const conditions = decideTemplate({ template, sources, others, admission }, clock.now());
      if (conditions === undefined) return done;
      const written = await commitStatus(
        client,
        resources.apiServiceExportTemplates,
        template,
        (status) => ({ ...status, conditions }),
        { clock, random, signal },
      );
      if (written !== undefined) templates.observe(written);
      tell('APIServiceExportTemplate', template, conditions);
      return done;
    }

    async function reconcileCollection(key: string, signal: AbortSignal): Promise<Result> {
      const collection = collections.get(key);
      if (collection === undefined || collection.metadata.deletionTimestamp !== undefined) return done;
      const conditions = decideCollection(
        collection,
        (template) => templates.get(objectKey({ name: template })) !== undefined,
        clock.now(),
      );
      if (conditions === undefined) return done;
      const written = await commitStatus(
        client,
        resources.collections,
        collection,
        (status) => ({ ...status, conditions }),
        { clock, random, signal },
      );
      if (written !== undefined) collections.observe(written);
      tell('Collection', collection, conditions);
      return done;
    }

    /** By an Event for each condition that says something new. */
    function tell(
      kind: string,
      { metadata, status }: APIServiceExportTemplate | Collection,
      conditions: Conditions,
    ): void {
      const before: readonly Condition[] = status?.conditions ?? [];
      for (const condition of conditions) {
        const { type, status: value, reason = '', message = '' } = condition;
        if (value !== 'False' || type === conditionTypes.ready || before.includes(condition)) continue;
        events.record(
          { apiVersion, kind, name: metadata.name, uid: metadata.uid },
          { type: 'Warning', reason, message },
        );
      }
    }
  });
}
