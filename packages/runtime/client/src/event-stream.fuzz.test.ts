import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from '@hawser/json';
import { ApiError } from './api-error.js';
import type { WatchEvent } from './client.js';
import { EventStream } from './event-stream.js';
import type { KubeObject } from './object.js';

const toError = (problem: unknown): ApiError =>
  new ApiError('Malformed', problem instanceof Error ? problem.message : 'problem', {
    cluster: 'c',
    verb: 'watch',
    resource: 'configmaps',
  });

const event = fc.record({
  type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'),
  object: fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('ConfigMap'),
    metadata: fc.record({
      name: fc.string({ unit: 'binary', maxLength: 10 }).map((text) => `n${text.replaceAll(/[/%]/gu, '')}`),
      resourceVersion: fc.nat().map(String),
    }),
    data: fc.dictionary(
      fc.string({ unit: 'grapheme', maxLength: 4 }),
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
      ),
    ),
  }),
});

/** All that a reader gets, and how it ended. */
async function read(
  stream: EventStream<KubeObject>,
): Promise<{ readonly events: readonly WatchEvent<KubeObject>[]; readonly error: unknown }> {
  const events: WatchEvent<KubeObject>[] = [];
  try {
    for await (const one of stream) events.push(one);
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

function feed(bytes: Buffer, sizes: readonly number[], end: 'end' | 'fail'): EventStream<KubeObject> {
  const stream = new EventStream<KubeObject>({ toError, onClose: () => undefined });
  stream.start({ pause: () => undefined, resume: () => undefined, abort: () => undefined });
  for (let start = 0, index = 0; start < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    stream.data(bytes.subarray(start, start + size));
    start += size;
  }
  if (end === 'end') stream.end();
  else stream.fail(new Error('reset'));
  return stream;
}

describe('a watch that breaks off', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 });

  it('at any byte gives the events that were complete, unchanged, and then says how it ended', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 6 }),
        fc.nat(),
        sizes,
        fc.constantFrom('end' as const, 'fail' as const),
        async (sent, cutAt, chunks, how) => {
          const lines = sent.map((one) => Buffer.from(`${stringify(one)}\n`));
          const whole = Buffer.concat(lines);
          const cut = whole.length === 0 ? 0 : cutAt % (whole.length + 1);
          let complete = 0;
          let length = 0;
          for (const line of lines) {
            length += line.length;
            if (length <= cut) complete++;
            // Without its newline the last line is whole as well, if the server ended it in order.
            else if (length - 1 === cut && how === 'end') complete++;
          }
          const { events, error } = await read(feed(whole.subarray(0, cut), chunks, how));
          expect(stringify(events as unknown as object[] as never)).toBe(stringify(sent.slice(0, complete)));
          const inLine =
            ![...lines.keys()].some(
              (index) => lines.slice(0, index + 1).reduce((sum, line) => sum + line.length, 0) === cut,
            ) && cut !== 0;
          if (how === 'fail') expect(error).toBeInstanceOf(ApiError);
          else if (complete === sent.length || !inLine) expect(error).toBeUndefined();
          else expect(error === undefined || error instanceof ApiError).toBe(true);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('of any bytes ends, with nothing but an ApiError', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), sizes, async (bytes, chunks) => {
        const { error } = await read(feed(Buffer.from(bytes), chunks, 'end'));
        expect(error === undefined || error instanceof ApiError).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('with lines that are JSON and no events ends likewise', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.json(), { minLength: 1, maxLength: 4 }), sizes, async (values, chunks) => {
        const { events, error } = await read(
          feed(Buffer.from(values.map((value) => `${value}\n`).join('')), chunks, 'end'),
        );
        expect(events).toEqual([]);
        expect(error).toBeInstanceOf(ApiError);
      }),
      { numRuns: 300 },
    );
  });
});
