/** The key of the only export. */
export const exportKey = 'export';
const statusPrefix = 'status/';

/**
 * The key of a PublishedResource's status: a status that cannot be written blocks neither the others nor the export.
 */
export const statusKey = (publishedResource: string): string => statusPrefix + publishedResource;

/** The PublishedResource of a {@link statusKey}. */
export const namedBy = (key: string): string => key.slice(statusPrefix.length);
