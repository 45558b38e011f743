import { messageOf, sentence } from '@hawser/client';
import type { APIResourceSchema } from '@hawser/kcp-api';
import { type PublishedResource, annotations } from '@hawser/syncagent-api';
import type { Candidate, CandidateProblemReason } from './candidate.js';
import { type Decision, type Observed, decide } from './decide.js';
import { type Claimant, isOfOneKind, rivalOf } from './rivals.js';
import { schemaPolicyOf } from './schema-policy.js';

/** Everything that decides about one PublishedResource. Undefined: not read yet. */
export interface Known {
  /** Undefined: there is none. */
  readonly publishedResource: PublishedResource | undefined;
  readonly agentName: string;
  readonly exportName: string;
  readonly candidate?: Candidate | undefined;
  /** The other PublishedResources, with their wanted and present schemas. */
  readonly claimants: readonly Claimant[];
  /** Schemas that the export still has although no PublishedResource publishes them. */
  readonly remains?: readonly APIResourceSchema[] | undefined;
  /** The cached object with the candidate's name in the workspace; undefined: none. */
  readonly present: Observed['present'];
  readonly schemas?: Pick<Observed, 'present' | 'presentSpec' | 'published'> | undefined;
  /** Why the schemas could not be read. */
  readonly unread?: Error | undefined;
}

/** What to read before the next decision. */
export type Question =
  | { readonly type: 'discover' }
  | { readonly type: 'readRemains'; readonly schema: APIResourceSchema }
  /** Undefined names need not be read. */
  | {
      readonly type: 'readSchemas';
      readonly present: Observed['present'];
      readonly specOf: string | undefined;
      readonly published: string | undefined;
    };

export type FailureReason = CandidateProblemReason | 'KindTaken' | 'SchemaNotWritten';

/** Closed; only the controller carries it out. */
export type Publication =
  /** It is gone or terminating. The schema outlives it, so workspaces lose nothing. */
  | { readonly kind: 'forget' }
  | { readonly kind: 'ask'; readonly question: Question }
  /**
   * Nothing is published. `error`: decides whether a retry can help; without one only a change can, and its event will
   * come. `keptBy`: the holder of the kind; remembered, because the export's events do not name the PublishedResource.
   */
  | {
      readonly kind: 'fail';
      readonly reason: FailureReason;
      readonly message: string;
      readonly error?: Error | undefined;
      readonly keptBy?: 'rival' | 'export';
    }
  | {
      readonly kind: 'conclude';
      readonly decision: Decision;
      readonly schema: APIResourceSchema;
      /** A CRD reports changes of the schema by events. */ readonly watched: boolean;
    };

/** Decides about one PublishedResource (`spec/api-syncagent.md §10.1`). Pure. */
export function decidePublication(known: Known): Publication {
  const { publishedResource, candidate, agentName } = known;
  if (publishedResource === undefined || publishedResource.metadata.deletionTimestamp !== undefined)
    return { kind: 'forget' };
  if (candidate === undefined) return ask({ type: 'discover' });
  if (candidate.kind === 'problem')
    return { kind: 'fail', reason: candidate.reason, message: candidate.message, error: candidate.error };
  const { schema, watched } = candidate;
  const rival = rivalOf({ publishedResource, schema }, known.claimants);
  if (rival !== undefined)
    return { kind: 'fail', reason: 'KindTaken', message: kindTaken(schema, rival), keptBy: 'rival' };
  // A published one already has its kind.
  if (publishedResource.status?.resourceSchemaName !== schema.metadata.name) {
    if (known.remains === undefined) return ask({ type: 'readRemains', schema });
    const remains = known.remains.find((other) => isOfOneKind(schema, other));
    if (remains !== undefined)
      return {
        kind: 'fail',
        reason: 'KindTaken',
        message: kindLeft(schema, remains, known.exportName),
        keptBy: 'export',
      };
  }
  if (known.unread !== undefined)
    return { kind: 'fail', reason: 'SchemaNotWritten', message: notWritten(schema, known.unread), error: known.unread };
  if (known.schemas === undefined) return ask(schemasToRead(publishedResource, schema, known));
  return {
    kind: 'conclude',
    decision: decide({ publishedResource, agentName, candidate: schema, ...known.schemas }),
    schema,
    watched,
  };
}

/** Reads only what the decision depends on. */
function schemasToRead(
  publishedResource: PublishedResource,
  { metadata: { name } }: APIResourceSchema,
  { present, agentName }: Known,
): Question {
  const before = publishedResource.status?.resourceSchemaName ?? '';
  const isForeign = present !== undefined && present.metadata.annotations?.[annotations.agentName] !== agentName;
  const isGated = before !== '' && before !== name && schemaPolicyOf(publishedResource) !== 'Always';
  return {
    type: 'readSchemas',
    present,
    specOf: isForeign ? name : undefined,
    published: isGated ? before : undefined,
  };
}

function ask(question: Question): Publication {
  return { kind: 'ask', question };
}

export function notWritten({ metadata }: APIResourceSchema, error: unknown): string {
  return `APIResourceSchema ${metadata.name} cannot be written: ${sentence(messageOf(error))} The operator must see to the rights of the agent in the provider workspace, or the provider to the schema.`;
}

function kindTaken({ spec: { group, names } }: APIResourceSchema, { publishedResource, schema }: Claimant): string {
  return `Kind ${names.kind} of group ${JSON.stringify(group)} is that of ${schema.spec.names.plural}, which PublishedResource ${publishedResource.metadata.name} publishes: what consumers apply would go to either. The provider must give one of them another kind or group (spec.projection), or delete it.`;
}

function kindLeft(
  { spec: { group, names } }: APIResourceSchema,
  { metadata, spec }: APIResourceSchema,
  exportName: string,
): string {
  return `Kind ${names.kind} of group ${JSON.stringify(group)} is that of ${spec.names.plural}, which APIExport ${exportName} still has as ${metadata.name}, though no PublishedResource publishes it: what consumers apply would go to either. The operator must take that out of the APIExport, if no workspace has objects of it, or the provider must publish another kind or group (spec.projection).`;
}
