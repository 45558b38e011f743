import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createAuditLog, parseAuditEntry } from './audit-log.js';

const line = (fields: object): string =>
  JSON.stringify({
    verb: 'create',
    requestURI: '/',
    user: { username: 'u' },
    objectRef: { resource: 'secrets' },
    responseStatus: { code: 201 },
    ...fields,
  });

describe('an entry of the audit log', () => {
  it.each([
    ['a creation', {}, true],
    [
      'a status update',
      { verb: 'update', objectRef: { resource: 'databases', apiGroup: 'example.com', subresource: 'status' } },
      true,
    ],
    ['an apply', { verb: 'patch' }, true],
    ['a collection deletion', { verb: 'deletecollection' }, true],
    ['a write that failed', { responseStatus: { code: 422 } }, true],
    ['a read', { verb: 'get' }, false],
    ['a watch', { verb: 'watch' }, false],
    ['a dry run', { requestURI: '/api/v1/secrets?fieldManager=x&dryRun=All' }, false],
    [
      'an access review',
      { objectRef: { resource: 'selfsubjectaccessreviews', apiGroup: 'authorization.k8s.io' } },
      false,
    ],
    ['a token request', { objectRef: { resource: 'serviceaccounts', subresource: 'token' } }, false],
    ['a POST to something that is not a resource', { objectRef: undefined }, false],
  ])('%s counts as a write: see the table', (_, fields, write) => {
    expect(parseAuditEntry(line(fields)).write).toBe(write);
  });

  it('has who, what and how it ended', () => {
    expect(
      parseAuditEntry(
        line({
          userAgent: 'kubectl',
          requestReceivedTimestamp: 't',
          user: { username: 'me', groups: ['g'] },
          objectRef: { resource: 'roles', apiGroup: 'rbac.authorization.k8s.io', namespace: 'n', name: 'r' },
        }),
      ),
    ).toEqual({
      time: 't',
      verb: 'create',
      user: 'me',
      groups: ['g'],
      userAgent: 'kubectl',
      group: 'rbac.authorization.k8s.io',
      resource: 'roles',
      subresource: undefined,
      namespace: 'n',
      name: 'r',
      requestUri: '/',
      code: 201,
      dryRun: false,
      write: true,
    });
  });
});

describe('the reader of the audit log', () => {
  let folder: string;
  let file: string;
  /** Lines that the server still has to write when the reader asks for its marker. */
  let pending: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hawser-audit-'));
    file = join(folder, 'audit.log');
    pending = [];
    await writeFile(file, '');
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });
  const reader = () =>
    createAuditLog(file, async (path) => {
      await appendFile(
        file,
        [...pending.splice(0), line({ verb: 'get', requestURI: path, objectRef: undefined })]
          .map((one) => `${one}\n`)
          .join(''),
      );
    });

  it('waits for what was answered before it was asked', async () => {
    pending = [line({ objectRef: { resource: 'a' } })];
    expect((await reader().entries()).map(({ resource }) => resource)).toEqual(['a']);
  });

  it('begins at a mark', async () => {
    const audit = reader();
    pending = [line({ objectRef: { resource: 'ä-before' } })];
    const since = await audit.mark();
    pending = [line({ objectRef: { resource: 'after' } })];
    expect((await audit.writes({ since })).map(({ resource }) => resource)).toEqual(['after']);
    expect((await audit.writes()).map(({ resource }) => resource)).toEqual(['ä-before', 'after']);
  });

  it('counts what the API server writes for itself only where it is asked for', async () => {
    pending = [
      line({ user: { username: 'system:apiserver' }, objectRef: { resource: 'leases' } }),
      line({ user: { username: 'a' }, objectRef: { resource: 'things' } }),
    ];
    const audit = reader();
    expect((await audit.writes()).map(({ resource }) => resource)).toEqual(['things']);
    expect((await audit.writes({ user: 'system:apiserver' })).map(({ resource }) => resource)).toEqual(['leases']);
  });

  it('filters by every field that is given', async () => {
    pending = [
      line({ user: { username: 'a' }, responseStatus: { code: 409 } }),
      line({ user: { username: 'a' }, verb: 'patch', userAgent: 'hawser/1' }),
      line({ user: { username: 'b' } }),
      line({ user: { username: 'a' }, verb: 'get' }),
    ];
    const audit = reader();
    expect(await audit.writes({ user: 'a' })).toHaveLength(2);
    expect(await audit.writes({ user: 'a', succeeded: true })).toHaveLength(1);
    expect(await audit.entries({ verbs: ['patch', 'get'] })).toHaveLength(2);
    expect(await audit.entries({ userAgent: 'hawser' })).toHaveLength(1);
    expect(await audit.entries({ user: 'a', resource: 'other' })).toHaveLength(0);
  });
});
