import type { APIResourceSchema } from '@hawser/kcp-api';
import { type Comparison, type SchemaChange, compareDefinitions, definitionOf, describeChange } from '@hawser/schemadiff';
import { type PublishedResource, annotations, labels } from '@hawser/syncagent-api';
import { approvalAnnotation, isApproved, prefixOf, schemaPolicyOf } from './schema-policy.js';

/** What is known before anything is written. */
export interface Observed {
  readonly publishedResource: PublishedResource;
  readonly agentName: string;
  /** The schema as it is wanted. */
  readonly candidate: APIResourceSchema;
  /** What has the candidate's name in the provider workspace. */
  readonly present: Pick<APIResourceSchema, 'metadata'> | undefined;
  /** Its spec, where it is not of this agent. */
  readonly presentSpec: APIResourceSchema['spec'] | undefined;
  /** What is published now, if that is another one and is still there. */
  readonly published: APIResourceSchema | undefined;
}

export type HeldReason = 'BreakingSchemaChange' | 'IncompatibleSchemaChange' | 'SchemaUpdatesOff';

export type Decision =
  /** `act`: what is missing before it can be named in the status. */
  | { readonly kind: 'publish'; readonly act: 'create' | 'repairMarks' | 'nothing' }
  /** The one that is published stays. */
  | { readonly kind: 'hold'; readonly reason: HeldReason; readonly message: string }
  /** The name is taken by something else. */
  | { readonly kind: 'refuse'; readonly reason: 'SchemaNameTaken'; readonly message: string };

/** Fields that a message names. */
const NAMED = 12;

/** What becomes of the wanted schema (`spec/api-syncagent.md §10.1`). Pure. */
export function decide({ publishedResource, agentName, candidate, present, presentSpec, published }: Observed): Decision {
  const held = published === undefined ? undefined : hold(publishedResource, candidate, published);
  if (held !== undefined) return held;
  if (present === undefined) return { kind: 'publish', act: 'create' };
  const annotated = present.metadata.annotations?.[annotations.agentName];
  const labelled = present.metadata.labels?.[labels.agentName];
  const owner = annotated ?? labelled;
  if (owner !== agentName && presentSpec !== undefined && differs(presentSpec, candidate)) {
    return {
      kind: 'refuse', reason: 'SchemaNameTaken',
      message: `APIResourceSchema ${candidate.metadata.name} is there already with another content${owner === undefined ? '' : ` (agent ${owner})`}. The operator must delete it, if no APIExport lists it.`,
    };
  }
  // Of another agent with the same content: it serves both, and nobody writes to it.
  if (owner !== undefined && owner !== agentName) return { kind: 'publish', act: 'nothing' };
  return { kind: 'publish', act: annotated === agentName && labelled === agentName ? 'nothing' : 'repairMarks' };
}

function differs(spec: APIResourceSchema['spec'], candidate: APIResourceSchema): boolean {
  const [a, b] = [definitionOf(spec), definitionOf(candidate.spec)];
  return compareDefinitions(a, b).changes.length > 0 || compareDefinitions(b, a).changes.length > 0;
}

function hold(publishedResource: PublishedResource, candidate: APIResourceSchema, published: APIResourceSchema): Decision | undefined {
  const { name } = candidate.metadata;
  const policy = schemaPolicyOf(publishedResource);
  if (policy === 'Always' || isApproved(publishedResource, name)) return undefined;
  const comparison = compareDefinitions(definitionOf(published.spec), definitionOf(candidate.spec));
  const approve = `To publish it all the same, the provider sets the annotation ${approvalAnnotation}: ${prefixOf(name)}.`;
  const kept = `${published.metadata.name} stays published.`;
  if (policy === 'Never') return { kind: 'hold', reason: 'SchemaUpdatesOff', message: `The schema has changed, but is not to be updated. ${kept} ${fieldsOf(comparison)} ${approve}` };
  switch (comparison.severity) {
    case 'safe':
      return undefined;
    case 'breaking':
      return { kind: 'hold', reason: 'BreakingSchemaChange', message: `The schema has changed in a way that may break objects in workspaces. ${kept} ${fieldsOf(comparison)} ${approve}` };
    case 'incompatible':
      return { kind: 'hold', reason: 'IncompatibleSchemaChange', message: `The schema has changed to one that objects in workspaces do not fit. ${kept} ${fieldsOf(comparison)} ${approve}` };
  }
}

/** The worst first: those are what approval is about. */
function fieldsOf({ changes }: Comparison): string {
  const rank: Readonly<Record<SchemaChange['severity'], number>> = { incompatible: 0, breaking: 1, safe: 2 };
  const named = changes.toSorted((a, b) => rank[a.severity] - rank[b.severity]).slice(0, NAMED).map(describeChange);
  if (named.length === 0) return 'Nothing changes that objects depend on.';
  return `${named.join('; ')}${changes.length > named.length ? `; and ${changes.length - named.length} more` : ''}.`;
}
