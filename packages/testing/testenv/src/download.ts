import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Archive, Checksum } from './archives.js';
import type { Program } from './platform.js';
import { runCommand } from './run-command.js';
import { TestenvError } from './testenv-error.js';

/** How long a server may take to answer at all: without a network the failure must come within seconds. */
const answerTimeoutMs = 8_000;

/**
 * Downloads `archive`, checks its checksum, and puts the programs of `wanted` in it into `folder`.
 * @throws TestenvError `binaries-unavailable` if it is unavailable or differs from the published one; nothing is
 * installed then.
 */
export async function installArchive(
  archive: Archive,
  wanted: readonly Program[],
  folder: string,
  print: (line: string) => void,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, '.download-'));
  try {
    const file = join(work, 'archive.tar.gz');
    const { algorithm, value } = archive.checksum;
    const actual = await download(archive.url, algorithm, file, print);
    if (actual !== value)
      throw new TestenvError('binaries-unavailable', `${archive.url}: ${algorithm} is ${actual}, expected ${value}`);
    for (const program of wanted) {
      const member = archive.members[program];
      if (member === undefined) continue;
      await runCommand('tar', ['-xzf', file, '-C', work, member]);
      await chmod(join(work, member), 0o755);
      await rename(join(work, member), join(folder, program));
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Returns the checksum of what was written. */
async function download(
  url: string,
  algorithm: Checksum['algorithm'],
  file: string,
  print: (line: string) => void,
): Promise<string> {
  const answered = new AbortController();
  const timer = setTimeout(() => {
    answered.abort(new Error(`no answer within ${answerTimeoutMs} ms`));
  }, answerTimeoutMs);
  let response: Response;
  try {
    response = await fetch(url, { signal: answered.signal });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new TestenvError(
      'binaries-unavailable',
      `${url}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
  if (!response.ok || response.body === null)
    throw new TestenvError('binaries-unavailable', `${url}: HTTP ${response.status}`);
  const total = Number(response.headers.get('content-length') ?? '0');
  const hash = createHash(algorithm);
  let received = 0;
  let announced = 0;
  await pipeline(
    Readable.from(response.body),
    async function* measured(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        received += chunk.length;
        if (received - announced >= 20_000_000) {
          announced = received;
          print(`${url}: ${megabytes(received)}${total > 0 ? ` of ${megabytes(total)}` : ''} MB`);
        }
        yield chunk;
      }
    },
    createWriteStream(file),
  );
  return hash.digest('hex');
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(0);
}
