import { FakeClock } from '@hawser/clock';
import { expect, it } from '@jest/globals';
import { ExportMemories } from './export-memories.js';
import { ConsumerLook, type LookPorts } from './look.js';
import { anExport, consumer, endedExport } from './testing/observed.js';

it('begins anew with an export that stands again in between', async () => {
  const clock = new FakeClock();
  const memories = new ExportMemories(clock, undefined);
  const ports = { clock, memories, caches: { offered: () => [] } } as unknown as LookPorts;
  const look = new ConsumerLook(ports, consumer);
  const [withdrawn, standing] = [anExport({ 'hawser.dev/withdrawn': 'Unbound' }), anExport()];
  const first = look.of(withdrawn);
  expect(look.of(withdrawn)).toBe(first);
  // One that is deleted after it was withdrawn has ended since then.
  expect(look.of(endedExport())).toBe(first);
  await clock.advance(1_000);
  look.of(standing);
  const { memory } = look.of(withdrawn);
  expect(memory.since - first.memory.since).toBe(1_000);
  expect(memories.of(withdrawn)).toBe(memory);
});
