import { type KubeObject, getIfExists, isAlreadyExists, isForbidden } from '@hawser/client';
import { type Controller, type Queue, type Result, createController, done } from '@hawser/controller';
import { type APIExport, type APIResourceSchema, parseSchemaName, resources as kcpResources } from '@hawser/kcp-api';
import { type Agent, type Discover, createStatusWriter, publicationConditions, publishedResourcesOf } from '@hawser/publication';
import {
  type NewCondition, type PublishedResource, type PublishedResourceStatus, annotations, getCondition, labels, removeCondition, resources, setCondition,
} from '@hawser/syncagent-api';
import { type Candidate, candidateOf } from './candidate.js';
import { type Decision, decide } from './decide.js';
import { type Claimant, isOfOneKind, rivalOf } from './rivals.js';
import { schemaPolicyOf } from './schema-policy.js';

export interface APIResourceSchemaOptions {
  readonly agent: Agent;
  readonly discover: Discover;
  /** How often types without a CRD are looked at: nothing tells when they change. Default 10 min. */
  readonly recheckMs?: number | undefined;
}

const name = 'syncagent-apiresourceschema';
const schemasResource = kcpResources.apiResourceSchemas;

/**
 * Makes the APIResourceSchema of each PublishedResource in the provider workspace, and names it in the status (`spec/api-syncagent.md §10.1`). A changed schema
 * becomes another one; those that were are kept. One that breaks something is held where the PublishedResource says so.
 */
export function createAPIResourceSchema({ agent, discover, recheckMs = 600_000 }: APIResourceSchemaOptions): Controller<'service' | 'provider'> {
  return createController<'service' | 'provider'>(name, async (ctx, scope) => {
    const { service, provider } = ctx.clusters;
    const publishedResources = scope.informer(service.informers.acquire<PublishedResource>(publishedResourcesOf(agent)));
    const definitions = scope.informer(service.informers.acquire<KubeObject>({ resource: resources.customResourceDefinitions, projection: 'metadata' }));
    const schemas = scope.informer(provider.informers.acquire<KubeObject>({ resource: schemasResource, projection: 'metadata' }));
    // The one of the controller that writes it.
    const exports = scope.informer(provider.informers.acquire<APIExport>({ resource: kcpResources.apiExports, fieldSelector: `metadata.name=${agent.exportName}` }));
    const writer = createStatusWriter({ client: service.client, publishedResources, definitions, clock: ctx.clock, random: ctx.random, logger: ctx.logger });
    const queue: Queue = scope.openQueue({ name, concurrency: 4, reconcile });
    /** What was discovered, and what that depended on. */
    const candidates = new Map<string, { readonly of: string; readonly candidate: Candidate }>();
    /** What is published of PublishedResources that want another one by now. */
    const former = new Map<string, APIResourceSchema>();

    /** Schemas in the export that no PublishedResource has: those of former ones, and what people have put there. A schema does not change. */
    const left = new Map<string, APIResourceSchema>();
    /** PublishedResources whose kind one of those has. */
    const kept = new Set<string>();

    const lookAtKept = (): void => { for (const of of kept) queue.add(of); };
    scope.onChange(exports, lookAtKept);
    scope.onChange(publishedResources, ({ metadata }) => {
      queue.add(metadata.name, { resetBackoff: true });
      lookAtKept();
    });
    scope.onChange(definitions, ({ metadata }) => {
      for (const object of publishedResources.list()) if (isInGroup(metadata.name, object)) queue.add(object.metadata.name, { resetBackoff: true });
    });
    scope.own(schemas.addHandler({
      onDelete: ({ metadata }) => { for (const object of publishedResources.list()) if (object.status?.resourceSchemaName === metadata.name) queue.add(object.metadata.name); },
    }));
    await scope.synced();

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      const object = publishedResources.get({ name: key });
      // The schema outlives it, so that nothing in workspaces is lost.
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
        const schemasBefore = schemasOf(key);
        candidates.delete(key);
        former.delete(key);
        kept.delete(key);
        tellRivals(schemasBefore);
        return done;
      }
      const candidate = await discovered(object, signal);
      if (candidate.kind === 'problem') {
        await conclude(object, (status) => failed(status, candidate.reason, candidate.message), signal);
        // What the spec has got wrong only a change can mend; the events of that come by themselves.
        if (candidate.error !== undefined) throw candidate.error;
        return done;
      }
      const rival = rivalOf({ publishedResource: object, schema: candidate.schema }, claimants(key));
      if (rival !== undefined) {
        kept.delete(key);
        await conclude(object, (status) => failed(status, 'KindTaken', kindTaken(candidate.schema, rival)), signal);
        return done;
      }
      const remains = await remainsOf(object, candidate.schema, signal);
      if (remains === undefined) kept.delete(key);
      else {
        const before = kept.size;
        // It keeps the kind from nobody else now.
        if (kept.add(key).size > before) tellRivals([candidate.schema]);
        await conclude(object, (status) => failed(status, 'KindTaken', kindLeft(candidate.schema, remains, agent.exportName)), signal);
        return done;
      }
      try {
        await publish(object, candidate.schema, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        const said = error instanceof Error ? error.message : String(error);
        await conclude(object, (status) => failed(status, 'SchemaNotWritten', `APIResourceSchema ${candidate.schema.metadata.name} cannot be written: ${said}. The operator must see to the rights of the agent in the provider workspace, or the provider to the schema.`), signal);
        throw error;
      }
      if (candidate.watched) return done;
      candidates.set(key, { of: '', candidate });
      return { kind: 'requeue', afterMs: recheckMs * (1 - 0.2 * ctx.random()), priority: 'background' };
    }

    /** Asked for again only when the PublishedResource or a CRD of its group has changed. */
    async function discovered(object: PublishedResource, signal: AbortSignal): Promise<Candidate> {
      const { uid, generation } = object.metadata;
      const group = definitions.list().filter(({ metadata }) => isInGroup(metadata.name, object)).map(({ metadata }) => [metadata.name, metadata.uid, metadata.generation, metadata.annotations]);
      const of = JSON.stringify([uid, generation, ...group]);
      const known = candidates.get(object.metadata.name);
      const candidate = known?.of === of && known.candidate.kind === 'found' ? known.candidate : await candidateOf(object, agent.name, discover, signal);
      const published = await formerOf(object, candidate, signal);
      const before = schemasOf(object.metadata.name);
      candidates.set(object.metadata.name, { of, candidate });
      if (published === undefined) former.delete(object.metadata.name);
      else former.set(object.metadata.name, published);
      const now = schemasOf(object.metadata.name);
      tellRivals([...before.filter((schema) => !now.includes(schema)), ...now.filter((schema) => !before.includes(schema))]);
      return candidate;
    }

    /** What is published of it, if that is not what it wants. A schema does not change, so it is read once. */
    async function formerOf({ metadata: { name: of }, status }: PublishedResource, candidate: Candidate, signal: AbortSignal): Promise<APIResourceSchema | undefined> {
      const published = status?.resourceSchemaName ?? '';
      if (published === '' || (candidate.kind === 'found' && candidate.schema.metadata.name === published)) return undefined;
      return schemasOf(of).find(({ metadata }) => metadata.name === published) ?? getIfExists<APIResourceSchema>(provider.client, schemasResource, { name: published }, { signal });
    }

    /** What a PublishedResource wants, and what it has. */
    function schemasOf(of: string): readonly APIResourceSchema[] {
      const candidate = candidates.get(of)?.candidate;
      const before = former.get(of);
      return [...(candidate?.kind === 'found' ? [candidate.schema] : []), ...(before === undefined ? [] : [before])];
    }

    /** What the export still has of this kind under another plural, though nobody publishes it any more. What is published already has its kind. */
    async function remainsOf({ status }: PublishedResource, wanted: APIResourceSchema, signal: AbortSignal): Promise<APIResourceSchema | undefined> {
      if (status?.resourceSchemaName === wanted.metadata.name) return undefined;
      const published = new Set(publishedResources.list().flatMap(({ status: has }) => has?.resourceSchemaName ?? []));
      for (const { schema: of } of exports.get({ name: agent.exportName })?.spec?.resources ?? []) {
        if (published.has(of) || of === wanted.metadata.name || parseSchemaName(of)?.group !== wanted.spec.group) continue;
        const schema = left.get(of) ?? (await getIfExists<APIResourceSchema>(provider.client, schemasResource, { name: of }, { signal }));
        if (schema === undefined) continue;
        left.set(of, schema);
        if (isOfOneKind(wanted, schema)) return schema;
      }
      return undefined;
    }

    function claimants(besides: string): readonly Claimant[] {
      return publishedResources.list().filter(({ metadata }) => metadata.name !== besides).flatMap((publishedResource) => {
        const { name: of } = publishedResource.metadata;
        return (kept.has(of) ? [former.get(of)] : schemasOf(of)).flatMap((schema) => (schema === undefined ? [] : [{ publishedResource, schema }]));
      });
    }

    /** Whoever wants the same kind is looked at again. */
    function tellRivals(changed: readonly APIResourceSchema[]): void {
      for (const of of candidates.keys()) if (schemasOf(of).some((schema) => changed.some((other) => isOfOneKind(schema, other)))) queue.add(of);
    }

    async function publish(object: PublishedResource, candidate: APIResourceSchema, signal: AbortSignal): Promise<void> {
      const wanted = candidate.metadata.name;
      const before = object.status?.resourceSchemaName ?? '';
      const present = schemas.get({ name: wanted });
      const foreign = present !== undefined && present.metadata.annotations?.[annotations.agentName] !== agent.name;
      const gated = before !== '' && before !== wanted && schemaPolicyOf(object) !== 'Always';
      const [presentSpec, published] = await Promise.all([
        foreign ? getIfExists<APIResourceSchema>(provider.client, schemasResource, { name: wanted }, { signal }) : undefined,
        gated ? getIfExists<APIResourceSchema>(provider.client, schemasResource, { name: before }, { signal }) : undefined,
      ]);
      const decision = decide({ publishedResource: object, agentName: agent.name, candidate, present, presentSpec: presentSpec?.spec, published });
      if (decision.kind === 'publish') await act(decision.act, candidate, signal);
      await conclude(object, (status) => concluded(status, decision, wanted), signal);
    }

    async function act(what: 'create' | 'repairMarks' | 'nothing', candidate: APIResourceSchema, signal: AbortSignal): Promise<void> {
      const { name: wanted } = candidate.metadata;
      switch (what) {
        case 'nothing':
          return;
        case 'create':
          try {
            schemas.observe(await provider.client.create<KubeObject>(schemasResource, candidate, { representation: 'metadata', signal }));
          } catch (error) {
            // Made a moment ago, by us before a restart or by another agent: looked at again when its event comes.
            if (!isAlreadyExists(error)) throw error;
          }
          return;
        case 'repairMarks':
          try {
            const patch = { metadata: { labels: { [labels.agentName]: agent.name }, annotations: { [annotations.agentName]: agent.name } } };
            schemas.observe(await provider.client.patch<KubeObject>(schemasResource, { name: wanted }, { type: 'merge', patch }, { representation: 'metadata', signal }));
          } catch (error) {
            // The rights that agents are told to have do not contain it, and nothing depends on it (`spec/api-syncagent.md §17`, 26).
            if (!isForbidden(error)) throw error;
            ctx.logger.debug('An APIResourceSchema has no mark of its agent, which may not set it.', { name: wanted });
          }
      }
    }

    async function conclude(object: PublishedResource, change: (status: PublishedResourceStatus) => PublishedResourceStatus, signal: AbortSignal): Promise<void> {
      const observedGeneration = object.metadata.generation;
      const written = await writer.commit(object, (status) => ({ ...change(status), observedGeneration }), signal);
      if (written !== undefined && written !== object) tell(object, written);
    }

    /** What has become of conditions, once. */
    function tell(before: PublishedResource, after: PublishedResource): void {
      const news = (type: string): NewCondition | undefined => {
        const [was, is] = [before, after].map(({ status }) => getCondition(status?.conditions, type));
        return is === undefined || (was?.status === is.status && was.message === is.message) ? undefined : is;
      };
      const { apiVersion, kind, metadata } = after;
      const record = (reason: string, message: string): void => {
        service.events.record({ apiVersion, kind, name: metadata.name, uid: metadata.uid }, { type: 'Warning', reason, message });
      };
      const published = news(publicationConditions.schemaPublished);
      if (published?.status === 'False') record('ReconcilingError', published.message);
      const held = news(publicationConditions.schemaUpdateHeld);
      if (held?.status === 'True') record(held.reason, held.message);
    }

    function failed(status: PublishedResourceStatus, reason: string, message: string): PublishedResourceStatus {
      return { ...status, conditions: setCondition(status.conditions, { type: publicationConditions.schemaPublished, status: 'False', reason, message }, ctx.clock.now()) };
    }

    function concluded(status: PublishedResourceStatus, decision: Decision, wanted: string): PublishedResourceStatus {
      const now = ctx.clock.now();
      const published: NewCondition = { type: publicationConditions.schemaPublished, status: 'True', reason: 'Published', message: '' };
      switch (decision.kind) {
        case 'refuse':
          return failed(status, decision.reason, decision.message);
        case 'hold': {
          const conditions = setCondition(status.conditions, published, now);
          return { ...status, conditions: setCondition(conditions, { type: publicationConditions.schemaUpdateHeld, status: 'True', reason: decision.reason, message: decision.message }, now) };
        }
        case 'publish':
          return { ...status, resourceSchemaName: wanted, conditions: setCondition(removeCondition(status.conditions, publicationConditions.schemaUpdateHeld), published, now) };
      }
    }
  });
}

function kindTaken({ spec: { group, names } }: APIResourceSchema, { publishedResource, schema }: Claimant): string {
  return `Kind ${names.kind} of group ${JSON.stringify(group)} is that of ${schema.spec.names.plural}, which PublishedResource ${publishedResource.metadata.name} publishes: what consumers apply would go to either. The provider must give one of them another kind or group (spec.projection), or delete it.`;
}

function kindLeft({ spec: { group, names } }: APIResourceSchema, { metadata, spec }: APIResourceSchema, exportName: string): string {
  return `Kind ${names.kind} of group ${JSON.stringify(group)} is that of ${spec.names.plural}, which APIExport ${exportName} still has as ${metadata.name}, though no PublishedResource publishes it: what consumers apply would go to either. The operator must take that out of the APIExport, if no workspace has objects of it, or the provider must publish another kind or group (spec.projection).`;
}

/** A CRD is named after its group. */
function isInGroup(definition: string, { spec }: PublishedResource): boolean {
  return definition.endsWith(`.${spec.resource.apiGroup}`);
}
