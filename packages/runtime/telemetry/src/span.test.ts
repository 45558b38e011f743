import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterEach, describe, expect, it } from '@jest/globals';
import { currentCause, inSpan, noCause, noteInSpan, withSpan } from './span.js';

/** Registers an SDK as published. */
function recordSpans(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  return exporter;
}

describe('withSpan', () => {
  afterEach(() => {
    trace.disable();
    context.disable();
  });

  it('passes on what the work gives or throws, without any SDK, and keeps nothing', async () => {
    await expect(withSpan('t', 's', (span) => Promise.resolve(span.isRecording()), { a: 'b' })).resolves.toBe(false);
    await expect(withSpan('t', 's', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const describe = (): never => {
      throw new Error('nobody is to ask');
    };
    expect(inSpan('t', 's', describe, () => 1)).toBe(1);
    noteInSpan('t', 's', describe);
    expect(currentCause('t')).toBeUndefined();
  });

  it('records work and failures once there is something to record with', async () => {
    const exporter = recordSpans();
    await withSpan(
      't',
      'good',
      (span) => {
        expect(span.isRecording()).toBe(true);
        return Promise.resolve();
      },
      { a: 'b' },
    );
    await expect(withSpan('t', 'bad', () => Promise.reject(new Error('no: Bearer abcdefghijklmnop')))).rejects.toThrow(
      'no',
    );
    expect(exporter.getFinishedSpans()).toMatchObject([
      { name: 'good', attributes: { a: 'b' }, ended: true },
      { name: 'bad', attributes: {}, ended: true, status: { code: 2 } },
    ]);
    expect(exporter.getFinishedSpans()[1]?.status.message).not.toContain('abcdefghijklmnop');
  });

  it('makes work that waited a part of what caused it, and other work a part of nothing', async () => {
    const exporter = recordSpans();
    const cause = inSpan(
      't',
      'seen',
      () => ({ key: 'a' }),
      () => currentCause('t'),
    );
    await withSpan('t', 'other', async () => {
      await withSpan(
        't',
        'later',
        () => {
          noteInSpan('t', 'decided', () => ({ action: 'none' }));
          return Promise.resolve();
        },
        {},
        cause,
      );
      await withSpan('t', 'own', () => Promise.resolve(), {}, noCause);
    });
    const named = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name);
    expect(named('later')).toMatchObject({
      parentSpanContext: { spanId: named('seen')?.spanContext().spanId },
      events: [{ name: 'decided', attributes: { action: 'none' } }],
    });
    expect(named('own')?.parentSpanContext).toBeUndefined();
  });
});
