import {
  annotations,
  type APIServiceExport,
  type APIServiceExportRequest,
  apiVersion,
  type BoundSchema,
  labels,
  malformation,
  owners,
  resourceGroupName,
} from '@hawser/kube-bind';
import type { ObservedRequest, RequestSettings } from './observed-request.js';
import { plainOwner, withNamespaceOwner, withSchemaOwner } from './owners.js';
import type { RequestAction, RequestDecision } from './request-decision.js';
import { type RequestOutcome, withOutcome } from './request-outcome.js';
import { type RequestProblem, reportProblem } from './request-problem.js';
import type { SourceSchema } from './source-schema.js';
import { incompatibility, lateNamespaceProblem, validateRequest } from './validate-request.js';
import { wantedExport } from './wanted-export.js';

/** Limit of actions per round: a large request must not delay small ones. */
const actionsAtATime = 50;

/**
 * Decides about one APIServiceExportRequest (spec/kube-bind-backend.md §8.3, §8.4, §10.3). Pure; `now` only dates
 * conditions.
 */
export function decideRequest(settings: RequestSettings, observed: ObservedRequest, now: number): RequestDecision {
  const { request } = observed;
  if (request === undefined || request.metadata.deletionTimestamp !== undefined)
    return { actions: [], verdict: { kind: 'absent' } };
  const malformed = malformation('APIServiceExportRequest', request);
  if (malformed !== undefined) return stopped(request, { kind: 'malformed', ...malformed }, now);
  const phase = request.status?.phase ?? 'Pending';
  switch (phase) {
    case 'Failed':
      return { actions: [], verdict: { kind: 'failed' } };
    case 'Pending': {
      const problem = refusal(observed) ?? validateRequest(settings, request, observed);
      return problem === undefined ? answer(settings, request, observed, now) : stopped(request, problem, now);
    }
    case 'Succeeded': {
      const problem =
        refusal(observed) ??
        lossProblem(request, observed) ??
        incompatibility(request, observed) ??
        strandedProblem(settings, request, observed) ??
        lateNamespaceProblem(settings, request, observed);
      return problem === undefined ? answer(settings, request, observed, now) : stopped(request, problem, now);
    }
  }
}

/** The steps in order; each needs the results of earlier ones, so every result leads to a new decision. */
function answer(
  settings: RequestSettings,
  request: APIServiceExportRequest,
  observed: ObservedRequest,
  now: number,
): RequestDecision {
  const found = observed.export;
  const stages = [
    () => schemaActions(settings, request, observed),
    () =>
      found === undefined ? [{ type: 'createExport', object: wantedExport(settings, request, observed) } as const] : [],
    () =>
      found === undefined
        ? []
        : [...ownerActions(request, found, observed), ...namespaceActions(request, found, observed)],
  ];
  for (const stage of stages) {
    const actions = stage();
    if (actions.length > actionsAtATime)
      return { actions: actions.slice(0, actionsAtATime), verdict: { kind: 'progressing', unhurried: true } };
    if (actions.length > 0) return { actions, verdict: { kind: 'progressing' } };
  }
  return {
    actions: statusActions(request, { kind: 'succeeded' }, now),
    verdict: { kind: 'succeeded', followsSchema: follows(settings, request) },
  };
}

function schemaActions(
  settings: RequestSettings,
  request: APIServiceExportRequest,
  observed: ObservedRequest,
): readonly RequestAction[] {
  const carries = follows(settings, request);
  const actions: RequestAction[] = [];
  for (const name of requestedNames(request)) {
    const boundSchema = observed.boundSchemas.get(name);
    const source = observed.sources.get(name);
    if (source?.kind !== 'offered') continue;
    if (boundSchema === undefined)
      actions.push({ type: 'createBoundSchema', object: newBoundSchema(name, request, source, observed.export) });
    else if (carries && boundSchema.metadata.annotations?.[annotations.sourceSpecHash] !== source.hash)
      actions.push({ type: 'replaceSchema', boundSchema, spec: source.spec, hash: source.hash });
  }
  return actions;
}

function newBoundSchema(
  name: string,
  request: APIServiceExportRequest,
  source: Extract<SourceSchema, { kind: 'offered' }>,
  owner: APIServiceExport | undefined,
): BoundSchema {
  const bare: BoundSchema = {
    apiVersion,
    kind: 'BoundSchema',
    metadata: {
      name,
      namespace: request.metadata.namespace,
      annotations: { [annotations.sourceSpecHash]: source.hash },
    },
    spec: source.spec,
  };
  const ownerReferences = owner === undefined ? undefined : withSchemaOwner(bare, owner);
  return ownerReferences === undefined ? bare : { ...bare, metadata: { ...bare.metadata, ownerReferences } };
}

function ownerActions(
  request: APIServiceExportRequest,
  owner: APIServiceExport,
  observed: ObservedRequest,
): readonly RequestAction[] {
  return requestedNames(request).flatMap((name) => {
    const object = observed.boundSchemas.get(name);
    const wanted = object === undefined ? undefined : withSchemaOwner(object, owner);
    return object === undefined || wanted === undefined
      ? []
      : [{ type: 'setOwners', kind: 'BoundSchema', object, owners: wanted } as const];
  });
}

function namespaceActions(
  request: APIServiceExportRequest,
  owner: APIServiceExport,
  observed: ObservedRequest,
): readonly RequestAction[] {
  const names = new Set((request.spec.namespaces ?? []).map(({ name }) => name));
  return [...names].flatMap((name): readonly RequestAction[] => {
    const existing = observed.namespaces.get(name);
    if (existing === undefined) {
      const metadata = {
        name,
        namespace: owner.metadata.namespace,
        labels: { [labels.owner]: owners.provider },
        ownerReferences: [plainOwner(owner)],
      };
      return [{ type: 'createNamespace', object: { apiVersion, kind: 'APIServiceNamespace', metadata, spec: {} } }];
    }
    const wanted = withNamespaceOwner(existing, owner);
    return wanted === undefined
      ? []
      : [{ type: 'setOwners', kind: 'APIServiceNamespace', object: existing, owners: wanted }];
  });
}

/** Reports created objects that are missing now. A deleted export is not recreated: its deletion was intended. */
function lossProblem(request: APIServiceExportRequest, observed: ObservedRequest): RequestProblem | undefined {
  const { name } = request.metadata;
  if (observed.export === undefined || observed.export.metadata.deletionTimestamp !== undefined)
    return { kind: 'exportGone', name };
  for (const schema of requestedNames(request)) {
    if (observed.boundSchemas.has(schema)) continue;
    const source = observed.sources.get(schema);
    if (source === undefined) return { kind: 'boundSchemaNotFound', name: schema };
    if (source.kind === 'unusable') return { kind: 'schemaUnusable', name: schema, message: source.message };
  }
  return undefined;
}

/** A CRD that the schema should follow, and cannot. */
function strandedProblem(
  settings: RequestSettings,
  request: APIServiceExportRequest,
  { sources }: ObservedRequest,
): RequestProblem | undefined {
  if (!follows(settings, request)) return undefined;
  for (const name of requestedNames(request)) {
    const source = sources.get(name);
    if (source?.kind === 'unusable') return { kind: 'schemaUnusable', name, message: source.message };
  }
  return undefined;
}

function follows({ carriesSchemas = true }: RequestSettings, request: APIServiceExportRequest): boolean {
  return carriesSchemas && request.spec.schemaUpdatePolicy === 'Always';
}

function refusal(observed: ObservedRequest): RequestProblem | undefined {
  return observed.refusal === undefined ? undefined : { kind: 'refused', refusal: observed.refusal };
}

function stopped(request: APIServiceExportRequest, problem: RequestProblem, now: number): RequestDecision {
  // The API server establishes a new CRD within a moment: no report.
  if (problem.kind === 'schemaUnserved' && problem.message === undefined)
    return { actions: [], verdict: { kind: 'waiting', problem } };
  const isFinal = reportProblem(problem).terminal && request.status?.phase !== 'Succeeded';
  return {
    actions: statusActions(request, { kind: 'problem', problem }, now),
    verdict: isFinal ? { kind: 'failed' } : { kind: 'waiting', problem },
  };
}

function statusActions(
  request: APIServiceExportRequest,
  outcome: RequestOutcome,
  now: number,
): readonly RequestAction[] {
  const wanted = withOutcome(request.status, outcome, now);
  const status = request.status ?? {};
  const isSame =
    wanted.phase === status.phase &&
    wanted.terminalMessage === status.terminalMessage &&
    sameConditions(wanted.conditions, status.conditions);
  return isSame ? [] : [{ type: 'writeStatus', request, outcome }];
}

/** Conditions in an unchanged state keep their time, so equal times mean equal states. */
function sameConditions(wanted: readonly object[] | undefined, found: readonly object[] | undefined): boolean {
  return wanted === found || ((wanted ?? []).length === 0 && (found ?? []).length === 0);
}

function requestedNames(request: APIServiceExportRequest): readonly string[] {
  return [...new Set(request.spec.resources.map(resourceGroupName))];
}
