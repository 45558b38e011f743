import type { UnstructuredObject } from '@hawser/client';

import { hasContent, isCreator } from './creator.js';

/** A Go agent, and Hawser, on the service cluster; what goes through a virtual workspace of kcp is written by that. */
const AGENTS: ReadonlySet<string> = new Set(['api-syncagent', 'hawser', 'hawser-syncagent', 'kcp']);

/**
 * Whether an agent has written what an object says, by the account that the API server keeps (`managedFields`). Marks alone are no content: a Go agent puts them on
 * whatever stands in its way.
 *
 * @param creator the field manager of this very copy, where it is one of a related object: what was made under another one is the copy of another agent, or of another object.
 */
export function isWrittenByAgent(object: UnstructuredObject, creator: string | undefined): boolean {
  return isWritten(object, (manager) => AGENTS.has(manager) || manager === creator);
}

/** The same of any agent, this one or another. */
export function isWrittenBySomeAgent(object: UnstructuredObject): boolean {
  return isWritten(object, (manager) => AGENTS.has(manager) || isCreator(manager));
}

function isWritten(
  { metadata: { managedFields = [] } }: UnstructuredObject,
  by: (manager: string) => boolean,
): boolean {
  return managedFields.some((entry) => entry.manager !== undefined && by(entry.manager) && hasContent(entry));
}
