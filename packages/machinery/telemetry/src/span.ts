import { type Attributes, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { redactText } from './redact-text.js';

/**
 * Runs `work` in a span of the tracer of that name, which is the active one meanwhile. A failure marks the span and is passed on.
 * Without an OpenTelemetry SDK in the process this costs next to nothing. Attributes must not carry secrets.
 */
export async function withSpan<T>(tracer: string, name: string, work: (span: Span) => Promise<T>, attributes: Attributes = {}): Promise<T> {
  return trace.getTracer(tracer).startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: redactText(error instanceof Error ? error.message : String(error)) });
      throw error;
    } finally {
      span.end();
    }
  });
}
