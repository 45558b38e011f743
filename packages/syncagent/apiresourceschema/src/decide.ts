import type { APIResourceSchema } from '@hawser/kcp-api';
import { compareDefinitions, definitionOf, describeChanges } from '@hawser/schemadiff';
import { judge } from '@hawser/schemagate';
import { type PublishedResource, annotations, labels } from '@hawser/syncagent-api';
import { approvalAnnotation, isApproved, prefixOf, schemaPolicyOf } from './schema-policy.js';

/** The state before any write. */
export interface Observed {
  readonly publishedResource: PublishedResource;
  readonly agentName: string;
  /** The wanted schema. */
  readonly candidate: APIResourceSchema;
  /** The object with the candidate's name in the provider workspace. */
  readonly present: Pick<APIResourceSchema, 'metadata'> | undefined;
  /** Its spec, if it is another agent's. */
  readonly presentSpec: APIResourceSchema['spec'] | undefined;
  /** The published schema, if that is another one and still exists. */
  readonly published: APIResourceSchema | undefined;
}

export type HeldReason = 'BreakingSchemaChange' | 'IncompatibleSchemaChange' | 'SchemaUpdatesOff';

export type Decision =
  /** `act`: needed before the status can name it. */
  | { readonly kind: 'publish'; readonly act: 'create' | 'repairMarks' | 'nothing' }
  /** The published one stays. */
  | { readonly kind: 'hold'; readonly reason: HeldReason; readonly message: string }
  /** Another object has the name. */
  | { readonly kind: 'refuse'; readonly reason: 'SchemaNameTaken'; readonly message: string };

/** Decides about the wanted schema (`spec/api-syncagent.md §10.1`). Pure. */
export function decide({
  publishedResource,
  agentName,
  candidate,
  present,
  presentSpec,
  published,
}: Observed): Decision {
  const held = published === undefined ? undefined : hold(publishedResource, candidate, published);
  if (held !== undefined) return held;
  if (present === undefined) return { kind: 'publish', act: 'create' };
  const annotated = present.metadata.annotations?.[annotations.agentName];
  const labelled = present.metadata.labels?.[labels.agentName];
  const owner = annotated ?? labelled;
  if (owner !== agentName && presentSpec !== undefined && differs(presentSpec, candidate)) {
    return {
      kind: 'refuse',
      reason: 'SchemaNameTaken',
      message: `APIResourceSchema ${candidate.metadata.name} is there already with another content${owner === undefined ? '' : ` (agent ${owner})`}. The operator must delete it, if no APIExport lists it.`,
    };
  }
  // Another agent's, with the same content: it serves both, and is not written.
  if (owner !== undefined && owner !== agentName) return { kind: 'publish', act: 'nothing' };
  return { kind: 'publish', act: annotated === agentName && labelled === agentName ? 'nothing' : 'repairMarks' };
}

function differs(spec: APIResourceSchema['spec'], candidate: APIResourceSchema): boolean {
  const [a, b] = [definitionOf(spec), definitionOf(candidate.spec)];
  return compareDefinitions(a, b).changes.length > 0 || compareDefinitions(b, a).changes.length > 0;
}

function hold(
  publishedResource: PublishedResource,
  candidate: APIResourceSchema,
  published: APIResourceSchema,
): Decision | undefined {
  const { name } = candidate.metadata;
  const policy = schemaPolicyOf(publishedResource);
  if (policy === 'Always' || isApproved(publishedResource, name)) return undefined;
  const verdict = judge({ before: published.spec, after: candidate.spec, policy });
  if (verdict.kind === 'flows') return undefined;
  const { reason, comparison } = verdict;
  const fields = describeChanges(comparison.changes);
  return {
    kind: 'hold',
    reason,
    message: `${sentences[reason]} ${published.metadata.name} stays published. ${fields === '' ? 'Nothing changes that objects depend on.' : fields} To publish it all the same, the provider sets the annotation ${approvalAnnotation}: ${prefixOf(name)}.`,
  };
}

const sentences: Readonly<Record<HeldReason, string>> = {
  SchemaUpdatesOff: 'The schema has changed, but is not to be updated.',
  BreakingSchemaChange: 'The schema has changed in a way that may break objects in workspaces.',
  IncompatibleSchemaChange: 'The schema has changed to one that objects in workspaces do not fit.',
};
