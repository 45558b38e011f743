import { type Client, listAll } from '@hawser/client';
import { type SharedInformers, parseClusterKey } from '@hawser/informer';
import { type Finding, type Standing, netWrites, worst } from '@hawser/preview';
import { type Agent, type ExportLocation, publishedResourcesOf } from '@hawser/publication';
import { type PublishedResource, resources } from '@hawser/syncagent-api';
import type { Publication, Syncmanager } from '@hawser/syncmanager';

import { conditionFindings, findingOf, silence, unreadable } from './findings.js';
import { dated, reportObject } from './object-report.js';
import { type Workspace, targetId } from './request-target.js';
import type { RehearsedWrite } from './rehearsal.js';
import type { AgentReport, ObjectReport, PublicationReport, ResourceNames } from './report.js';
import { withheldWrites } from './withheld-writes.js';

/** An agent that has done all it can with the clients of a rehearsal. */
export interface RehearsedAgent {
  readonly agent: Agent;
  readonly location: ExportLocation;
  /** Undefined: switched off. */
  readonly manager: Pick<Syncmanager, 'publications' | 'engagements'> | undefined;
  /** Client of the rehearsal. */
  readonly service: Client;
  /** Informers of the clusters that its controllers share. */
  readonly informers: readonly SharedInformers[];
  readonly writes: readonly RehearsedWrite[];
  /** Whether it has come to rest. */
  readonly settled: boolean;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Limit of objects to date: each takes a request. */
const DATED = 50;

/**
 * What an agent would do, and how everything stands until then. @throws ApiError if PublishedResources cannot be listed
 */
export async function explainAgent(
  { agent, location, manager, service, informers, writes: all, settled, nowMs }: RehearsedAgent,
  signal: AbortSignal,
): Promise<AgentReport> {
  const withheld = (manager?.publications ?? []).flatMap(({ publishedResource, kinds, sync }) =>
    sync.keys().flatMap((object) => {
      const { withheld: actions = [] } = sync.plan(object);
      return withheldWrites(actions, kinds, parseClusterKey(object).cluster, { publishedResource, object });
    }),
  );
  const writes = [...netWrites(all, targetId), ...withheld];
  const { resource, labelSelector } = publishedResourcesOf(agent);
  const objects = await listAll<PublishedResource>(service, resource, { labelSelector, signal });
  const engagements = manager?.engagements ?? [];
  const workspaces = workspacesOf(location, engagements);
  const workspaceOf = (cluster: string): Workspace =>
    workspaces.find((one) => one.cluster === cluster) ?? { cluster, path: undefined };
  const running = manager?.publications ?? [];
  const gone = running.filter(
    ({ publishedResource }) => !objects.some(({ metadata }) => metadata.name === publishedResource),
  );
  const bound = engagements.some(({ workspaces: { names } }) => [...names].length > 0);

  const publications: PublicationReport[] = [];
  for (const object of objects) {
    const publication = running.find(({ publishedResource }) => publishedResource === object.metadata.name);
    const before = (writes.find((write) => isAbout(write, object.metadata.name))?.before ??
      object) as PublishedResource;
    publications.push(await reportPublication({ object, before, publication }));
  }
  for (const publication of gone)
    publications.push(await reportPublication({ object: undefined, before: undefined, publication }));

  const silent = writes.length === 0 ? undefined : await silence(service, agent, nowMs, signal);
  const findings: readonly Finding[] = [
    ...unreadable([...informers, ...engagements.map((engagement) => engagement.informers)]),
    ...(silent === undefined ? [] : [silent]),
    ...(settled ? [] : [UNSETTLED]),
  ];
  return {
    agent: agent.name,
    export: {
      name: location.exportName,
      workspace: { cluster: location.provider.cluster, path: location.provider.path },
    },
    standing: worst([
      findings.length > 0 ? 'held' : writes.length > 0 ? 'underWay' : 'inStep',
      ...publications.map(({ standing }) => standing),
    ]),
    findings,
    publications,
    workspaces,
    writes,
  };

  async function reportPublication({ object, before, publication }: PublicationInput): Promise<PublicationReport> {
    const name = object?.metadata.name ?? publication?.publishedResource ?? '';
    const reports = publication === undefined ? [] : await reportObjects(name, publication);
    const troubles = (publication?.sync.troubles() ?? []).map(findingOf);
    const reported = object === undefined ? [] : conditionFindings(object, before, publication !== undefined);
    const wanted =
      object !== undefined &&
      object.spec.synchronization?.enabled !== false &&
      object.metadata.deletionTimestamp === undefined;
    const waits = wanted && publication === undefined && bound && reported.length === 0 ? [NOT_SERVED] : [];
    const findings = [...reported, ...troubles, ...waits];
    const due = writes.some((write) => write.purpose?.publishedResource === name || isAbout(write, name));
    const own: Standing = findings.some(({ actor }) => actor !== 'nobody')
      ? 'held'
      : due || findings.length > 0
        ? 'underWay'
        : 'inStep';
    return {
      name,
      phase: object?.status?.phase,
      schema: object?.status?.resourceSchemaName,
      standing: worst([own, ...reports.map(({ standing }) => standing)]),
      findings,
      names: namesOf(object, publication),
      namespaced: publication === undefined ? undefined : publication.kinds.kcp.scope === 'Namespaced',
      objects: reports,
    };
  }

  async function reportObjects(name: string, { sync, kinds }: Publication): Promise<readonly ObjectReport[]> {
    const own = writes.filter(({ purpose }) => purpose?.publishedResource === name);
    const byObject = Map.groupBy(own, ({ purpose }) => purpose?.object ?? '');
    const keys = new Set([...sync.keys(), ...byObject.keys(), ...sync.problems().map(({ object }) => object)]);
    const reports = [...keys].sort().flatMap(
      (key) =>
        reportObject(key, byObject.get(key) ?? [], {
          publishedResource: name,
          kind: kinds.kcp.kind,
          sync,
          workspaceOf,
        }) ?? [],
    );
    const result: ObjectReport[] = [];
    let asked = 0;
    for (const report of reports)
      result.push(report.standing === 'held' && asked++ < DATED ? await dated(report, engagements, signal) : report);
    return result;
  }
}

interface PublicationInput {
  /** Its state after the writes; undefined if it is gone by then. */
  readonly object: PublishedResource | undefined;
  /** Its current state. */
  readonly before: PublishedResource | undefined;
  readonly publication: Publication | undefined;
}

const NOT_SERVED: Finding = {
  reason: 'NotServed',
  message:
    'kcp does not serve it to the agent, or not yet: as long as its schema is on its way into the APIExport and the workspaces.',
  actor: 'nobody',
};
const UNSETTLED: Finding = {
  reason: 'NotKnown',
  message: 'Something that the agent waits for did not come in time, so that not everything could be looked at.',
  actor: 'nobody',
};

function workspacesOf(
  { provider, endpoints }: ExportLocation,
  engagements: readonly {
    readonly workspaces: { readonly names: Iterable<string>; pathOf(cluster: string): string | undefined };
  }[],
): readonly Workspace[] {
  const consumers = engagements.flatMap(({ workspaces }) =>
    [...workspaces.names].map((cluster): Workspace => ({ cluster, path: workspaces.pathOf(cluster) })),
  );
  return [...consumers, ...[provider, endpoints].map(({ cluster, path }): Workspace => ({ cluster, path }))];
}

function namesOf(
  object: PublishedResource | undefined,
  publication: Publication | undefined,
): readonly ResourceNames[] {
  if (publication !== undefined)
    return [publication.kinds.kcp, publication.kinds.service].map(({ resource: { group, resource }, kind }) => ({
      group,
      plural: resource,
      kind,
    }));
  if (object === undefined) return [];
  const {
    resource: { apiGroup, kind },
    projection,
  } = object.spec;
  return [{ group: projection?.group ?? apiGroup, plural: projection?.plural ?? '', kind: projection?.kind ?? kind }];
}

/** Whether a write is to a PublishedResource itself. */
function isAbout({ resource, key }: RehearsedWrite, publishedResource: string): boolean {
  return resource.resource === resources.publishedResources.resource && key.name === publishedResource;
}
