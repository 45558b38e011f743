import { describe, expect, it } from '@jest/globals';
import { lines } from './lines.js';
import { PushStream } from './push-stream.js';

describe('lines of a stream', () => {
  it('are whole, however the bytes come', async () => {
    const stream = new PushStream<Uint8Array>();
    const bytes = Buffer.from('one\nzwölf\nlast', 'utf8');
    const found: string[] = [];
    const reading = (async () => {
      for await (const line of lines(stream)) found.push(line);
    })();
    for (const byte of bytes) {
      stream.push(Uint8Array.of(byte));
      await Promise.resolve();
    }
    stream.end();
    await reading;
    expect(found).toEqual(['one', 'zwölf', 'last']);
  });
});
