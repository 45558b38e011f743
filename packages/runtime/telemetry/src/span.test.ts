import {
  type Attributes,
  type Span,
  type SpanOptions,
  type SpanStatus,
  type TracerProvider,
  INVALID_SPAN_CONTEXT,
  trace,
} from '@opentelemetry/api';
import { afterEach, describe, expect, it } from '@jest/globals';
import { withSpan } from './span.js';

interface Recorded {
  readonly name: string;
  readonly attributes: Attributes | undefined;
  status?: SpanStatus;
  ended: boolean;
}

/** What an SDK would register, as far as it is used. */
function recordSpans(): readonly Recorded[] {
  const spans: Recorded[] = [];
  const provider = {
    getTracer: () => ({
      startActiveSpan: (name: string, options: SpanOptions, work: (span: Span) => unknown) => {
        const recorded: Recorded = { name, attributes: options.attributes, ended: false };
        spans.push(recorded);
        const span = Object.assign(trace.wrapSpanContext(INVALID_SPAN_CONTEXT), {
          setStatus: (status: SpanStatus) => {
            recorded.status = status;
          },
          end: () => {
            recorded.ended = true;
          },
        });
        return work(span);
      },
    }),
  } as unknown as TracerProvider;
  trace.setGlobalTracerProvider(provider);
  return spans;
}

describe('withSpan', () => {
  afterEach(() => {
    trace.disable();
  });

  it('passes on what the work gives or throws, without any SDK', async () => {
    await expect(withSpan('t', 's', (span) => Promise.resolve(span.isRecording()), { a: 'b' })).resolves.toBe(false);
    await expect(withSpan('t', 's', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('records work and failures once there is something to record with', async () => {
    const spans = recordSpans();
    await withSpan('t', 'good', () => Promise.resolve(), { a: 'b' });
    await expect(withSpan('t', 'bad', () => Promise.reject(new Error('no: Bearer abcdefghijklmnop')))).rejects.toThrow(
      'no',
    );
    expect(spans).toEqual([
      { name: 'good', attributes: { a: 'b' }, ended: true },
      {
        name: 'bad',
        attributes: {},
        ended: true,
        status: { code: 2, message: expect.not.stringContaining('abcdefghijklmnop') },
      },
    ]);
  });
});
