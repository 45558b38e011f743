import type { Problem } from '@hawser/controller';

/** What is known of the endpoints as such. */
export interface EndpointsSeen {
  /** Name of the APIExportEndpointSlice. */
  readonly slice: string;
  readonly isSliceThere: boolean;
  /** Sentences about those that cannot be used, and those whose workspaces cannot be read. */
  readonly unusable: readonly string[];
  readonly unreadable: readonly string[];
}

/** What is wrong with the endpoints. Pure. */
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
