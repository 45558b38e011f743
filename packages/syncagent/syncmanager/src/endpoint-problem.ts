import type { Problem } from '@hawser/controller';

/** Known facts of the endpoints themselves. */
export interface EndpointsSeen {
  /** Name of the APIExportEndpointSlice. */
  readonly slice: string;
  readonly isSliceThere: boolean;
  /** Sentences about unusable endpoints, and about endpoints with unreadable workspaces. */
  readonly unusable: readonly string[];
  readonly unreadable: readonly string[];
}

/** Describes the problem with the endpoints. Pure. */
export function endpointProblem({ slice, isSliceThere, unusable, unreadable }: EndpointsSeen): Problem | undefined {
  if (unusable[0] !== undefined)
    return {
      reason: 'EndpointUnusable',
      actor: 'operator',
      message: `${unusable[0]} The operator must correct the addresses of the shards of kcp.`,
    };
  if (unreadable[0] !== undefined)
    return {
      reason: 'WorkspacesNotReadable',
      actor: 'operator',
      message: `${unreadable[0]} Their objects are not synced. The operator must see that kcp answers, and that the agent may read apiexports/content; it is tried again by itself.`,
    };
  if (isSliceThere) return undefined;
  return {
    reason: 'EndpointSliceNotFound',
    actor: 'operator',
    message: `APIExportEndpointSlice ${slice} is not there. The operator must create it, or name another.`,
  };
}
