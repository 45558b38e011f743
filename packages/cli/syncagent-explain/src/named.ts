import type { PublicationReport } from './report.js';

/** Whether a typed word means a published resource: kind, plural, or `databases.example.com`, on either side. */
export function isNamed({ names }: Pick<PublicationReport, 'names'>, word: string): boolean {
  const wanted = word.toLowerCase();
  return names.some(({ kind, plural, group }) =>
    [kind, plural, `${plural}.${group}`].some((one) => one !== '' && one.toLowerCase() === wanted),
  );
}

/** Whether a word means PublishedResources. */
export function isPublicationWord(word: string): boolean {
  return [
    'publishedresource',
    'publishedresources',
    'publishedresources.syncagent.kcp.io',
    'publication',
    'pubres',
  ].includes(word.toLowerCase());
}
