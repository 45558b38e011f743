export { type LogFields, type LogLevel, type Logger, silentLogger } from './logger.js';
export { type LoggerOptions, createLogger } from './winston-logger.js';
export type { LogFormat } from './log-line.js';
export { type RedactOptions, redact } from './redact.js';
export { redactText } from './redact-text.js';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type Labels,
  type MetricDefinition,
  type Metrics,
  noMetrics,
} from './metrics.js';
export { type MetricsOptions, createMetrics } from './prom-metrics.js';
export { type EventMessage, type EventRecorder, type ObjectReference, noEvents } from './events.js';
export { type EventRecorderOptions, createEventRecorder } from './event-recorder.js';
export type { EventRepetition, EventWriter, KubernetesEvent } from './event-writer.js';
export { createStateEvents, type StateEvents } from './state-events.js';
export { type Cause, apart, currentCause, inSpan, noCause, noteInSpan, withSpan } from './span.js';
