import { fn, type Library, method } from '../check/declarations.js';
import { listOf, mapOf, opaque, types } from '../check/type.js';
import { list, NativeMap } from '../values/collections.js';
import { noSuchOverload } from '../values/error.js';
import { Url } from '../values/url.js';
import type { Value } from '../values/value.js';
import { text } from './arguments.js';

const urlOf = (value: Value | undefined): Url => {
  if (!(value instanceof Url)) {
    throw noSuchOverload();
  }
  return value;
};

const type = opaque('kubernetes.URL');
const { bool, string } = types;

/** URLs (`kubernetes.urls`). */
export const urls: Library = [
  fn('url', [string], type, (value) => Url.parse(text(value))),
  fn('isURL', [string], bool, (value) => Url.requestFailure(text(value)) === undefined),
  method('getScheme', [type], string, (url) => urlOf(url).scheme),
  method('getHost', [type], string, (url) => urlOf(url).host),
  method('getHostname', [type], string, (url) => urlOf(url).hostname),
  method('getPort', [type], string, (url) => urlOf(url).port),
  method('getEscapedPath', [type], string, (url) => urlOf(url).escapedPath),
  method(
    'getQuery',
    [type],
    mapOf(string, listOf(string)),
    (url) => new NativeMap(Array.from(urlOf(url).query, ([name, values]) => [name, list(values)])),
  ),
];
