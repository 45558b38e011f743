import type { KubeObject } from '@hawser/client';
import { notAcceptable } from './refused.js';

/** As what an object is shown. */
export type Shape = 'whole' | 'metadata';

/**
 * What an `Accept` header asks for: the first range that can be served. Tables cannot: clients that ask for one, as kubectl does, take JSON as well. Pure.
 * @throws {Refused} 406
 */
export function shapeOf(accept: string | undefined): Shape {
  if (accept === undefined || accept.trim() === '') return 'whole';
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (type !== 'application/json' && type !== 'application/*' && type !== '*/*') continue;
    const as = parameters.find((part) => part.startsWith('as='))?.slice('as='.length);
    if (as === undefined) return 'whole';
    if (as === 'partialobjectmetadata' || as === 'partialobjectmetadatalist') return 'metadata';
  }
  throw notAcceptable();
}

/** Pure. */
export function shaped(object: KubeObject, shape: Shape): KubeObject {
  return shape === 'whole'
    ? object
    : { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
