export { type LogFields, type LogLevel, type Logger, silentLogger } from './logger.js';
export { type Counter, type Gauge, type Histogram, type Labels, type MetricDefinition, type Metrics, noMetrics } from './metrics.js';
export { type EventMessage, type EventRecorder, type ObjectReference, noEvents } from './events.js';
