import type { WatchEvent } from './client.js';

type Bookmark = Extract<WatchEvent<never>, { readonly type: 'BOOKMARK' }>;

const VERSION = '"resourceVersion":"';

/**
 * The event of a line of a watch, if it is a version that is known already (see {@link WatchOptions.known}); undefined: it has to be read, as every deletion has.
 * Looks for the version without reading the rest. A quotation mark within a string is escaped, so where the field stands once in the whole line it is the object's own;
 * an object that has one like it elsewhere is read.
 */
export function knownEvent(line: string, known: ReadonlyMap<string, string>): { readonly event: Bookmark } | undefined {
  if (known.size === 0 || !(line.startsWith('{"type":"MODIFIED",') || line.startsWith('{"type":"ADDED",')))
    return undefined;
  const at = line.indexOf(VERSION);
  if (at < 0) return undefined;
  const start = at + VERSION.length;
  const resourceVersion = line.slice(start, line.indexOf('"', start));
  const uid = known.get(resourceVersion);
  if (uid === undefined || line.includes(VERSION, start) || !line.includes(`"uid":"${uid}"`)) return undefined;
  return { event: { type: 'BOOKMARK', object: { metadata: { resourceVersion } } } };
}
