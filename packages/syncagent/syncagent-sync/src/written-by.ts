import type { UnstructuredObject } from '@hawser/client';

import { hasContent, isCreator } from './creator.js';

/** A Go agent, and Hawser, on the service cluster; kcp's own manager writes what goes through a virtual workspace. */
const AGENTS: ReadonlySet<string> = new Set(['api-syncagent', 'hawser', 'hawser-syncagent', 'kcp']);

/**
 * Whether an agent wrote the content of an object, by its `managedFields`. Marks alone are no content: a Go agent puts
 * them on any object in its way.
 *
 * @param creator the field manager of this very copy, if it is a related object's: another one's is the copy of another
 * agent, or of another object.
 */
export function isWrittenByAgent(object: UnstructuredObject, creator: string | undefined): boolean {
  return isWritten(object, (manager) => AGENTS.has(manager) || manager === creator);
}

/** The same for any agent, this one or another. */
export function isWrittenBySomeAgent(object: UnstructuredObject): boolean {
  return isWritten(object, (manager) => AGENTS.has(manager) || isCreator(manager));
}

function isWritten(
  { metadata: { managedFields = [] } }: UnstructuredObject,
  by: (manager: string) => boolean,
): boolean {
  return managedFields.some((entry) => entry.manager !== undefined && by(entry.manager) && hasContent(entry));
}
