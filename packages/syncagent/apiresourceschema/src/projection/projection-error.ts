/**
 * `Versions`: the selected versions exclude each other, do not exist, or none is served. `Renamed`: versions cannot be
 * renamed as wanted. `VersionName`, `Group`, `Names`: kcp does not allow such a name. `ServedByKcp`: every workspace
 * already has that resource. `NotApproved`: the group belongs to Kubernetes, and the API has no approval. `Schema`: a
 * version has none.
 */
export type ProjectionProblemCode =
  'Versions' | 'Renamed' | 'VersionName' | 'Group' | 'Names' | 'ServedByKcp' | 'NotApproved' | 'Schema';

/**
 * One reason why a resource cannot be published as wanted. `path`: the field of the PublishedResource that can solve
 * it.
 */
export interface ProjectionProblem {
  readonly code: ProjectionProblemCode;
  readonly path: string;
  readonly message: string;
}

/**
 * Why a resource cannot be published as wanted: all reasons at once. Retry only after a change of the PublishedResource
 * or its CRD.
 */
export class ProjectionError extends Error {
  override readonly name = 'ProjectionError';
  /** Code of the first problem. */
  readonly code: ProjectionProblemCode;
  readonly problems: readonly ProjectionProblem[];

  constructor(first: ProjectionProblem, ...others: readonly ProjectionProblem[]) {
    const problems = [first, ...others];
    super(problems.map(({ path, message }) => `${path}: ${message}`).join('; '));
    this.code = first.code;
    this.problems = problems;
  }
}

/** Throws if there is any problem. */
export function throwProblems(problems: readonly ProjectionProblem[]): void {
  const [first, ...others] = problems;
  if (first !== undefined) throw new ProjectionError(first, ...others);
}
