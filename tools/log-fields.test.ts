import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { redact } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const CALL = /\blogger\??\.(?:debug|info|warn|error)\(/u;
/** Fields of the last argument, on one line: `{ workspace: cluster, path, secretName: name }`. */
const FIELDS = /\{ ([^{}]*) \}(?:\)|, )/u;

function sources(): readonly string[] {
  return ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        (path) =>
          path.endsWith('.ts') &&
          !path.endsWith('.d.ts') &&
          !path.endsWith('.test.ts') &&
          !/(?:^|\/)(?:dist|node_modules)\//u.test(path),
      )
      .map((path) => join(folder, path)),
  );
}

/** Names of the fields of each log line that is written on one line of a source. */
function fieldsOf(line: string): readonly string[] {
  const call = CALL.exec(line);
  if (call === null) return [];
  // Parts of the message are not fields.
  const given = FIELDS.exec(line.slice(call.index).replaceAll(/\$\{[^}]*\}/gu, ''))?.[1] ?? '';
  return [...given.matchAll(/(?:^|, )(\w+)(?=:|,|$)/gu)].map(([, name = '']) => name);
}

it('no field of a log line has a name whose value is redacted', () => {
  const found = sources().flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line) => fieldsOf(line).map((name) => ({ path, name }))),
  );
  expect(found.length).toBeGreaterThan(50);
  const readable = (name: string): boolean =>
    JSON.stringify(redact({ [name]: 'team-a' }, { stacks: false })).includes('team-a');
  expect(found.filter(({ name }) => !readable(name))).toEqual([]);
  expect([readable('secretName'), readable('secret')]).toEqual([true, false]);
});
