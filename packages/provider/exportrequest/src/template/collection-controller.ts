import { isTerminating, objectKey } from '@hawser/client';
import { type Controller, type Setup, controller, toOwnKey } from '@hawser/controller';
import { type APIServiceExportTemplate, type Collection, resources } from '@hawser/kube-bind';
import { decideCollection } from './decide-template.js';
import { problemEvents } from './problem-events.js';

interface Seen {
  /** Undefined: gone or terminating. */
  readonly collection: Collection | undefined;
  /** Its existing templates. */
  readonly present: ReadonlySet<string>;
  readonly now: number;
}

const byTemplate = 'exportcollection/template';

/** Reports missing templates on each Collection. Writes only its status, and nothing without a problem. */
export function createCollectionController(): Controller<'provider'> {
  return controller('exportcollection', ({ clusters: { provider }, clock, watch }: Setup<'provider'>) => {
    const collections = watch<Collection>(provider, { resource: resources.collections, kind: 'Collection' }, toOwnKey);
    collections.addIndex(byTemplate, ({ spec }) => [...new Set(spec.templates.map(({ name }) => name))]);
    const templates = watch<APIServiceExportTemplate>(
      provider,
      { resource: resources.apiServiceExportTemplates, kind: 'APIServiceExportTemplate' },
      ({ metadata }) => collections.byIndex(byTemplate, metadata.name).map(toOwnKey),
      { changed: () => false },
    );
    return {
      concurrency: 2,
      observe(key): Seen {
        const found = collections.get(key);
        const collection = found === undefined || isTerminating(found) ? undefined : found;
        const named = collection?.spec.templates.map(({ name }) => name) ?? [];
        const present = new Set(named.filter((name) => templates.get(objectKey({ name })) !== undefined));
        return { collection, present, now: clock.now() };
      },
      decide({ collection, present, now }) {
        const conditions =
          collection === undefined ? undefined : decideCollection(collection, (name) => present.has(name), now);
        if (collection === undefined || conditions === undefined) return { actions: [] };
        return { actions: [{ type: 'writeConditions', collection, conditions }] };
      },
      async act({ collection, conditions }, signal) {
        const events = problemEvents(collection, conditions);
        await collections.commitStatus(collection, (status) => ({ ...status, conditions }), signal, events);
      },
    };
  });
}
