import { fn, type FunctionMap } from '../template-function.js';
import { isNil, kindName, newMap } from '../values/types.js';
import { hostname, joinUrl, parseUrl } from './url.js';

export const urls: FunctionMap = {
  urlParse: fn(['string'], (text) => {
    const url = parseUrl(text);
    return Object.assign(newMap(), url, { hostname: hostname(url.host) });
  }),
  urlJoin: fn(['map[string]interface {}'], (map = newMap()) => {
    const part = (key: string): string => {
      if (!Object.hasOwn(map, key)) return '';
      const value = map[key];
      if (typeof value !== 'string')
        throw new Error(`key ${key} must be of type string, but ${isNil(value) ? 'nil' : kindName(value)} found`);
      return value;
    };
    const userinfo = part('userinfo');
    return joinUrl({
      scheme: part('scheme'),
      opaque: part('opaque'),
      userinfo: userinfo === '' ? '' : parseUrl(`proto://${userinfo}@host`).userinfo,
      host: part('host'),
      path: part('path'),
      query: part('query'),
      fragment: part('fragment'),
    });
  }),
};
