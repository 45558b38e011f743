import type { WatchEvent } from './client.js';

type Bookmark = Extract<WatchEvent<never>, { readonly type: 'BOOKMARK' }>;

const VERSION = '"resourceVersion":"';

/**
 * Recognises a watch line with a known version (see {@link WatchOptions.known}) without parsing it. Undefined: parse
 * it, as every deletion. A quotation mark within a string is escaped; so a field that occurs once in the line is the
 * object's own. An object with a second such field is parsed.
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
