import type { UnstructuredObject } from '@hawser/client';

import { hasContent, isCreator } from './creator.js';

/** A Go agent, and Hawser, on the service cluster; what goes through a virtual workspace of kcp is written by that. */
const AGENTS: ReadonlySet<string> = new Set(['api-syncagent', 'hawser', 'hawser-syncagent', 'kcp']);

/**
 * Whether an agent has written what an object says, by the account that the API server keeps (`managedFields`). Marks alone are no content: a Go agent puts them on
 * whatever stands in its way.
 */
export function isWrittenByAgent({ metadata: { managedFields = [] } }: UnstructuredObject): boolean {
  return managedFields.some(
    (entry) =>
      entry.manager !== undefined && (AGENTS.has(entry.manager) || isCreator(entry.manager)) && hasContent(entry),
  );
}
