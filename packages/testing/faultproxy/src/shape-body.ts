import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { Fault } from './fault.js';
import { statusObject } from './status-body.js';

/** Faults that let the server answer and damage the answer. */
export type BodyFault = Extract<Fault, { kind: 'reset' | 'truncate' | 'watch-error' | 'silence' }>;

/**
 * Passes the server's answer on, damaged by `fault`. The head has been sent. Resolves when nothing more will be sent.
 * @param reset cuts the client's connection off.
 */
export async function shapeBody(
  from: IncomingMessage,
  to: ServerResponse,
  fault: BodyFault | undefined,
  reset: () => void,
): Promise<void> {
  // A watch may have no event for long; its client must see at once that it is established.
  to.flushHeaders();
  switch (fault?.kind) {
    case undefined:
      for await (const chunk of from as AsyncIterable<Buffer>) await write(to, chunk);
      to.end();
      return;
    case 'reset':
      await copyBytes(from, to, fault.afterBytes ?? 0);
      reset();
      return;
    case 'truncate': {
      const chunks: Buffer[] = [];
      for await (const chunk of from as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      to.end(body.subarray(0, Math.floor(body.length * (fault.share ?? 0.5))));
      return;
    }
    case 'watch-error': {
      await copyEvents(from, to, fault.afterEvents ?? 0);
      const object = statusObject({
        code: fault.code ?? 410,
        reason: fault.reason,
        message: fault.message ?? 'too old resource version',
      });
      to.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
      from.destroy();
      return;
    }
    case 'silence':
      await copyEvents(from, to, fault.afterEvents ?? 0);
      // Keep reading until the client goes: the server notices nothing.
      from.resume();
      if (!to.destroyed) await firstOf(to, ['close']);
      return;
  }
}

/** Copies `limit` bytes, or all. */
async function copyBytes(from: IncomingMessage, to: ServerResponse, limit: number): Promise<void> {
  let left = limit;
  while (left > 0) {
    const chunk = await nextChunk(from);
    if (chunk === undefined) return;
    await write(to, chunk.subarray(0, left));
    left -= chunk.length;
  }
}

/** Copies `count` lines, and drops the rest of the last chunk. */
async function copyEvents(from: IncomingMessage, to: ServerResponse, count: number): Promise<void> {
  let left = count;
  while (left > 0) {
    const chunk = await nextChunk(from);
    if (chunk === undefined) return;
    let end = 0;
    while (left > 0 && end < chunk.length) {
      const newline = chunk.indexOf(0x0a, end);
      end = newline < 0 ? chunk.length : newline + 1;
      if (newline >= 0) left--;
    }
    await write(to, chunk.subarray(0, end));
  }
}

/** The next chunk, without ending the stream as leaving a `for await` would. */
async function nextChunk(from: IncomingMessage): Promise<Buffer | undefined> {
  for (;;) {
    const chunk = from.read() as Buffer | null;
    if (chunk !== null) return chunk;
    if (from.readableEnded || from.destroyed) return undefined;
    await firstOf(from, ['readable', 'end', 'close']);
  }
}

/** Resolves when the chunk is sent, or the client is gone. */
async function write(to: ServerResponse, chunk: Buffer): Promise<void> {
  if (chunk.length === 0 || to.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      to.off('close', done);
      resolve();
    };
    to.on('close', done);
    to.write(chunk, done);
  });
}

/** Resolves with the first of these events and removes all listeners. */
async function firstOf(emitter: IncomingMessage | ServerResponse, events: readonly string[]): Promise<void> {
  const done = new AbortController();
  try {
    await Promise.race(events.map((event) => once(emitter, event, { signal: done.signal })));
  } finally {
    done.abort();
  }
}
