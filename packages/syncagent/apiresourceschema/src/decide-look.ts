import { type Decision as Round, done } from '@hawser/controller';
import type { APIResourceSchema } from '@hawser/kcp-api';
import { type StatusTerms, changesStatus } from '@hawser/publication';
import type { PublishedResource } from '@hawser/syncagent-api';
import { type Publication, decidePublication } from './decide-publication.js';
import type { Observed } from './observe.js';
import { type Verdict, statusChange } from './status-of.js';

export type Action =
  | {
      readonly type: 'createSchema' | 'repairMarks';
      readonly object: PublishedResource;
      readonly schema: APIResourceSchema;
    }
  | { readonly type: 'writeStatus'; readonly object: PublishedResource; readonly verdict: Verdict }
  /** Writes nothing: the key fails, and is retried. */
  | { readonly type: 'retry'; readonly error: Error };

export interface Decision extends Round<Action> {
  readonly publication: Publication;
}

/** Decides about one PublishedResource. All actions are taken, and end the look. Pure. */
export function decideLook({ known, terms, recheckMs }: Observed): Decision {
  const publication = decidePublication(known);
  const { publishedResource: object } = known;
  if (object === undefined) return { publication, actions: [] };
  switch (publication.kind) {
    case 'forget':
    case 'ask':
      return { publication, actions: [] };
    case 'fail': {
      const { reason, message, error } = publication;
      const actions = statusActions(object, { kind: 'fail', reason, message }, terms);
      return {
        publication,
        actions: error === undefined ? actions : [...actions, { type: 'retry', error }],
        ends: done,
      };
    }
    case 'conclude': {
      const { decision, schema, watched } = publication;
      return {
        publication,
        actions: [
          ...schemaActions(object, publication),
          ...statusActions(object, { ...decision, schemaName: schema.metadata.name }, terms),
        ],
        ends: watched ? done : { kind: 'requeue', afterMs: recheckMs, priority: 'background' },
        requeueAfterMs: watched ? undefined : recheckMs,
      };
    }
  }
}

/** The actions needed before the status can name the schema. */
function schemaActions(
  object: PublishedResource,
  { decision, schema }: Extract<Publication, { readonly kind: 'conclude' }>,
): readonly Action[] {
  if (decision.kind !== 'publish' || decision.act === 'nothing') return [];
  return [{ type: decision.act === 'create' ? 'createSchema' : 'repairMarks', object, schema }];
}

function statusActions(object: PublishedResource, verdict: Verdict, terms: StatusTerms): readonly Action[] {
  return changesStatus(object, statusChange(object, verdict, terms.now), terms)
    ? [{ type: 'writeStatus', object, verdict }]
    : [];
}
