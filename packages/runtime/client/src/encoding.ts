import type { Patch, ReadOptions, WriteOptions } from './client.js';
import type { Query } from './path.js';

export const JSON_TYPE = 'application/json';

const METADATA_OBJECT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Accept header for requests whose answer is one object, or events of one object each. */
export function acceptObject(options: ReadOptions): string {
  return options.representation === 'metadata' ? METADATA_OBJECT : JSON_TYPE;
}

export function acceptList(options: ReadOptions): string {
  return options.representation === 'metadata' ? METADATA_LIST : JSON_TYPE;
}

export function writeQuery(options: WriteOptions): Query {
  return { fieldManager: options.fieldManager, dryRun: options.dryRun === true ? 'All' : undefined };
}

export interface EncodedPatch {
  readonly contentType: string;
  readonly body: unknown;
  readonly force: true | undefined;
}

export function encodePatch(patch: Patch): EncodedPatch {
  switch (patch.type) {
    case 'json':
      return { contentType: 'application/json-patch+json', body: patch.operations, force: undefined };
    case 'merge':
      return { contentType: 'application/merge-patch+json', body: patch.patch, force: undefined };
    case 'apply':
      // JSON is YAML.
      return {
        contentType: 'application/apply-patch+yaml',
        body: patch.object,
        force: patch.force === true ? true : undefined,
      };
  }
}
