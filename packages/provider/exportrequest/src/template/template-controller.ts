import { isTerminating, objectKey } from '@hawser/client';
import { type Controller, type Setup, type Watched, controller } from '@hawser/controller';
import {
  type APIServiceExportTemplate,
  type CustomResourceDefinition,
  type InformerScope,
  type Isolation,
  labels,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { createSchemaStamper, type SourceSchema } from '../source-schema.js';
import type { AdmissionMode } from './admission.js';
import { decideTemplate, type ObservedTemplate } from './decide-template.js';
import { problemEvents } from './problem-events.js';

export interface TemplateOptions {
  /** As of the request controller. */
  readonly informerScope: InformerScope;
  readonly isolation: Isolation;
  /** As of the request controller. Default `Exported`. */
  readonly admission?: AdmissionMode | undefined;
  /** Templates processed at a time. Default 2. */
  readonly concurrency?: number | undefined;
}

interface Seen {
  /** Undefined: gone or terminating. */
  readonly observed: ObservedTemplate | undefined;
  readonly now: number;
}

const byResource = 'exporttemplate/resource';

/**
 * Reports problems on each APIServiceExportTemplate: a CRD that does not exist or cannot be exported, an impossible
 * claim, a resource that another template offers too. Writes only its status, and nothing without a problem.
 */
export function createTemplateController(options: TemplateOptions): Controller<'provider'> {
  const stamp = { informerScope: options.informerScope, isolation: options.isolation };
  const { concurrency = 2, admission = 'Exported' } = options;

  return controller('exporttemplate', (setup: Setup<'provider'>) => {
    const caches = watchTemplates(setup);
    const stamper = createSchemaStamper();
    const sourceOf = (resource: string): readonly (readonly [string, SourceSchema])[] => {
      const crd = caches.crdOf(resource);
      return crd === undefined ? [] : [[resource, stamper.stamp(crd, stamp)]];
    };
    return {
      concurrency,
      observe(key): Seen {
        const template = caches.templates.get(key);
        const now = setup.clock.now();
        if (template === undefined || isTerminating(template)) return { observed: undefined, now };
        const offered = resourcesOf(template);
        const sources = new Map(offered.flatMap(sourceOf));
        const others = new Map(offered.map((resource) => [resource, caches.othersWith(resource, template)]));
        return { observed: { template, sources, others, admission }, now };
      },
      decide({ observed, now }) {
        const conditions = observed === undefined ? undefined : decideTemplate(observed, now);
        if (observed === undefined || conditions === undefined) return { actions: [] };
        return { actions: [{ type: 'writeConditions', template: observed.template, conditions }] };
      },
      async act({ template, conditions }, signal) {
        const events = problemEvents(template, conditions);
        await caches.templates.commitStatus(template, (status) => ({ ...status, conditions }), signal, events);
      },
    };
  });
}

interface Caches {
  readonly templates: Watched<APIServiceExportTemplate>;
  /** Exported CRDs; undefined also for a terminating one. */
  crdOf(resource: string): CustomResourceDefinition | undefined;
  /** Names of the other templates with that resource, sorted. */
  othersWith(resource: string, template: APIServiceExportTemplate): readonly string[];
}

function watchTemplates({ clusters: { provider }, watch }: Setup<'provider'>): Caches {
  const offering = (resource: string): readonly string[] => templates.byIndex(byResource, resource).map(objectKey);
  const templates = watch<APIServiceExportTemplate>(
    provider,
    { resource: resources.apiServiceExportTemplates, kind: 'APIServiceExportTemplate' },
    // A change of its offers concerns the other templates with the same resources.
    (template) => [objectKey(template), ...resourcesOf(template).flatMap(offering)],
  );
  templates.addIndex(byResource, (template) => [...new Set(resourcesOf(template))]);
  const labelSelector = `${labels.exported}=true`;
  const crds = watch<CustomResourceDefinition>(
    provider,
    { resource: resources.customResourceDefinitions, kind: 'CustomResourceDefinition', labelSelector },
    ({ metadata }) => offering(metadata.name),
  );
  return {
    templates,
    crdOf(resource) {
      const crd = crds.get(resource);
      return crd === undefined || isTerminating(crd) ? undefined : crd;
    },
    othersWith: (resource, { metadata }) =>
      templates
        .byIndex(byResource, resource)
        .map((other) => other.metadata.name)
        .filter((name) => name !== metadata.name)
        .sort(),
  };
}

const resourcesOf = ({ spec }: APIServiceExportTemplate): readonly string[] => spec.resources.map(resourceGroupName);
