import type { KubeObject } from '@hawser/client';
import type { KindDefinition, Problem } from '@hawser/crd';
import { specProblem } from '@hawser/kube-bind';
import { version } from './group.js';
import { apiServiceExportKind } from './kinds/api-service-export.js';
import { apiServiceExportRequestKind } from './kinds/api-service-export-request.js';

const kinds = {
  APIServiceExport: apiServiceExportKind,
  APIServiceExportRequest: apiServiceExportRequestKind,
} as const satisfies Record<string, KindDefinition>;

/** A changed object is a new object, so its identity serves as version. */
const known = new WeakMap<KubeObject, { readonly problem: Problem | undefined }>();

/** Like `malformation` of `@hawser/kube-bind`, for the stored Klutch object. */
export function malformation(kind: keyof typeof kinds, object: KubeObject): Problem | undefined {
  const before = known.get(object);
  if (before !== undefined) return before.problem;
  const problem = specProblem(kinds[kind], version, object);
  known.set(object, { problem });
  return problem;
}
