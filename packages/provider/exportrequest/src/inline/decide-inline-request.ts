import {
  annotations,
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportRequestStatus,
  type APIServiceExportTemplate,
  apiGroup,
  apiVersion,
  malformation,
} from '@hawser/klutch';
import {
  type InformerScope,
  type Isolation,
  type Instant,
  conditionTypes,
  hawserAnnotations,
  markFalse,
  markTrue,
  resourceGroupName,
  setSummary,
} from '@hawser/kube-bind';
import { malformedMessage, unapprovedMessage } from '../request-problem.js';
import { copiedFrom } from '../wanted-export.js';
import type { InlineSource } from './inline-source.js';

export interface InlineRequestSettings {
  readonly informerScope: InformerScope;
  /** Isolation of cluster-scoped objects. */
  readonly isolation: Isolation;
}

/** What exists for one requested resource. */
export interface ObservedResource {
  readonly source: InlineSource | undefined;
  /** The template that offers the resource, and that the consumer may bind. */
  readonly template: APIServiceExportTemplate | undefined;
  /** A template that offers the resource, that the consumer may bind, and that waits for the provider's approval. */
  readonly unapproved?: Unapproved | undefined;
  /** Templates that offer the resource, and that the consumer may not bind. */
  readonly forbidden: readonly string[];
  readonly export: APIServiceExport | undefined;
}

export interface Unapproved {
  /** `namespace/name`. */
  readonly template: string;
  /** Templates approved for the consumer. */
  readonly approved: ReadonlySet<string>;
  /** Namespace of the consumer. */
  readonly namespace: string;
}

export interface ObservedInlineRequest {
  readonly request: APIServiceExportRequest;
  /** By the name of the CRD. */
  readonly resources: ReadonlyMap<string, ObservedResource>;
}

export interface InlineProblem {
  readonly reason: string;
  readonly message: string;
}

export interface InlineRequestDecision {
  readonly create: readonly APIServiceExport[];
  /** A problem of some resource; undefined: every resource has, or gets, its export. */
  readonly problem: InlineProblem | undefined;
  readonly answered: boolean;
}

export const ownReasons = {
  malformedRequest: 'MalformedRequest',
  crdNotFound: 'CRDNotFound',
  crdInvalid: 'CRDInvalid',
  notOffered: 'NotOffered',
  bindForbidden: 'BindForbidden',
  approvalRequired: 'ApprovalRequired',
  noPlace: 'NoPlaceForCopies',
  exportTerminating: 'ExportTerminating',
} as const;

/**
 * Decides about a pending request of Klutch (spec/klutch.md §7.2): one export for each resource, named like its CRD,
 * with the claims of its template. A resource without a problem gets its export, whatever the problems of others. Pure.
 */
export function decideInlineRequest(
  settings: InlineRequestSettings,
  { request, resources }: ObservedInlineRequest,
): InlineRequestDecision {
  const malformed = malformation('APIServiceExportRequest', request);
  if (malformed !== undefined)
    return {
      create: [],
      problem: { reason: ownReasons.malformedRequest, message: malformedMessage(malformed) },
      answered: false,
    };
  const create: APIServiceExport[] = [];
  const problems: InlineProblem[] = [];
  for (const [name, resource] of resources) {
    const { source, template, export: found } = resource;
    if (found !== undefined && found.metadata.deletionTimestamp === undefined) continue;
    const problem = problemOf(settings, name, resource);
    if (problem !== undefined) problems.push(problem);
    else if (source?.kind === 'offered' && template !== undefined)
      create.push(newExport(settings, request, name, source, template));
  }
  const [first] = problems;
  return {
    create,
    problem:
      first === undefined
        ? undefined
        : { reason: first.reason, message: problems.map(({ message }) => message).join(' ') },
    answered: create.length === 0 && first === undefined,
  };
}

function problemOf(
  { informerScope }: InlineRequestSettings,
  name: string,
  { source, template, unapproved, forbidden, export: found }: ObservedResource,
): InlineProblem | undefined {
  if (found !== undefined)
    return {
      reason: ownReasons.exportTerminating,
      message: `APIServiceExport ${name} is being deleted; it is made again once it is gone.`,
    };
  if (template === undefined) return offerProblem(name, forbidden, unapproved);
  if (source === undefined)
    return {
      reason: ownReasons.crdNotFound,
      message: `There is no CRD ${name}. The provider has to install it, or to take back the template ${template.metadata.name}.`,
    };
  if (source.kind === 'unusable')
    return {
      reason: ownReasons.crdInvalid,
      message: `The CRD ${name} cannot be exported; the provider has to change it: ${source.message}`,
    };
  if (source.spec.scope === 'Cluster' && informerScope === 'Namespaced')
    return {
      reason: ownReasons.noPlace,
      message: `${name} is cluster-scoped, and the provider lets consumers watch single namespaces only. The provider has to run with informer scope Cluster, or to offer a namespaced CRD.`,
    };
  return undefined;
}

/** Why a resource that no template offers to the consumer is not granted. */
export function offerProblem(
  name: string,
  forbidden: readonly string[],
  unapproved: Unapproved | undefined,
): InlineProblem {
  if (unapproved !== undefined) {
    const { template, approved, namespace } = unapproved;
    const resource = `clusterbinding.${apiGroup}`;
    return {
      reason: ownReasons.approvalRequired,
      message: unapprovedMessage(template, approved, namespace, resource),
    };
  }
  return forbidden.length === 0
    ? {
        reason: ownReasons.notOffered,
        message: `No template of the provider offers ${name}. Make a new request for what is offered, or ask the provider for an APIServiceExportTemplate.`,
      }
    : {
        reason: ownReasons.bindForbidden,
        message: `The consumer may not bind ${forbidden.join(', ')}, which offers ${name}. The provider has to grant its ServiceAccount the verb bind on it.`,
      };
}

function newExport(
  { informerScope, isolation }: InlineRequestSettings,
  request: APIServiceExportRequest,
  name: string,
  source: Extract<InlineSource, { kind: 'offered' }>,
  template: APIServiceExportTemplate,
): APIServiceExport {
  const { namespace, uid } = request.metadata;
  const claims = template.spec.permissionClaims ?? [];
  return {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: {
      name,
      namespace,
      annotations: {
        [annotations.sourceSpecHash]: source.hash,
        ...(uid === undefined ? {} : { [hawserAnnotations.request]: uid }),
        ...copiedFrom(
          template,
          hawserAnnotations.schemaUpdate,
          hawserAnnotations.schemaRollout,
          hawserAnnotations.withdrawnObjects,
        ),
      },
    },
    spec: {
      ...source.spec,
      ...(claims.length === 0 ? {} : { permissionClaims: claims }),
      informerScope,
      ...(source.spec.scope === 'Cluster' ? { clusterScopedIsolation: isolation } : {}),
    },
  };
}

/** The status of an answer; phase and conditions as of kube-bind. */
export function withInlineAnswer(
  status: APIServiceExportRequestStatus | undefined,
  problem: InlineProblem | undefined,
  now: Instant,
): APIServiceExportRequestStatus {
  if (problem === undefined)
    return {
      ...status,
      phase: 'Succeeded',
      conditions: setSummary(markTrue(status?.conditions, conditionTypes.exportsReady, now), now),
    };
  return {
    ...status,
    phase: status?.phase ?? 'Pending',
    conditions: setSummary(
      markFalse(status?.conditions, conditionTypes.exportsReady, problem.reason, 'Error', problem.message, now),
      now,
    ),
  };
}

/** The resources of a request, by the name of the CRD; none for a malformed one. */
export function namesOf(request: APIServiceExportRequest): readonly string[] {
  return malformation('APIServiceExportRequest', request) === undefined
    ? [...new Set(request.spec.resources.map(resourceGroupName))]
    : [];
}
