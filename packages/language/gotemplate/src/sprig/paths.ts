import { fn, type FunctionMap } from '../template-function.js';

/** The shortest equivalent path, as Go's `path.Clean` gives it. */
export function clean(path: string): string {
  const rooted = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!rooted) parts.push(part);
  }
  const joined = (rooted ? '/' : '') + parts.join('/');
  return joined === '' ? '.' : joined;
}

function base(path: string): string {
  if (path === '') return '.';
  const trimmed = path.replace(/\/+$/u, '');
  return trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

const dir = (path: string): string => clean(path.slice(0, path.lastIndexOf('/') + 1));

const extension = (path: string): string => /\.[^./]*$/u.exec(path)?.[0] ?? '';

const functions = {
  Base: fn(['string'], base),
  Clean: fn(['string'], clean),
  Dir: fn(['string'], dir),
  Ext: fn(['string'], extension),
  IsAbs: fn(['string'], (path) => path.startsWith('/')),
};

export const paths: FunctionMap = {
  base: functions.Base,
  clean: functions.Clean,
  dir: functions.Dir,
  ext: functions.Ext,
  isAbs: functions.IsAbs,
  osBase: functions.Base,
  osClean: functions.Clean,
  osDir: functions.Dir,
  osExt: functions.Ext,
  osIsAbs: functions.IsAbs,
};
