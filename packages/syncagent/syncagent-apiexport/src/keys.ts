/** The key of the export: there is one. */
export const exportKey = 'export';
const statusPrefix = 'status/';

/** The key of what is said on a PublishedResource, so that a status that cannot be written holds up no other, nor the export. */
export const statusKey = (publishedResource: string): string => statusPrefix + publishedResource;

/** The PublishedResource of a {@link statusKey}. */
export const namedBy = (key: string): string => key.slice(statusPrefix.length);
